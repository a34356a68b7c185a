// Vim keys for the editor: normal, insert and visual mode with the usual motions, operators and counts.

import type { EditCommands } from "../document/commands.ts";
import type { Document } from "../document/document.ts";
import { isBefore, isSame, type Place } from "../document/place.ts";
import type { KeyPress } from "../keys/key.ts";
import {
  type CharacterSearch,
  changedWordEnd,
  firstSign,
  MOTION,
  MOTION_BEGUN,
  type Motion,
  motion,
} from "./vim-motions.ts";
import { VimOperators } from "./vim-operators.ts";
import { VimSearch } from "./vim-search.ts";

export type VimMode = "insert" | "normal" | "visual" | "visual line";
/**
 * "up" and "down" move by screen rows, which only the editor knows; "ignored" keys must not become text; undefined if
 * vim does not use the key.
 */
type Outcome = "handled" | "up" | "down" | "ignored" | undefined;

interface Parsed {
  readonly count: number | undefined;
  readonly operator: string;
  readonly rest: string;
}

const COMMAND = /^([1-9]\d*)?([dcy]?)([1-9]\d*)?(.*)$/su;
const COUNT_LIMIT = 9999;

export class VimKeys {
  #mode: VimMode = "insert";
  readonly #text: Document;
  readonly #operators: VimOperators;
  readonly #words = new VimSearch();
  #pending = "";
  #anchor: Place | undefined;
  #search: CharacterSearch | undefined;
  /** The keys of the last change and the text typed after them, for `.` to repeat. */
  #change = { keys: "", typed: "" };
  #insertedFrom: Place | undefined;

  constructor(text: Document, commands: EditCommands) {
    this.#text = text;
    this.#operators = new VimOperators(text, commands);
  }

  get mode(): VimMode {
    return this.#mode;
  }

  /** The current input of a search. */
  get searchedFor(): string | undefined {
    return this.#words.typed;
  }

  get selection(): readonly [Place, Place] | undefined {
    if (this.#anchor === undefined) return undefined;
    const { cursor } = this.#text;
    const [from, to] = isBefore(cursor, this.#anchor) ? [cursor, this.#anchor] : [this.#anchor, cursor];
    if (this.#mode === "visual line") {
      return [
        { line: from.line, offset: 0 },
        { line: to.line, offset: this.#text.line(to.line).length },
      ];
    }
    return [from, to.offset < this.#text.line(to.line).length ? this.#text.after(to) : to];
  }

  /** Back to insert mode, for a new text. */
  reset(): void {
    this.insertMode();
  }

  insertMode(): void {
    this.#mode = "insert";
    this.#anchor = undefined;
    this.#pending = "";
    this.#words.cancel();
  }

  handle(key: KeyPress): Outcome {
    if (this.#mode === "insert") {
      if (key.name !== "escape") return undefined;
      this.#leaveInsert();
      return "handled";
    }
    if (key.name === "escape") return this.#cancel();
    if (this.#words.typed !== undefined) {
      if (this.#words.press(key)) this.#toWords(true);
      return "handled";
    }
    if (key.ctrl || key.alt || key.meta || key.text === undefined) return undefined;
    this.#pending += key.text;
    const outcome = this.#mode === "normal" ? this.#normal() : this.#visual();
    if (outcome !== "begun") this.#pending = "";
    this.#stayOnText();
    return outcome === "begun" ? "handled" : outcome;
  }

  #cancel(): Outcome {
    const wasBusy = this.#pending !== "" || this.#anchor !== undefined || this.#words.typed !== undefined;
    this.#words.cancel();
    this.#pending = "";
    this.#anchor = undefined;
    this.#mode = "normal";
    return wasBusy ? "handled" : "ignored";
  }

  #toWords(isForward: boolean): void {
    const place = this.#words.find(this.#text, isForward);
    if (place !== undefined) this.#text.moveTo(place);
  }

  #leaveInsert(): void {
    if (this.#insertedFrom !== undefined) {
      this.#change = { ...this.#change, typed: this.#text.textBetween(this.#insertedFrom, this.#text.cursor) };
    }
    this.#insertedFrom = undefined;
    this.#mode = "normal";
    if (this.#text.cursor.offset > 0) this.#text.moveTo(this.#text.before(this.#text.cursor));
  }

  #normal(): Outcome | "begun" {
    const { count, operator, rest } = parseKeys(this.#pending);
    if (operator !== "") return this.#operator(operator, rest, count);
    if (rest === "" || MOTION_BEGUN.test(rest) || rest === "r") return "begun";
    if (rest === "j" || rest === "k") {
      if (count === undefined) return rest === "k" ? "up" : "down";
    }
    if (MOTION.test(rest)) return this.#moveBy(rest, count);
    return this.#command(rest, count);
  }

  #moveBy(keys: string, count: number | undefined): Outcome {
    const found = this.#motion(keys, count);
    if (found !== undefined) this.#text.moveTo(found.to);
    return "handled";
  }

  #motion(keys: string, count: number | undefined): Motion | undefined {
    if (/^[fFtT]./su.test(keys)) this.#search = { key: keys[0] ?? "", character: keys.slice(1) };
    return motion(this.#text, keys, count, this.#search);
  }

  #operator(operator: string, rest: string, count: number | undefined): Outcome | "begun" {
    if (rest === "" || MOTION_BEGUN.test(rest)) return "begun";
    const { cursor } = this.#text;
    const times = count ?? 1;
    if (rest === operator) this.#onLines(operator, cursor.line, cursor.line + times - 1);
    else if (!MOTION.test(rest)) return "ignored";
    else if (operator === "c" && rest === "w") this.#onRange(operator, cursor, changedWordEnd(this.#text, times));
    else {
      const found = this.#motion(rest, count);
      if (found === undefined) return "handled";
      const [from, to] = isBefore(found.to, cursor) ? [found.to, cursor] : [cursor, found.to];
      if (found.extent === "lines") this.#onLines(operator, from.line, to.line);
      else
        this.#onRange(
          operator,
          from,
          found.extent === "inclusive" ? this.#text.after(to) : withinLine(this.#text, from, to, rest),
        );
    }
    if (operator !== "y") this.#changedBy(this.#pending);
    return "handled";
  }

