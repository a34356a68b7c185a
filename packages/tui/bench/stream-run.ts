// Streams the answer to standard output, rendered or plain, a piece every 10 ms; says on standard error what it took: `stream-run.ts plain|rendered`.

import { ANSWER, pieces, prepared, StreamScreen } from "./stream-screen.ts";

const write = (text: string): void => {
  process.stdout.write(text);
};
const clock = {
  now: () => performance.now(),
  setTimeout: (call: () => void, ms: number) => setTimeout(call, ms),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
};
const rest = pieces(ANSWER);
// What the source loader takes for the highlighter's files is not rendering.
await prepared();
const begin = process.cpuUsage();
const screen = process.argv[2] === "plain" ? undefined : new StreamScreen(write, clock);
const interval = setInterval(() => {
  const piece = rest.shift();
  if (piece !== undefined) {
    if (screen === undefined) write(piece);
    else screen.add(piece);
    return;
  }
  clearInterval(interval);
  screen?.end();
  const { user, system } = process.cpuUsage(begin);
  process.stderr.write(String((user + system) / 1_000_000));
}, 10);
