// The editing actions that need neither a screen nor a host: motion within the text, deletion, kill ring, undo. The
// editor and the one-line prompt share them.

import type { Document } from "./document.ts";
import { KillRing } from "./kill-ring.ts";
import { isMark, type Mark, Marks, withoutMarks } from "./marks.ts";
import { isSame, type Place, START } from "./place.ts";
import { wordEndAfter, wordStartBefore } from "./words.ts";

/** A longer paste is shown as a mark. */
const PASTE_LINES = 10;
const PASTE_LENGTH = 1000;

type Last = "kill" | "yank" | "other";

export class EditCommands {
  readonly marks = new Marks();
  readonly killRing = new KillRing();
  readonly #text: Document;
  #last: Last = "other";
  #yankedFrom: Place = START;

  constructor(text: Document) {
    this.#text = text;
  }

  /** Runs the action; returns false if it is not one of these. */
  run(action: string): boolean {
    const command = COMMANDS[action];
    if (command === undefined) return false;
    const before = this.#last;
    this.#last = "other";
    command(this, this.#text, before);
    return true;
  }

  /** Called after any other action: the next kill starts a new entry. */
  interrupt(): void {
    this.#last = "other";
  }

  type(text: string): void {
    this.#last = "other";
    this.#text.replace(this.#text.cursor, this.#text.cursor, withoutMarks(text), "type");
  }

  insert(text: string): void {
    this.#last = "other";
    this.#text.replace(this.#text.cursor, this.#text.cursor, withoutMarks(text));
  }

  /** A long paste becomes a mark; pasting the same text again right after its mark expands it. */
  paste(text: string): void {
    const clean = withoutMarks(text);
    const before = this.markBefore();
    if (before?.text === clean && before.kind === "paste") this.expand();
    else if (clean.length > PASTE_LENGTH || linesOf(clean) > PASTE_LINES) this.#insertMark(this.marks.addPaste(clean));
    else this.insert(clean);
  }

  addAttachment(label: string): Mark {
    const character = this.marks.addAttachment(label);
    this.#insertMark(character);
    return this.marks.at(character) as Mark;
  }

  /** Replaces the mark at or right before the cursor by the pasted text. */
  expand(): boolean {
    const { cursor } = this.#text;
    const next = this.#text.after(cursor);
    const [from, to] = this.#pasteBetween(cursor, next) ? [cursor, next] : [this.#text.before(cursor), cursor];
    const mark = this.#pasteBetween(from, to);
    if (mark !== undefined) this.#text.replace(from, to, mark.text);
    return mark !== undefined;
  }

  markBefore(): Mark | undefined {
    return this.marks.at(this.#text.textBetween(this.#text.before(this.#text.cursor), this.#text.cursor));
  }

  remove(from: Place, to: Place): void {
    this.#text.replace(from, to, "", "delete");
  }

  kill(from: Place, to: Place, previous: Last): void {
    const killed = this.#text.textBetween(from, to);
    if (previous === "kill") this.killRing.join(killed, isSame(to, this.#text.cursor) ? "before" : "after");
    else this.killRing.add(killed);
    this.#text.replace(from, to, "");
    this.#last = "kill";
  }

  yank(text: string | undefined): void {
    if (text === undefined) return;
    this.#yankedFrom = this.#text.cursor;
    this.#text.replace(this.#text.cursor, this.#text.cursor, text);
    this.#last = "yank";
  }

  yankPop(previous: Last): void {
    if (previous !== "yank") return;
    const text = this.killRing.rotate() ?? "";
    this.#text.replace(this.#yankedFrom, this.#text.cursor, text);
    this.#last = "yank";
  }

  #insertMark(character: string): void {
    this.#last = "other";
    this.#text.replace(this.#text.cursor, this.#text.cursor, character);
  }

  #pasteBetween(from: Place, to: Place): Mark | undefined {
    const cluster = this.#text.textBetween(from, to);
    const mark = isMark(cluster) ? this.marks.at(cluster) : undefined;
    return mark?.kind === "paste" ? mark : undefined;
  }
}

type Command = (commands: EditCommands, text: Document, previous: Last) => void;

const move =
  (target: (text: Document) => Place): Command =>
  (_, text) =>
    text.moveTo(target(text));

const lineEnd = (text: Document): Place => ({ ...text.cursor, offset: text.line(text.cursor.line).length });
const lineStart = (text: Document): Place => ({ ...text.cursor, offset: 0 });

const COMMANDS: Readonly<Record<string, Command>> = {
  "tui.editor.cursorLeft": move((text) => text.before(text.cursor)),
  "tui.editor.cursorRight": move((text) => text.after(text.cursor)),
  "tui.editor.cursorWordLeft": move((text) => wordStartBefore(text, text.cursor)),
  "tui.editor.cursorWordRight": move((text) => wordEndAfter(text, text.cursor)),
  "tui.editor.cursorLineStart": move(lineStart),
  "tui.editor.cursorLineEnd": move(lineEnd),
  "tui.editor.cursorTextStart": move(() => START),
  "tui.editor.cursorTextEnd": move((text) => text.end),
  "tui.editor.deleteCharBackward": (commands, text) => commands.remove(text.before(text.cursor), text.cursor),
  "tui.editor.deleteCharForward": (commands, text) => commands.remove(text.cursor, text.after(text.cursor)),
  "tui.editor.deleteWordBackward": (commands, text, previous) =>
    commands.kill(wordStartBefore(text, text.cursor), text.cursor, previous),
  "tui.editor.deleteWordForward": (commands, text, previous) =>
    commands.kill(text.cursor, wordEndAfter(text, text.cursor), previous),
  // At the end or start of the line, the line break is deleted.
  "tui.editor.deleteToLineStart": (commands, text, previous) =>
    commands.kill(text.cursor.offset === 0 ? text.before(text.cursor) : lineStart(text), text.cursor, previous),
  "tui.editor.deleteToLineEnd": (commands, text, previous) => {
    const end = lineEnd(text);
    commands.kill(text.cursor, isSame(end, text.cursor) ? text.after(text.cursor) : end, previous);
  },
  "tui.editor.yank": (commands) => commands.yank(commands.killRing.newest),
  "tui.editor.yankPop": (commands, _, previous) => commands.yankPop(previous),
  "tui.editor.undo": (_, text) => text.undo(),
  "tui.editor.redo": (_, text) => text.redo(),
  "tui.editor.expandMark": (commands) => commands.expand(),
};

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
