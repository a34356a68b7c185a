// A folder with programs, and debuggers for them.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import type { DebugAnswer, DebugRequest } from "@lathe/agent/tools";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { DebugPrograms } from "../src/additions/dap/debuggers.ts";

/** Debian's own Python: the one that has debugpy. */
export const PATH = `/usr/bin:/bin:${process.env["PATH"] ?? ""}`;
export const NEVER = new AbortController().signal;
let runs = 0;

type Wanted = { readonly [K in keyof DebugRequest]?: DebugRequest[K] | undefined };

export interface Bench {
  readonly folder: string;
  readonly env: ExecutionEnvironment;
  readonly debuggers: DebugPrograms;
  /** Writes a file of these lines and returns its path. */
  write(name: string, ...lines: readonly string[]): string;
  run(request: Wanted): Promise<DebugAnswer>;
  /** The text of the answer. */
  say(request: Wanted): Promise<string>;
  close(): Promise<void>;
}

export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "lathe-debug-")));

export function bench(folder = newFolder(), env?: ExecutionEnvironment, variables: Record<string, string> = {}): Bench {
  const goFolders = { GOCACHE: join(homedir(), ".cache/go-build"), GOFLAGS: "-mod=mod", GOPROXY: "off" };
  const used =
    env ?? new LocalEnvironment({ cwd: folder, baseEnv: { PATH, HOME: folder, ...goFolders, ...variables } });
  const debuggers = new DebugPrograms({
    isTrusted: () => true,
    mayShow: () => true,
    now: Date.now,
    newId: () => `test-${process.pid}-${++runs}`,
  });
  const run = (request: Wanted): Promise<DebugAnswer> =>
    debuggers.run({ cwd: used.workingDirectory(), timeoutMs: 60_000, ...request } as DebugRequest, used, NEVER);
  return {
    folder,
    env: used,
    debuggers,
    write: (name, ...lines) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${lines.join("\n")}\n`);
      return path;
    },
    run,
    say: async (request) => (await run(request)).text,
    close: async () => {
      await debuggers.close();
      await used.cleanup();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
