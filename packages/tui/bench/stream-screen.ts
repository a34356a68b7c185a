// A screen as an agent has it while an answer streams in: markdown, a spinner with a clock, an editor between rules, a status line.

import type { RenderContext } from "../src/component.ts";
import { MarkdownStream, prepareMarkdown } from "../src/markdown/stream.ts";
import { elapsedTime } from "../src/rows/elapsed.ts";
import type { Row } from "../src/rows/row.ts";
import { row, wrap } from "../src/rows/wrap.ts";
import { Screen, type ScreenClock } from "../src/screen/screen.ts";
import { DARK_THEME } from "../src/theme/builtin.ts";
import { Theme } from "../src/theme/theme.ts";

const COLUMNS = 120;
const ROWS = 40;
const SPINNER_PATIENCE_MS = 100;
const SPINNER_FRAME_MS = 400;
const RULE = row("─".repeat(COLUMNS), { color: "border" });
const EDITOR = row("> the next question, half typed");
const STATUS = row("some-model · high   ████░░░░░░ 41%   $0.12   ~/project (main)   ask first", { color: "dim" });

export const PIECE_BYTES = 24;

/** Headings, paragraphs, lists, tables and code, as models write them. */
export const ANSWER: string = Array.from({ length: 60 }, (_, index) =>
  [
    `## Part ${index}: what the reader does`,
    "",
    `The **reader** takes what \`open${index}\` gives it and keeps its place.`,
    "It goes on until the file ends, then it *closes* it and says how many",
    "lines there were; see [the notes](https://example.com/notes) for more.",
    "",
    `- first it looks at line ${index}`,
    "- then at the ones after it",
    "  - and below those at what belongs to them",
    "- last it writes down what it has found",
    "",
    "| name | lines | took |",
    "|---|---:|---:|",
    `| reader | ${index * 7} | 0.${index} s |`,
    `| writer | ${index * 3} | 1.${index} s |`,
    "",
    "```ts",
    `export function part${index}(lines: readonly string[]): number {`,
    "  let sum = 0; // of all lengths",
    "  for (const line of lines) sum += line.length;",
    "  return sum;",
    "}",
    "```",
    "",
    "So much for this part.",
  ].join("\n"),
).join("\n");

export const pieces = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE_BYTES) }, (_, index) =>
    text.slice(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  );

export const prepared = (): Promise<void> => prepareMarkdown(ANSWER);

export class StreamScreen {
  readonly #clock: ScreenClock;
  readonly #stream: MarkdownStream | undefined;
  readonly #screen: Screen;
  readonly #symbols;
  #plain = "";
  #timer: unknown;

  constructor(write: (bytes: string) => void, clock: ScreenClock, kind: "markdown" | "text" = "markdown") {
    const theme = new Theme(DARK_THEME, "truecolor");
    this.#symbols = theme.symbols;
    this.#clock = clock;
    this.#stream = kind === "markdown" ? new MarkdownStream() : undefined;
    this.#screen = new Screen({
      output: { columns: COLUMNS, rows: ROWS, write },
      colours: theme,
      clock,
      symbols: () => theme.symbols,
      knowsSync: () => true,
      live: (context) => this.#live(context),
    });
    // As in a session: the screen is full.
    this.#screen.commit(Array.from({ length: ROWS }, (_, index) => row(`said before ${index}`)));
    this.#screen.paint();
    this.#turn();
  }

  add(piece: string): void {
    if (this.#stream === undefined) {
      const lines = (this.#plain + piece).split("\n");
      this.#plain = lines.pop() ?? "";
      this.#screen.commit(lines.flatMap((line) => wrap([{ text: line }], COLUMNS)));
    } else {
      this.#stream.add(piece);
      this.#screen.commit(this.#stream.takeFinished({ columns: COLUMNS, symbols: this.#symbols }));
    }
    this.#screen.requestFrame();
  }

  end(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#screen.paint();
  }

  #turn(): void {
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#screen.requestFrame(SPINNER_PATIENCE_MS);
        this.#turn();
      },
      SPINNER_FRAME_MS - (this.#clock.now() % SPINNER_FRAME_MS),
    );
  }

  #live(context: RenderContext): { rows: readonly Row[]; cursor: { row: number; column: number } } {
    const { spinner } = this.#symbols;
    const frame = spinner[Math.floor(context.now / SPINNER_FRAME_MS) % spinner.length] ?? "";
    const working = `${frame} Working · ${elapsedTime(context.now)} · esc to interrupt`;
    const streaming = this.#stream?.render(context) ?? wrap([{ text: this.#plain }], COLUMNS);
    const rows = [...streaming, row(working, { color: "dim" }), RULE, EDITOR, RULE, STATUS];
    return { rows, cursor: { row: rows.length - 3, column: 31 } };
  }
}
