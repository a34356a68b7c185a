// The first message of a worker.

import { LEADER } from "./state.ts";
import text from "./worker.md";

export interface WorkerTask {
  readonly id: string;
  /** Index of the worker, from 0. */
  readonly at: number;
  readonly tasks: readonly string[];
}

export function workerText({ id, at, tasks }: WorkerTask): string {
  const own = tasks[at] ?? "";
  return text
    .trim()
    .replaceAll("{{id}}", id)
    .replaceAll("{{count}}", String(tasks.length))
    .replaceAll("{{others}}", othersOf(at, tasks.length))
    .replaceAll("{{division}}", () => division(at, tasks))
    .replaceAll("{{task}}", () => own);
}

function othersOf(at: number, count: number): string {
  const workers = Array.from({ length: count }, (_, n) => `Worker${n + 1}`).filter((_, n) => n !== at);
  return [...workers, LEADER].map((id) => `\`${id}\``).join(", ");
}

function division(at: number, tasks: readonly string[]): string {
  if (tasks.length === 1) return "The whole task is yours.";
  if (new Set(tasks).size === 1)
    return `All of you have the same task. Divide it by files into ${tasks.length} parts of about the same size, in the order in which the task names them or else by name, and do part ${at + 1}.`;
  const others = tasks.flatMap((task, n) =>
    n === at ? [] : [`- Worker${n + 1}: ${task.split("\n")[0]?.slice(0, 200)}`],
  );
  return `The others do this:\n${others.join("\n")}`;
}
