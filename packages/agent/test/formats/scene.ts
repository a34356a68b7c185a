// A directory with real files, opened by a format like the read and edit operations do.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import type { CallScope } from "../../src/contract/tool.ts";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import type { Format, FormatContent, FormatFile } from "../../src/files/target/format.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";

export interface Scene {
  readonly dir: string;
  readonly scope: CallScope;
  /** Bytes that formats have asked for, in order. */
  readonly ranges: { readonly start: number; readonly end: number }[];
  write(name: string, content: string | Uint8Array): string;
  bytes(name: string): Buffer;
  run(command: string): string;
  file(name: string): FormatFile;
  read(format: Format, name: string, inner?: string): Promise<FormatContent>;
  text(format: Format, name: string, inner?: string): Promise<string>;
  /** Through the codec, onto the disk. */
  set(format: Format, name: string, inner: string, content: string | undefined): Promise<void>;
  [Symbol.dispose](): void;
}

/** One for all tests of a file, because starting it takes longer than most of them. */
const parser = new Parser();
afterAll(() => parser.close());

export function scene(): Scene {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-formats-")));
  const env = new LocalEnvironment({ cwd: dir, baseEnv: {} });
  const { signal } = new AbortController();
  const scope: CallScope = {
    env,
    signal,
    paths: new CallPaths(env, signal),
    services: { vision: false, shownFiles: new ShownFiles(), parser },
  };
  const ranges: Scene["ranges"] = [];
  const file = (name: string): FormatFile => {
    const real = join(dir, name);
    const { size } = statSync(real);
    const bytes: FormatFile["bytes"] = (range) => {
      ranges.push(range ?? { start: 0, end: size });
      return env.readBytes(real, range);
    };
    return { path: name, real, size, bytes, scope };
  };
  const read: Scene["read"] = (format, name, inner = "") =>
    format.read(file(name), { inner, separator: inner === "" ? "" : ":" });
  const bytes = (name: string) => readFileSync(join(dir, name));
  return {
    dir,
    scope,
    ranges,
    bytes,
    file,
    read,
    write: (name, content) => {
      writeFileSync(join(dir, name), content);
      return join(dir, name);
    },
    run: (command) =>
      execFileSync("bash", ["-c", command], {
        cwd: dir,
        encoding: "utf8",
        maxBuffer: 64 << 20,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    text: async (format, name, inner) => {
      const content = await read(format, name, inner);
      return content.kind === "image" ? content.mediaType : content.text;
    },
    set: async (format, name, inner, content) => {
      const { parts } = format;
      if (!parts) throw new Error(`${format.name} has no parts`);
      const normal = parts.normalise(inner, name);
      const old = exists(join(dir, name)) ? bytes(name) : undefined;
      const part = content === undefined ? undefined : Buffer.from(content);
      writeFileSync(join(dir, name), await parts.replace(old, new Map([[normal, part]]), scope));
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
