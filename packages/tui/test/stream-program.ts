// Finished rows that come in quickly above a live region, at a real terminal, for tests that change its size meanwhile. Committed text has small letters
// and digits, the live region capitals, so that either can be told from what is left of the other. `plain`: the same text, printed.

import { row, wrap } from "../src/rows/wrap.ts";
import { restoreOnExit } from "../src/terminal/leaving.ts";
import { streamedLine } from "./streamed-text.ts";
import { screenWith, terminal, widths } from "./terminal-screen.ts";

const [kind = "screen", total = "300", before = "60"] = process.argv.slice(2);
const EVERY_MS = 10;
let made = 0;
let isDone = false;

const makeLive: Parameters<typeof screenWith>[0] = ({ columns, rows }) => {
  const live = [
    row(`WRITING ${"X".repeat((made * 7) % 200)}`.slice(0, columns)),
    row("-".repeat(columns)),
    row("> TYPED"),
    row("-".repeat(columns)),
    row(
      `STATUS ${columns}:${rows} ${isDone ? "DONE" : "BUSY"} ${widths.misdrawn} ${"Y".repeat(200)}`.slice(0, columns),
    ),
  ];
  return { rows: live, cursor: { row: 2, column: 7 } };
};
const screen = screenWith(makeLive, widths.watch(terminal));

const add = (): void => {
  const line = streamedLine(made++);
  if (kind === "plain") process.stdout.write(`${line}\n`);
  else screen.commit(wrap([{ text: line }], terminal.columns));
};
if (kind !== "plain") {
  restoreOnExit({ process, terminal, screen });
  terminal.start({
    onResize: () => screen.handleResize(),
    onKey: (key) => {
      if (key.kind !== "key" || !key.ctrl || key.name !== "c") return;
      screen.end();
      terminal.stop();
      process.exit(0);
    },
  });
}
// The screen is full before the window changes.
while (made < Number(before)) add();
const timer = setInterval(() => {
  add();
  if (made < Number(total)) return;
  clearInterval(timer);
  isDone = true;
  if (kind === "plain") process.stdout.write("DONE\n");
  else screen.requestFrame();
}, EVERY_MS);
