// Finds calls in a text as it arrives. Passes on the text around them and holds back what might be a call until that is
// certain. A quoted call must not run, so the rules are narrow: a call tag counts if it begins a line or follows a
// sentence and nothing follows it on its line, outside of code and thinking; or, at the very end of an answer, JSON or
// a function call that fits an offered tool.

import { fits, functionCalls, likelyName, type Offered, readCalls, type WrittenCall } from "./call-forms.ts";
import { type CallTag, LONGEST, openerAt, TRIGGER } from "./call-tags.ts";

/** A piece of an answer, in order. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: WrittenCall };

/** How much of a line we remember. */
const MOST_SEEN = 4_000;
const MARK = /[<`{[]/;
/** We try each closing tag, but only so many: a text may contain thousands inside one string. */
const MOST_TRIES = 24;
/** How many characters before a call at the end of an answer we search for words that mark it as an example. */
const SAID_BEFORE = 240;
const EXAMPLE = /\b(examples?|e\.g\.|for instance|would (look|be)|looks? like|format|syntax|template)\b/i;
/** How a JSON object that is a call begins. */
const CALL_JSON = /^\[?\s*\{\s*["'](?:name|function|tool|tool_name|action|type|id)["']\s*:/;
const MAYBE_CALL_JSON = /^\[?\s*(?:\{\s*(?:["'](?:\w{0,9}(?:["']\s*)?)?)?)?$/;
/** Models may go on and invent the tool's response. */
const INVENTED = "<tool_response";
const FENCE = /^```[\w+-]{0,20}[ \t]*\n/;
const MAYBE_FENCE = /^```[\w+-]{0,20}[ \t]*$/;

interface Tagged {
  readonly tag: CallTag;
  /** Where we looked for a closing tag last, and how often one did not end the call. */
  from: number;
  tries: number;
}

export class CallScanner {
  readonly #tools: readonly Offered[];
  /** Text that is not decided yet. */
  #rest = "";
  /** The end of the text passed on since the last call. */
  #seen = "";
  /** True once anything but space has been passed on. */
  #begun = false;
  #hasCall = false;
  /**
   * What ends the fence or thinking that we are in; `invented`: results that the model made up, which go on to the end.
   */
  #inside: "```" | "</think>" | "invented" | undefined;
  #tagged: Tagged | undefined;
  /** True if `#rest` must be judged at the end of the answer. */
  #atEnd = false;
  #pieces: Piece[] = [];

  constructor(tools: readonly Offered[]) {
    this.#tools = tools;
  }

  /**
   * True if the delta is plain text and nothing is held back, which is the case for most of an answer. If false, push
   * it.
   */
  passes(delta: string): boolean {
    if (!this.#isPlain || MARK.test(delta)) return false;
    this.#see(delta);
    return true;
  }

  push(delta: string): readonly Piece[] {
    if (this.passes(delta)) return [{ kind: "text", text: delta }];
    this.#rest += delta;
    return this.#drain(false);
  }

  end(): readonly Piece[] {
    return this.#drain(true);
  }

  get #isPlain(): boolean {
    return this.#rest === "" && this.#begun && !this.#inside && !this.#tagged && !this.#atEnd;
  }

  /** The current line, as far as it was passed on. */
  get #line(): string {
    return this.#seen.slice(this.#seen.lastIndexOf("\n") + 1);
  }

  #see(text: string): void {
    this.#seen += text;
    if (this.#seen.length > 2 * MOST_SEEN) this.#seen = this.#seen.slice(-MOST_SEEN);
  }

  #drain(ended: boolean): readonly Piece[] {
    while (this.#rest !== "" && this.#step(ended));
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Returns false if nothing more can be decided now. */
  #step(ended: boolean): boolean {
    if (this.#inside === "invented") return this.#dropAll();
    if (this.#tagged) return this.#readTagged(this.#tagged, ended);
    if (this.#atEnd) return this.#readFinal(ended);
    if (this.#inside) return this.#passInside(this.#inside, ended);
    return this.#passText(ended);
  }

  #passText(ended: boolean): boolean {
    TRIGGER.lastIndex = 0;
    const at = this.#begun ? (TRIGGER.exec(this.#rest)?.index ?? -1) : this.#rest.search(/\S/);
    if (at < 0) {
      this.#pass(this.#rest.length);
      return false;
    }
    this.#pass(at);
    const decided = this.#begin(ended);
    if (decided === "more") return ended && this.#pass(1);
    return decided === "begun" || this.#pass(1);
  }

  /** Whether something begins with the first character of `#rest`. */
  #begin(ended: boolean): "begun" | "text" | "more" {
    const rest = this.#rest;
    const beginsLine = this.#line.trim() === "";
    if (rest.startsWith("`")) return this.#beginCode(ended, beginsLine);
    if (rest[0] === "{" || rest[0] === "[") {
      const opener = openerAt(rest, this.#tools);
      if (opener === "maybe" && !ended) return "more";
      if (opener && opener !== "maybe") return this.#beginTag(opener);
      if (!beginsLine) return "text";
      if (CALL_JSON.test(rest)) return this.#hold();
      if (MAYBE_CALL_JSON.test(rest) && !ended) return "more";
      return this.#beginFunctionCall(ended);
    }
    if (rest[0] !== "<") return this.#beginFunctionCall(ended);
    if (rest.startsWith("<think>")) return this.#enter("</think>");
    if ("<think>".startsWith(rest) && !ended) return "more";
    if (this.#hasCall && beginsLine) {
      if (INVENTED.startsWith(rest) && !ended) return "more";
      if (rest.startsWith(INVENTED)) {
        this.#inside = "invented";
        return "begun";
      }
    }
    const opener = openerAt(rest, this.#tools);
    if (opener === "maybe") return ended ? "text" : "more";
    return opener ? this.#beginTag(opener) : "text";
  }

  #beginTag(opener: { readonly tag: CallTag; readonly length: number }): "begun" | "text" {
    const said = this.#line.trimEnd();
    const quoted = (this.#line.split("`").length - 1) % 2 === 1;
    if (!opener.tag.isControl && (quoted || !(said === "" || /[.!?>]$/.test(said)))) return "text";
    this.#tagged = { tag: opener.tag, from: opener.length, tries: 0 };
    return "begun";
  }

  /** Only if the answer contains nothing else: after other text it may be a line of code. */
  #beginFunctionCall(ended: boolean): "begun" | "text" | "more" {
    if (this.#begun) return "text";
    const called = this.#calledTool(this.#rest);
    if (called === "yes") return this.#hold();
    return called === "maybe" && !ended ? "more" : "text";
  }

  /** A block of code, or text in backquotes. */
  #beginCode(ended: boolean, beginsLine: boolean): "begun" | "text" | "more" {
    const rest = this.#rest;
    if (!beginsLine) return "text";
    if (!ended && ("```".startsWith(rest) || MAYBE_FENCE.test(rest))) return "more";
    const head = FENCE.exec(rest)?.[0];
    if (head === undefined) return rest.startsWith("```") ? this.#enter("```", 3) : "text";
    const inside = rest.slice(head.length).trimStart();
    const opener = openerAt(inside, this.#tools);
    const called = this.#calledTool(inside);
    if (CALL_JSON.test(inside) || called === "yes" || (opener && opener !== "maybe")) return this.#hold();
    const may = inside === "" || opener === "maybe" || called === "maybe" || MAYBE_CALL_JSON.test(inside);
    return may && !ended ? "more" : this.#enter("```", head.length);
  }

  /** Whether a text begins with `tool(`, or may once more of it has arrived. */
  #calledTool(text: string): "yes" | "maybe" | "no" {
    const [head, name] = /^\[?\s*([A-Za-z_][\w.]*)?/.exec(text)!;
    const after = text.slice(head.length).trimStart();
    const names = this.#tools.map((tool) => tool.name);
    if (after.startsWith("(")) return name !== undefined && names.includes(name) ? "yes" : "no";
    const may = name === undefined ? /^\[?\s*$/.test(text) : names.some((one) => one.startsWith(name));
    return may && after === "" ? "maybe" : "no";
  }

  #hold(): "begun" {
    this.#atEnd = true;
    return "begun";
  }

  #enter(end: "```" | "</think>", length = 7): "begun" {
    this.#pass(length);
    this.#inside = end;
    return "begun";
  }

  /** Drops the tool's response that the model invented. */
  #dropAll(): false {
    this.#rest = "";
    return false;
  }

  #passInside(end: "```" | "</think>", ended: boolean): boolean {
    const found = end === "```" ? endOfFence(this.#line, this.#rest) : this.#rest.indexOf(end);
    if (found >= 0) {
      this.#pass(found + end.length);
      this.#inside = undefined;
      return true;
    }
    // Only a part of the end may have arrived.
    const safe = ended ? this.#rest.length : Math.max(0, this.#rest.length - end.length + 1);
    if (safe > 0) this.#pass(safe);
    return false;
  }

  /** Checks whether the call ends at one of the closing tags that have arrived. */
  #readTagged(state: Tagged, ended: boolean): boolean {
    const { tag } = state;
    const rest = this.#rest;
    const start = tag.keepsTag ? 0 : tag.open.exec(rest)![0].length;
    while (state.tries < MOST_TRIES) {
      const close = nextClose(rest, tag, state.from);
      if (!close) break;
      const { at, end } = close;
      const behind = lineBehind(rest, end);
      if (behind === "more" && !ended) return false;
      const calls = behind === "text" ? undefined : readCalls(rest.slice(start, tag.keepsTag ? end : at), this.#tools);
      if (calls) return this.#take(calls, end);
      state.from = end;
      state.tries++;
    }
    if (!ended) {
      state.from = Math.max(state.from, rest.length - LONGEST);
      return false;
    }
    return this.#endTagged(tag, start);
  }

  /** The answer is over, and no closing tag has ended the call. */
  #endTagged(tag: CallTag, start: number): boolean {
    const close = nextClose(this.#rest, tag, start);
    const whole = this.#rest.slice(start);
    const body = close && lineBehind(this.#rest, close.end) !== "text" ? this.#rest.slice(start, close.at) : whole;
    const calls = close ? undefined : readCalls(whole, this.#tools);
    if (calls) return this.#take(calls, this.#rest.length);
    this.#tagged = undefined;
    // A word in angle brackets is no call, and neither is a sentence about one.
    const isQuoted = close !== undefined && lineBehind(this.#rest, close.end) === "text";
    if (tag.isToolName || isQuoted || !/[{(<=]/.test(body)) return this.#pass(1);
    const raw = body.trim();
    this.#tagged = undefined;
    this.#pieces.push({ kind: "call", call: { name: likelyName(raw, this.#tools), raw } });
    return this.#drop(close ? close.end : this.#rest.length);
  }

  #take(calls: readonly WrittenCall[], end: number): boolean {
    this.#tagged = undefined;
    for (const call of calls) this.#pieces.push({ kind: "call", call });
    return this.#drop(end);
  }

  /** Drops the text of the call and the space behind it; the next call may begin at once. */
  #drop(end: number): true {
    this.#rest = this.#rest.slice(end);
    this.#seen = "";
    this.#begun = true;
    this.#hasCall = true;
    return true;
  }

  #readFinal(ended: boolean): boolean {
    if (!ended) {
      if (!this.#rest.startsWith("```")) return false;
      const close = endOfFence("", this.#rest.slice(3));
      const behind = close < 0 ? "" : this.#rest.slice(close + 6).trimStart();
      // If text follows the block, it was shown, not called.
      if (behind === "" || "`{[<".includes(behind[0]!)) return false;
      this.#atEnd = false;
      return this.#enterFence();
    }
    this.#atEnd = false;
    const calls = this.#finalCalls();
    if (!calls) return this.#rest.startsWith("```") ? this.#enterFence() : this.#pass(1);
    return this.#take(calls, this.#rest.length);
  }

  #enterFence(): boolean {
    return this.#enter("```", 3) === "begun";
  }

  #finalCalls(): readonly WrittenCall[] | undefined {
    if (EXAMPLE.test(this.#seen.slice(-SAID_BEFORE))) return undefined;
    const calls: WrittenCall[] = [];
    for (let rest = this.#rest.trim(); rest !== ""; ) {
      const block = /^```[\w+-]*[ \t]*\n([\s\S]*?)\n[ \t]*```\s*/.exec(rest);
      const body = block ? block[1]! : rest;
      const found = readCalls(body, this.#tools) ?? functionCalls(body.trim());
      if (!found?.every((call) => fits(call, this.#tools))) return undefined;
      calls.push(...found);
      rest = block ? rest.slice(block[0].length) : "";
    }
    return calls.length === 0 ? undefined : calls;
  }

  /** Passes on this many characters. */
  #pass(count: number): true {
    if (count <= 0) return true;
    const text = this.#rest.slice(0, count);
    this.#rest = this.#rest.slice(count);
    this.#see(text);
    this.#begun ||= text.trim() !== "";
    const last = this.#pieces.at(-1);
    if (last?.kind === "text") this.#pieces[this.#pieces.length - 1] = { kind: "text", text: last.text + text };
    else this.#pieces.push({ kind: "text", text });
    return true;
  }
}

/** The end of three backquotes that begin a line; `line` is the part of the line that was passed on. */
function endOfFence(line: string, text: string): number {
  if (line.trim() === "" && /^[ \t]*```/.test(text)) return text.indexOf("```");
  const found = /\n[ \t]*```/.exec(text);
  return found ? found.index + found[0].length - 3 : -1;
}

interface Close {
  readonly at: number;
  readonly end: number;
}

function nextClose(text: string, { close }: CallTag, from: number): Close | undefined {
  close.lastIndex = from;
  const found = close.exec(text);
  return found ? { at: found.index, end: found.index + found[0].length } : undefined;
}

/** What follows on the line: nothing or another tag, text, or not arrived yet. */
function lineBehind(text: string, end: number): "free" | "text" | "more" {
  const next = /^[ \t]*([^ \t])/.exec(text.slice(end, end + 200))?.[1];
  if (next === undefined) return text.length - end > 200 ? "text" : "more";
  return "\n\r<[`".includes(next) ? "free" : "text";
}
