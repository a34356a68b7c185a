// A key press in a long text against the same key in a short one, and a large paste against handling its characters once.

import type { Bench } from "../../../scripts/bench-types.ts";
import { Editor } from "../src/editor/editor.ts";
import { EDITOR_ACTIONS } from "../src/keys/actions.ts";
import { Bindings } from "../src/keys/bindings.ts";
import { KeyDecoder } from "../src/keys/decoder.ts";
import { CONTEXT } from "../test/component-kit.ts";

const bindings = new Bindings(EDITOR_ACTIONS);
const LINES = Array.from({ length: 10_000 }, (_, index) => `line ${index} of a text that somebody wrote`).join("\n");

const editor = (): Editor => new Editor({ bindings, onSubmit: () => {}, maxRows: 10 });

/** Milliseconds for 500 keys, each decoded, handled and rendered. */
function keys(text: string): number {
  const target = editor();
  target.text = text;
  const decoder = new KeyDecoder();
  target.render(CONTEXT);
  const start = performance.now();
  for (const character of "some words \x7f\x1b[D".repeat(40).slice(0, 500)) {
    for (const item of decoder.feed(character)) if (item.kind === "key") target.handle(item);
    target.render(CONTEXT);
  }
  return performance.now() - start;
}

function paste(): number {
  const target = editor();
  const decoder = new KeyDecoder();
  const start = performance.now();
  for (const item of decoder.feed(`\x1b[200~${LINES}\x1b[201~`)) if (item.kind === "paste") target.handle(item);
  target.render(CONTEXT);
  return performance.now() - start;
}

const median = (work: () => number): number => Array.from({ length: 9 }, work).sort((a, b) => a - b)[4] as number;

const longText: Bench = {
  name: "a key in a text of 10,000 lines, over the same key in 25 lines",
  run: async () => {
    keys(LINES);
    keys(LINES.slice(0, 1000));
    const short = median(() => keys(LINES.slice(0, 1000)));
    const long = median(() => keys(LINES));
    return { value: long / short, unit: "x", budget: 2, note: `${(long / 500).toFixed(3)} ms a key` };
  },
};

const LONG_LINE = "words of one line and more ".repeat(3_700);

const longLine: Bench = {
  name: "a key at the end of one line of 100,000 characters, over the same key after 1,000",
  run: async () => {
    keys(LONG_LINE);
    keys(LONG_LINE.slice(0, 1000));
    const short = median(() => keys(LONG_LINE.slice(0, 1000)));
    const long = median(() => keys(LONG_LINE));
    return { value: long / short, unit: "x", budget: 2, note: `${(long / 500).toFixed(3)} ms a key` };
  },
};

const largePaste: Bench = {
  name: "a paste of 10,000 lines, over splitting it into lines once",
  run: async () => {
    paste();
    const plain = median(() => {
      const start = performance.now();
      LINES.replace(/\r\n?/g, "\n").split("\n");
      return performance.now() - start;
    });
    const pasting = median(paste);
    return { value: pasting / plain, unit: "x", budget: 10, note: `${pasting.toFixed(1)} ms` };
  },
};

export const benches: readonly Bench[] = [longText, longLine, largePaste];