  #onRange(operator: string, from: Place, to: Place): void {
    this.#operators.range(operator, from, to);
    if (operator === "c") this.#beginInsert();
  }

  #onLines(operator: string, first: number, last: number): void {
    this.#operators.lines(operator, first, last);
    if (operator === "c") this.#beginInsert();
  }

  #command(keys: string, count: number | undefined): Outcome {
    const times = count ?? 1;
    const text = this.#text;
    const lineEnd: Place = { ...text.cursor, offset: text.line(text.cursor.line).length };
    const command = keys[0] ?? "";
    switch (command) {
      case "u":
        for (let step = 0; step < times; step++) text.undo();
        return "handled";
      case ".":
        this.#again();
        return "handled";
      case "/":
        this.#words.begin();
        return "handled";
      case "n":
      case "N":
        for (let step = 0; step < times; step++) this.#toWords(command === "n");
        return "handled";
      case "v":
      case "V":
        this.#mode = command === "v" ? "visual" : "visual line";
        this.#anchor = text.cursor;
        return "handled";
      case "x":
      case "s":
        this.#onRange(command === "x" ? "d" : "c", text.cursor, this.#motion("l", times)?.to ?? text.cursor);
        break;
      case "X":
        this.#onRange("d", this.#motion("h", times)?.to ?? text.cursor, text.cursor);
        break;
      case "D":
      case "C":
        this.#onRange(command.toLowerCase(), text.cursor, lineEnd);
        break;
      case "Y":
        this.#onLines("y", text.cursor.line, text.cursor.line + times - 1);
        return "handled";
      case "S":
        this.#onLines("c", text.cursor.line, text.cursor.line + times - 1);
        break;
      case "p":
      case "P":
        this.#operators.put(command === "p", times);
        break;
      case "r":
        this.#operators.replaceCharacter(keys.slice(1));
        break;
      case "J":
        this.#operators.join(lineEnd);
        break;
      default:
        if (!this.#insertCommand(command, lineEnd)) return "ignored";
    }
    this.#changedBy(this.#pending);
    return "handled";
  }

  #insertCommand(command: string, lineEnd: Place): boolean {
    const text = this.#text;
    const { cursor } = text;
    const places: Record<string, Place> = {
      i: cursor,
      a: cursor.offset < lineEnd.offset ? text.after(cursor) : cursor,
      I: { ...cursor, offset: firstSign(text.line(cursor.line)) },
      A: lineEnd,
      o: lineEnd,
      O: { ...cursor, offset: 0 },
    };
    const place = places[command];
    if (place === undefined) return false;
    text.moveTo(place);
    if (command === "o" || command === "O") text.replace(place, place, "\n");
    if (command === "O") text.moveTo(place);
    this.#beginInsert();
    return true;
  }

  #visual(): Outcome | "begun" {
    const { count, rest, operator } = parseKeys(this.#pending);
    const keys = operator + rest;
    if (keys === "" || MOTION_BEGUN.test(keys)) return "begun";
    if (MOTION.test(keys)) return this.#moveBy(keys, count);
    const selected = this.selection;
    if (selected === undefined || !/^[dxycsvV]$/.test(keys)) return "ignored";
    const isLines = this.#mode === "visual line";
    this.#anchor = undefined;
    this.#mode = "normal";
    if (keys === "v" || keys === "V") return "handled";
    const named = keys === "x" ? "d" : keys === "s" ? "c" : keys;
    if (isLines) this.#onLines(named, selected[0].line, selected[1].line);
    else this.#onRange(named, ...selected);
    return "handled";
  }

  #again(): void {
    const { keys, typed } = this.#change;
    if (keys === "") return;
    this.#text.together(() => {
      this.#pending = keys;
      this.#normal();
      if (this.#mode !== "insert") return;
      this.#text.replace(this.#text.cursor, this.#text.cursor, typed);
      this.#leaveInsert();
    });
    this.#change = { keys, typed };
  }

  #changedBy(keys: string): void {
    this.#change = { keys, typed: "" };
  }

  #beginInsert(): void {
    this.#mode = "insert";
    this.#insertedFrom = this.#text.cursor;
  }

  /** In normal mode, the cursor is on a character, not after the last one. */
  #stayOnText(): void {
    const { cursor } = this.#text;
    const { length } = this.#text.line(cursor.line);
    if (length > 0 && cursor.offset >= length && this.#mode === "normal") this.#text.moveTo(this.#text.before(cursor));
  }
}

function parseKeys(keys: string): Parsed {
  const [, first, operator = "", second, rest = ""] = COMMAND.exec(keys) ?? [];
  const count = first === undefined && second === undefined ? undefined : Number(first ?? 1) * Number(second ?? 1);
  return { count: count === undefined ? undefined : Math.min(count, COUNT_LIMIT), operator, rest };
}

/** `dw` on the last word of a line keeps the line break. */
function withinLine(text: Document, from: Place, to: Place, keys: string): Place {
  if (keys !== "w" || to.line === from.line || isSame(to, from)) return to;
  return { line: from.line, offset: text.line(from.line).length };
}
