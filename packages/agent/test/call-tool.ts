// Runs one tool in a real directory as the session would, and returns what the model and the host would see.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import type { ToolDef, ToolResult, ToolServices } from "../src/contract/tool.ts";
import { ShownFiles } from "../src/files/edit/shown-files.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";

export interface Bench {
  readonly dir: string;
  readonly env: ExecutionEnvironment;
  readonly services: { -readonly [K in keyof ToolServices]: ToolServices[K] };
  readonly artifacts: Buffer[][];
  readonly output: string[];
  /** `between`: runs after the call was judged and before it is executed. */
  call<Args>(tool: ToolDef<Args>, args: Args, signal?: AbortSignal, between?: () => Promise<void>): Promise<ToolResult>;
  /** The text the model would read. */
  text<Args>(tool: ToolDef<Args>, args: Args, between?: () => Promise<void>): Promise<string>;
  close(): Promise<void>;
}

export async function toolBench(): Promise<Bench> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-tool-")));
  const env = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"], HOME: dir } });
  const services: Bench["services"] = { vision: true, shownFiles: new ShownFiles() };
  const artifacts: Buffer[][] = [];
  const output: string[] = [];
  const call: Bench["call"] = async (tool, args, signal = new AbortController().signal, between) => {
    const scope = { env, signal, paths: new CallPaths(env, signal), services };
    if (between) {
      await tool.access?.(args, scope);
      await between();
    }
    const result = await tool.execute(args, {
      ...scope,
      callId: "call_1",
      blobs: new MemoryBlobs(),
      onOutput: (chunk) => output.push(chunk),
      messages: () => [],
      call: () => Promise.reject(new Error("no session")),
      openArtifact: () => {
        const chunks: Buffer[] = [];
        artifacts.push(chunks);
        const id = artifacts.length - 1;
        return {
          id,
          write: (chunk) => void chunks.push(Buffer.from(chunk)),
          close: async () => ({ id, bytes: Buffer.concat(chunks).length }),
        };
      },
    });
    return typeof result === "string" ? { content: [{ kind: "text", text: result }] } : result;
  };
  return {
    dir,
    env,
    services,
    artifacts,
    output,
    call,
    text: async (tool, args, between) => {
      const { content } = await call(tool, args, undefined, between);
      return content.map((part) => (part.kind === "text" ? part.text : "[image]")).join("\n");
    },
    close: async () => {
      await env.cleanup();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
