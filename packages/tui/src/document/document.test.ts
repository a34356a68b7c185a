import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONTEXT, send } from "../../test/component-kit.ts";
import { Editor } from "../editor/editor.ts";
import { EDITOR_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import { rowWidth } from "../rows/wrap.ts";
import { boundaries, boundaryAfter, boundaryBefore, snapToCluster } from "./clusters.ts";
import { EditCommands } from "./commands.ts";
import { Document } from "./document.ts";
import { Layout } from "./layout.ts";
import { isMark } from "./marks.ts";

const RUNS = process.env["LATHE_LONG"] ? 5000 : 100;
const bindings = new Bindings(EDITOR_ACTIONS);

/**
 * Pieces that join with their neighbours: accents, flags, joiners, jamo, a sign that joins the next character, and a
 * mark.
 */
const PIECES = [
  "a",
  "b ",
  "e",
  "\u0301",
  "\u200d",
  "👩",
  "👧",
  "🇩",
  "🇪",
  "🇫",
  "你",
  "ᄀ",
  "ᅡ",
  "\u0600",
  "\ufe0f",
  "\n",
  "\t",
  "\x1b",
  "\u202e",
  "-_",
  "שלום",
];
const ACTIONS = EDITOR_ACTIONS.map(({ id }) => id).filter((id) => !/undo|redo/.test(id));

type Move = { readonly type: string } | { readonly run: string } | { readonly paste: string };
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constantFrom(...PIECES).map((type) => ({ type })),
  fc.constantFrom(...PIECES).map((type) => ({ type })),
  fc.constantFrom(...ACTIONS).map((run) => ({ run })),
  fc.constantFrom("x\n".repeat(30), "two\nlines").map((paste) => ({ paste })),
);

function perform(commands: EditCommands, step: Move): void {
  if ("type" in step) commands.type(step.type);
  else if ("run" in step) commands.run(step.run);
  else commands.paste(step.paste);
}

describe("document", () => {
  it("no edit leaves the cursor inside a character or a mark, loses a mark's other half, or joins it with an accent", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const text = new Document();
        const commands = new EditCommands(text);
        for (const step of moves) {
          perform(commands, step);
          expect(boundaries(text.line(text.cursor.line))).toContain(text.cursor.offset);
          const marks = [...text.text].filter(isMark);
          expect(commands.marks.within(text.text)).toHaveLength(marks.length);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("undo of everything gives the empty text, redo of everything the last one", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const text = new Document();
        const commands = new EditCommands(text);
        for (const step of moves) perform(commands, step);
        const last = text.text;
        while (text.undo());
        expect(text.text).toBe("");
        while (text.redo());
        expect(text.text).toBe(last);
      }),
      { numRuns: RUNS },
    );
  });

  it("finding the next boundary agrees with cutting the whole line", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(...PIECES, "\u{100000}").filter((piece) => piece !== "\n"),
          { maxLength: 20 },
        ),
        (pieces) => {
          const line = pieces.join("");
          const all = boundaries(line);
          for (const [index, at] of all.entries()) {
            expect(boundaryAfter(line, at)).toBe(all[index + 1] ?? line.length);
            expect(boundaryBefore(line, at)).toBe(all[index - 1] ?? 0);
          }
          for (let offset = 0; offset <= line.length; offset++) {
            expect(snapToCluster(line, offset)).toBe(all.find((at) => at >= offset));
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("a long line is cut where a short one is: characters are whole across the parts it is read in", () => {
    const unit = "👩\u200d👩\u200d👧e\u0301🇩🇪你x";
    const lengths = boundaries(unit.repeat(200)).map((at) => at % unit.length);
    expect([...new Set(lengths)]).toEqual(boundaries(unit).slice(0, -1));
    expect(boundaries(`e${"\u0301".repeat(2000)}x`)).toEqual([0, 2001, 2002]);
  });

  it("a long line that is edited has the rows of one that is laid out anew", () => {
    const marks = new EditCommands(new Document()).marks;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5_000), fc.nat(30), fc.constantFrom(...PIECES.filter((one) => one !== "\n"))), {
          minLength: 1,
          maxLength: 12,
        }),
        (edits) => {
          const kept = new Layout(30, marks);
          let line = "words 你好 👩\u200d👩\u200d👧 and_a_long_name e\u0301 ".repeat(80);
          kept.rows(line);
          for (const [at, removed, inserted] of edits) {
            line = line.slice(0, at) + inserted + line.slice(at + removed);
            const [rows, anew] = [kept.rows(line), new Layout(30, marks).rows(line)];
            // For hundreds of rows, `toEqual` takes longer than the layout.
            if (!isDeepStrictEqual(rows, anew)) expect(rows).toEqual(anew);
          }
        },
      ),
      { numRuns: process.env["LATHE_LONG"] ? 100 : 15 },
    );
  });

  it("no row is wider than the terminal and the cursor is always on it, at any width and after any edit", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), fc.integer({ min: 4, max: 60 }), (moves, columns) => {
        const editor = new Editor({ bindings, onSubmit: () => {}, prompt: [{ text: "> " }], maxRows: 6 });
        for (const step of moves) {
          if ("type" in step) editor.insert(step.type);
          else if ("paste" in step) send(editor, `\x1b[200~${step.paste}\x1b[201~`);
          else send(editor, CHORDS[step.run] ?? "");
        }
        const rows = editor.render({ ...CONTEXT, columns });
        expect(rows.length).toBeLessThanOrEqual(6);
        for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(columns);
        expect(editor.cursor.row).toBeLessThan(rows.length);
        expect(editor.cursor.column).toBeLessThan(columns);
      }),
      { numRuns: RUNS },
    );
  });
});

const CHORDS: Readonly<Record<string, string>> = {
  "tui.editor.cursorUp": "\x1b[A",
  "tui.editor.cursorDown": "\x1b[B",
  "tui.editor.cursorLeft": "\x1b[D",
  "tui.editor.cursorRight": "\x1b[C",
  "tui.editor.cursorWordLeft": "\x1bb",
  "tui.editor.deleteCharBackward": "\x7f",
  "tui.editor.deleteWordBackward": "\x17",
  "tui.editor.yank": "\x19",
  "tui.editor.expandMark": "\x1be",
  "tui.editor.pageUp": "\x1b[5~",
};
