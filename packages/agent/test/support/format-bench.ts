// Opens real files with a format, like the read and write tools do, and keeps one parser process for all of them.

import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import type { ToolServices } from "../../src/contract/tool.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import type { Format, FormatContent, FormatFile, RowChange } from "../../src/files/target/format.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import type { ExecutionEnvironment } from "../../src/world/env/types.ts";

export interface FormatBench {
  readonly dir: string;
  readonly parser: Parser;
  /** A path such as `a.db:t?limit=3`, split at its first separator. */
  read(path: string, options?: BenchOptions): Promise<FormatContent>;
  /** The text that is shown, or the failure's message. */
  text(path: string, options?: BenchOptions): Promise<string>;
  write(path: string, content: string, how?: { planOnly: boolean }): Promise<RowChange>;
  run(program: string, ...args: string[]): string;
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly env?: ExecutionEnvironment | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly services?: Partial<ToolServices> | undefined;
}

export async function formatBench(format: Format): Promise<FormatBench> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-format-")));
  const local = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"], HOME: dir } });
  const parser = new Parser();
  const fileOf = async (path: string, options: BenchOptions): Promise<FormatFile> => {
    const { env = local, signal = new AbortController().signal, services = {} } = options;
    const paths = new CallPaths(env, signal);
    const { real, stat } = await paths.locate(path);
    return {
      path,
      real,
      size: stat?.size ?? 0,
      bytes: (range) => env.readBytes(real, range),
      scope: { env, signal, paths, services: { vision: true, parser, ...services } },
    };
  };
  const parts = (path: string) => {
    const [, file = path, separator = "", inner = ""] = /^([^:?]*)(?:([:?])([\s\S]*))?$/.exec(path) ?? [];
    return { file, separator: separator as "" | ":" | "?", inner };
  };
  const read: FormatBench["read"] = async (path, options = {}) => {
    const { file, separator, inner } = parts(path);
    return format.read(await fileOf(file, options), { separator, inner });
  };
  return {
    dir,
    parser,
    read,
    text: async (path, options) => {
      try {
        const content = await read(path, options);
        return content.kind === "image" ? `[${content.mediaType}]` : content.text;
      } catch (error) {
        return (error as Error).message;
      }
    },
    write: async (path, content, how = { planOnly: false }) => {
      const { file, inner } = parts(path);
      return format.rows!.write(await fileOf(file, {}), inner, content, how);
    },
    run: (program, ...args) => execFileSync(program, args, { cwd: dir, encoding: "utf8", stdio: "pipe" }),
    close: async () => {
      await parser.close();
      await local.cleanup();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
