// Callbacks of a host whose answer is needed at once. An async function often fits their type, and what it rejects with would end the
// host's process.

import { messageOf } from "@lathe/llm";

/** What the callback returned; undefined, and reported, when that is a promise. */
export function answerAtOnce<T>(answer: T, name: string, report: (message: string) => void): T | undefined {
  if (!(answer instanceof Promise)) return answer;
  const needed = `${name} returned a promise, which is ignored: it must answer at once`;
  answer.then(
    () => report(`${needed}.`),
    (error: unknown) => report(`${needed}. The promise was rejected: ${messageOf(error)}.`),
  );
  return undefined;
}
