// Host callbacks that must answer synchronously. An async function often fits their type, and its rejection would end
// the host's process.

import { messageOf } from "@lathe/llm";

/** The callback's return value; if that is a promise, reports it and returns undefined. */
export function answerAtOnce<T>(answer: T, name: string, report: (message: string) => void): T | undefined {
  if (!(answer instanceof Promise)) return answer;
  const needed = `${name} returned a promise, which is ignored: it must be synchronous`;
  answer.then(
    () => report(`${needed}.`),
    (error: unknown) => report(`${needed}. The promise was rejected: ${messageOf(error)}.`),
  );
  return undefined;
}
