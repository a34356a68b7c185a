// A small program at a real terminal, for tests that press keys: Enter commits what was typed, Ctrl+V opens a viewer, Ctrl+Z suspends,
// Ctrl+E fails, Ctrl+C leaves. The status row says the size it was painted for.

import { widthOf } from "../src/rows/width.ts";
import { row, wrap } from "../src/rows/wrap.ts";
import { restoreOnExit, suspendToShell } from "../src/terminal/leaving.ts";
import { Viewer } from "../src/viewer/viewer.ts";
import { screenWith, terminal } from "./terminal-screen.ts";

let typed = "";
let viewer: Viewer | undefined;
const screen = screenWith(({ columns, rows }) => {
  const cards = Number(process.env.CARDS ?? "4");
  const made = Array.from({ length: cards }, (_, index) => {
    const text = `~card ${index} ${"works on a long line ".repeat(20)}`.slice(0, columns - (index % 3));
    return index % 2 === 0 ? { ...row(text), fill: 4 } : row(text);
  });
  const editor = wrap([{ text: `~> ${typed}` }], columns, { anywhere: true, rest: [{ text: "~  " }] });
  const last = editor.at(-1)?.spans.reduce((sum, { text }) => sum + widthOf(text), 0) ?? 0;
  const all = [
    ...made,
    row(`~status ${columns}x${rows}`),
    ...editor,
    row("~below the cursor ".repeat(20).slice(0, columns)),
  ];
  return { rows: all, cursor: { row: all.length - 2, column: Math.min(last, columns - 1) } };
});
const leaving = { process, terminal, screen };
restoreOnExit(leaving);
terminal.start({
  onResize: () => screen.handleResize(),
  onKey: (key) => {
    if (viewer?.handle(key)) return screen.paint();
    if (key.kind === "paste") typed += key.text;
    if (key.kind !== "key") return screen.paint();
    if (key.ctrl && key.name === "c") {
      screen.end([row("~left")]);
      terminal.stop();
      process.exit(0);
    }
    if (key.ctrl && key.name === "z") return suspendToShell(leaving);
    if (key.ctrl && key.name === "e") throw new Error("failed on purpose");
    if (key.ctrl && key.name === "v") {
      viewer = new Viewer("Numbers", () => Array.from({ length: 99 }, (_, index) => row(`number ${index}`)), {
        close: () => {
          viewer = undefined;
          screen.closeFullScreen();
        },
        copy: (text) => terminal.copy(text),
      });
      return screen.openFullScreen(viewer);
    }
    if (key.name === "enter") {
      screen.commit(wrap([{ text: typed }], terminal.columns));
      typed = "";
    } else if (key.name === "backspace") typed = typed.slice(0, -1);
    else typed += key.text ?? "";
    screen.paint();
  },
});
screen.commit(Array.from({ length: Number(process.env.LINES_BEFORE ?? "0") }, (_, line) => row(`said before ${line}`)));
screen.paint();
