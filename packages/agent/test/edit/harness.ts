// A real environment and context for running one tool in tests: a temporary directory, or memory if thousands are
// needed.

import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { type ToolContext, type ToolDef, ToolFailure, type ToolServices } from "../../src/contract/tool.ts";
import { PathLocks } from "../../src/files/edit/locks.ts";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { Syntax } from "../../src/files/edit/syntax.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import type { ExecutionEnvironment } from "../../src/world/env/types.ts";

export interface Ran {
  readonly text: string;
  readonly failed: boolean;
  readonly details: Record<string, unknown>;
}

export function contextFor(env: ExecutionEnvironment, services: Partial<ToolServices> = {}): ToolContext {
  const { signal } = new AbortController();
  return {
    callId: "call",
    env,
    signal,
    // One context serves several calls in tests; each has its own paths.
    get paths() {
      return new CallPaths(env, signal);
    },
    blobs: new MemoryBlobs(),
    onOutput: () => {},
    messages: () => [],
    call: () => Promise.reject(new Error("no session")),
    openArtifact: () => {
      throw new Error("edits need no artifact");
    },
    services: { vision: false, pathLocks: new PathLocks(), ...services },
  };
}

export function fullServices(): Partial<ToolServices> {
  return { shownFiles: new ShownFiles(), pathLocks: new PathLocks(), syntax: new Syntax(() => Date.now()) };
}

/** Runs a tool like the pipeline does: a ToolFailure is a result to read, anything else is a bug of ours. */
export async function run<Args>(tool: ToolDef<Args>, args: Args, context: ToolContext): Promise<Ran> {
  try {
    const result = await tool.execute(args, context);
    if (typeof result === "string") return { text: result, failed: false, details: {} };
    const text = result.content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
    return { text, failed: result.isError === true, details: (result.details ?? {}) as Record<string, unknown> };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { text: error.message, failed: true, details: (error.details ?? {}) as Record<string, unknown> };
  }
}

/** A temporary directory that is removed after the test. */
export function temporary(): { directory: string; env: LocalEnvironment; path: (name: string) => string } {
  const directory = mkdtempSync(join(tmpdir(), "lathe-edit-"));
  const env = new LocalEnvironment({ cwd: directory, baseEnv: {} });
  onTestFinished(async () => {
    await env.cleanup();
    await rm(directory, { recursive: true, force: true });
  });
  return { directory, env, path: (name) => join(directory, name) };
}
