// Runs one input in each mode on a machine that is about to fail, and waits until the run and all its processes have
// ended before reporting the outcome.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf } from "@lathe/llm";
import { CLI, collect, type Finished } from "../command.ts";
import type { FaultBench } from "./bench.ts";
import { ACP_ARGS, addToken, SERVE_ARGS, talkInEditor, talkToServer } from "./served-modes.ts";
import type { Talk } from "./talk.ts";

export type MachineMode = "print" | "ACP" | "serve";

/** Conditions of the run besides its input. */
export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** A shell command such as `ulimit -n 28`. */
  readonly limit?: string;
}

/**
 * Runs the input. For a mode that stays open, the exit code tells whether it answered, and stderr has what it said
 * instead.
 */
export type Go = (circumstances?: Circumstances) => Promise<Finished>;

/** `prepare` writes what must be on the disk before the fault. */
export function goIn(mode: MachineMode, bench: FaultBench): { readonly prepare: () => Promise<void>; readonly go: Go } {
  if (mode === "print") return { prepare: async () => {}, go: (circumstances = {}) => print(bench, circumstances) };
  let token = "";
  const prepare = async (): Promise<void> => {
    if (mode === "serve") token = await addToken(bench);
  };
  const go: Go = (circumstances = {}) =>
    mode === "ACP"
      ? stay(startBuilt(bench, ACP_ARGS, circumstances), (child) => talkInEditor(child, bench))
      : stay(startBuilt(bench, SERVE_ARGS, circumstances), (child) => talkToServer(child, bench, token));
  return { prepare, go };
}

function print(bench: FaultBench, { env, limit }: Circumstances): Promise<Finished> {
  const args = ["-p", "go"];
  if (limit === undefined) return bench.run(args, env);
  const child = startBuilt(bench, bench.args(args), { limit, ...(env === undefined ? {} : { env }) });
  child.stdin.end();
  return collect(child);
}

function startBuilt(
  bench: FaultBench,
  args: readonly string[],
  { env, limit }: Circumstances,
): ChildProcessWithoutNullStreams {
  const words = [CLI, ...args];
  const place = { cwd: bench.box.dir, env: { ...bench.box.env, ...bench.env, ...env } };
  if (limit === undefined) return spawn(process.execPath, words, place);
  return spawn("sh", ["-c", `${limit}; exec "$0" "$@"`, process.execPath, ...words], place);
}

async function stay(
  child: ChildProcessWithoutNullStreams,
  open: (child: ChildProcessWithoutNullStreams) => Promise<Talk>,
): Promise<Finished> {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close");
  try {
    const talk = await open(child);
    const { how, words } = await talk.say("go");
    await talk.leave();
    return how === "answer"
      ? { code: 0, stdout: `${words}\n`, stderr: "" }
      : { code: 1, stdout: "", stderr: `lathe: ${words}\n` };
  } catch (error) {
    // It could not even start: its message is on stderr, or in the answer to its first request.
    child.kill("SIGTERM");
    await closed;
    return { code: 1, stdout: "", stderr: stderr === "" ? `lathe: ${messageOf(error)}\n` : stderr };
  }
}
