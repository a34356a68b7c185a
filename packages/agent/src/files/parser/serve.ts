// The side inside the parser process: reads a request, runs the task, answers, and repeats until its input ends.

import { Console } from "node:console";
import { oneLine } from "../../base/text/one-line.ts";
import { FrameReader, frameOf } from "./frames.ts";
import { CannotParse, type TaskInput, type TaskTable } from "./tasks/types.ts";

interface Request {
  readonly task: string;
  readonly input: TaskInput;
}

export type Answer =
  /** `rss`: bytes of memory that this process uses now. */
  | { readonly kind: "result"; readonly result: unknown; readonly rss: number }
  | { readonly kind: "refused"; readonly why: string; readonly rss: number };

/** Inputs come from our own side, so any length is accepted. */
const ANY_LENGTH = 2 ** 32;

export async function serve(tasks: TaskTable): Promise<void> {
  const send = claimStdout();
  watchMemory(process.argv[2]);
  const frames = new FrameReader(ANY_LENGTH);
  for await (const piece of process.stdin)
    for (const request of frames.push(piece)) await send(frameOf(await answerTo(request as Request, tasks)));
}

/** Libraries write to the console; their output must not get between our messages. */
function claimStdout(): (pieces: readonly Uint8Array[]) => Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  globalThis.console = new Console(process.stderr);
  return async (pieces) => {
    for (const piece of pieces) await new Promise<void>((taken) => write(piece, () => taken()));
  };
}

async function answerTo({ task, input }: Request, tasks: TaskTable): Promise<Answer> {
  const load = tasks[task];
  const rss = () => process.memoryUsage.rss();
  if (load === undefined) return { kind: "refused", why: `there is no parser task ${task}`, rss: rss() };
  try {
    const run = await load();
    const result = await run(input);
    return { kind: "result", result, rss: rss() };
  } catch (error) {
    return { kind: "refused", why: reasonOf(error), rss: rss() };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof CannotParse) return reasonLine(error.message);
  // Not `messageOf`: this process starts with the first document, and must not load the model client for a single line.
  const message = reasonLine(error instanceof Error ? error.message : String(error));
  // Libraries wrap system errors in their own.
  if (/call stack size exceeded/i.test(message)) return "it is nested too deeply";
  if (/allocation failed|invalid (typed )?array|out of memory/i.test(message)) return "it needs too much memory";
  return message === "" ? "it is damaged" : message;
}

const MOST_WORDS = 300;

function reasonLine(text: string): string {
  const line = oneLine(text);
  return (line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line).replace(/\.$/, "");
}

/**
 * If the kernel does not limit us, a thread does, because the main one may be deep inside a library. `limit`:
 * megabytes; absent if the kernel enforces it.
 */
function watchMemory(limit: string | undefined): void {
  if (limit === undefined) return;
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const look = `if (process.memoryUsage.rss() > ${Number(limit)} * 2 ** 20) {
    require("node:fs").writeSync(2, "out of memory");
    process.kill(process.pid, "SIGKILL");
  }`;
  new Worker(`setInterval(() => {${look}}, 50);`, { eval: true, execArgv: [] }).unref();
}
