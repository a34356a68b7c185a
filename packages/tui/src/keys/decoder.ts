// Decodes terminal input, in pieces of any size, to keys, pastes and answers of the terminal. A partial sequence waits
// for its rest; an invalid one is dropped, so that it neither blocks the next key nor ends up in the user's text.

import type { Key, TerminalReply } from "./key.ts";
import {
  applicationCommand,
  applicationKey,
  consoleKey,
  controlKey,
  controlSequence,
  deviceControl,
  press,
  systemCommand,
  typedKey,
} from "./sequences.ts";

type Item = Key | TerminalReply;
/** What one sequence gave, and where it ended; "incomplete" if its rest has not arrived. */
type Step = { readonly items: readonly Item[]; readonly end: number } | "incomplete";

const ESC = "\x1b";
const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** A burst is text faster than typing: this many characters at once, or more text after a line break. */
const BURST_LENGTH = 256;
const BURST_LINES_LENGTH = 16;
const LINE_WITHIN = /[\r\n][^\r\n]/;
const PLAIN = /[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+/y;
const LONE_SURROGATE = /^\p{Cs}/u;
const CSI = /\x1b\[([0-?]*)([ -/]*)([@-~])?/y;
const RXVT_SHIFT = /\x1b\[\d+\$/y;
const APPLICATION = /\x1bO(\d?)([A-Za-z])?/y;
const STRING = /\x1b[\]PX^_]([^\x00-\x1f\x7f\x9c]*)(\x1b\\|\x07|\x9c)?/y;
/** No answer is longer; a longer one has lost its end. */
const SEQUENCE_LIMIT = 4096;

/** How long to wait before `flush`: for the rest of an escape sequence, a burst, or a paste. */
const ESCAPE_MS = 30;
const SEQUENCE_MS = 150;
const PASTE_MS = 2000;

export class KeyDecoder {
  #rest = "";
  #burst: string[] = [];
  #paste: string[] | undefined;

  /** Whether incomplete input is waiting: call `flush` if nothing arrives within `patienceMs`. */
  get isPending(): boolean {
    return this.#rest !== "" || this.#burst.length > 0 || this.#paste !== undefined;
  }

  get patienceMs(): number {
    if (this.#paste !== undefined) return PASTE_MS;
    return this.#rest.length > 2 || this.#burst.length > 0 ? SEQUENCE_MS : ESCAPE_MS;
  }

  feed(text: string): Item[] {
    const items: Item[] = [];
    let input = this.#rest + text;
    this.#rest = "";
    let at = 0;
    while (at < input.length) {
      if (this.#paste !== undefined) {
        input = this.#continuePaste(input.slice(at), items);
        at = 0;
        continue;
      }
      const plain = matchAt(PLAIN, input, at)?.[0];
      if (plain !== undefined) {
        at += plain.length;
        if (at === input.length && isHighSurrogate(plain.charCodeAt(plain.length - 1))) {
          this.#rest = plain.slice(-1);
          this.#plain(plain.slice(0, -1), items);
        } else this.#plain(plain, items);
        continue;
      }
      if (input.startsWith(PASTE_BEGIN, at)) {
        items.push(...this.#endBurst());
        this.#paste = [];
        at += PASTE_BEGIN.length;
        continue;
      }
      const step = sequence(input, at);
      if (step === "incomplete") {
        this.#rest = keepStart(input.slice(at));
        break;
      }
      items.push(...this.#endBurst(), ...step.items);
      at = step.end;
    }
    return items;
  }

  /** Nothing more arrived: a lone ESC was the Escape key, an open paste is complete, a partial sequence is garbage. */
  flush(): Key[] {
    const rest = this.#rest;
    this.#rest = "";
    if (this.#paste !== undefined) {
      const text = this.#paste.join("") + rest;
      this.#paste = undefined;
      return [pasteKey(text)];
    }
    return [...this.#endBurst(), ...keysOfRest(rest)];
  }

  #plain(text: string, items: Item[]): void {
    if (text === "") return;
    if (this.#burst.length > 0 || isBurst(text)) this.#burst.push(text);
    else for (const character of text) if (!LONE_SURROGATE.test(character)) items.push(characterKey(character));
  }

  #endBurst(): Key[] {
    if (this.#burst.length === 0) return [];
    const text = this.#burst.join("");
    this.#burst = [];
    return [pasteKey(text)];
  }

  /** Takes the part of the input that belongs to the paste; returns the rest. */
  #continuePaste(input: string, items: Item[]): string {
    const end = input.indexOf(PASTE_END);
    if (end >= 0) {
      items.push(pasteKey([...(this.#paste ?? []), input.slice(0, end)].join("")));
      this.#paste = undefined;
      return input.slice(end + PASTE_END.length);
    }
    const tail = partOfEnd(input);
    this.#paste?.push(input.slice(0, input.length - tail));
    this.#rest = input.slice(input.length - tail);
    return "";
  }
}

/** Decodes the sequence that begins with a control character at `at`. */
function sequence(input: string, at: number): Step {
  const code = input.charCodeAt(at);
  if (code !== 0x1b) return one(code < 0x80 ? controlKey(code) : undefined, at + 1);
  const next = input[at + 1];
  if (next === undefined) return "incomplete";
  if (next === "[") return bracketSequence(input, at);
  if (next === "O") {
    const found = matchAt(APPLICATION, input, at);
    if (found?.[2] !== undefined) return one(applicationKey(found[1] ?? "", found[2]), at + found[0].length);
    if (found !== undefined && at + found[0].length === input.length) return "incomplete";
    return one(press("o", { alt: true, shift: true }), at + 2);
  }
  if ("]PX^_".includes(next)) return stringSequence(input, at, next);
  if (next === ESC) return escapeTwice(input, at);
  const nextCode = input.codePointAt(at + 1) ?? 0;
  if (isHighSurrogate(nextCode) && at + 2 === input.length) return "incomplete";
  if (nextCode < 0x20 || nextCode === 0x7f) return one(controlKey(nextCode, { alt: true }), at + 2);
  const character = String.fromCodePoint(nextCode);
  const isGarbage = (nextCode >= 0x80 && nextCode < 0xa0) || LONE_SURROGATE.test(character);
  return one(isGarbage ? undefined : typedKey(character, { alt: true }), at + 1 + character.length);
}

function bracketSequence(input: string, at: number): Step {
  if (input[at + 2] === "[") {
    const letter = input[at + 3];
    return letter === undefined ? "incomplete" : one(consoleKey(letter), at + (letter < " " ? 3 : 4));
  }
  if (input[at + 2] === "M") return input.length < at + 6 ? "incomplete" : one(undefined, at + 6); // a click as three bytes
  const rxvt = matchAt(RXVT_SHIFT, input, at)?.[0];
  if (rxvt !== undefined) {
    return one(controlSequence({ parameters: rxvt.slice(2, -1), intermediates: "", final: "$" }), at + rxvt.length);
  }
  const [whole = "", parameters = "", intermediates = "", final] = matchAt(CSI, input, at) ?? [];
  const end = at + whole.length;
  if (final !== undefined) return one(controlSequence({ parameters, intermediates, final }), end);
  return end === input.length ? "incomplete" : one(undefined, end);
}

/** Readers of string sequences by introducer; other strings are ignored. */
const STRINGS: Readonly<Record<string, (text: string) => TerminalReply | undefined>> = {
  "]": systemCommand,
  P: deviceControl,
  _: applicationCommand,
};

/**
 * OSC, DCS, SOS, PM and APC: text up to a terminator. Any other control character ends it early and is read by itself.
 */
function stringSequence(input: string, at: number, introducer: string): Step {
  const [whole = "", text = "", terminator] = matchAt(STRING, input, at) ?? [];
  const end = at + whole.length;
  if (terminator === undefined) {
    const rest = input.slice(end);
    return rest === "" || rest === ESC ? "incomplete" : one(undefined, end);
  }
  return one(STRINGS[introducer]?.(text), end);
}

/**
 * ESC before a key's sequence means Alt; before an answer of the terminal it is the Escape key; two alone are two
 * presses.
 */
function escapeTwice(input: string, at: number): Step {
  const third = input[at + 2];
  if (third === undefined) return "incomplete";
  if (third !== "[" && third !== "O") return one(press("escape"), at + 1);
  if (input.startsWith(PASTE_BEGIN, at + 1)) return one(press("escape"), at + 1);
  const inner = sequence(input, at + 1);
  if (inner === "incomplete") return inner;
  const items = inner.items.flatMap((item) =>
    item.kind === "key" ? [press(item.name, { ...item, alt: true })] : [press("escape"), item],
  );
  return { items, end: inner.end };
}

/** The keys of an incomplete sequence. */
function keysOfRest(rest: string): Key[] {
  if (rest === ESC) return [press("escape")];
  if (rest === ESC + ESC) return [press("escape"), press("escape")];
  if (LONE_SURROGATE.test(rest.slice(1))) return [];
  if (rest.length === 2 && rest[0] === ESC) return [typedKey(rest[1] ?? "", { alt: true })];
  if (rest.length === 3 && rest.startsWith(ESC + ESC)) return [press("escape"), typedKey(rest[2] ?? "", { alt: true })];
  return [];
}

function characterKey(character: string): Key {
  const code = character.charCodeAt(0);
  return code < 0x20 ? controlKey(code) : typedKey(character);
}

const isBurst = (text: string): boolean =>
  text.length >= BURST_LENGTH || (text.length >= BURST_LINES_LENGTH && LINE_WITHIN.test(text));

/** Normalizes line breaks to `\n`, including those that tmux sends as keys (Ctrl+J, Enter). */
const pasteKey = (text: string): Key => ({
  kind: "paste",
  text: text.replace(/\x1b\[(?:106;5u|27;5;106~|13u)/g, "\n").replace(/\r\n?/g, "\n"),
});

/** Keeps the start of an endless sequence, so that the rest is still recognized as garbage. */
const keepStart = (rest: string): string => (rest.length <= SEQUENCE_LIMIT ? rest : rest.slice(0, 2));

/** How many characters at the end may be the start of the paste's end marker. */
function partOfEnd(input: string): number {
  for (let length = Math.min(PASTE_END.length - 1, input.length); length > 0; length--) {
    if (input.endsWith(PASTE_END.slice(0, length))) return length;
  }
  return 0;
}

const one = (item: Item | undefined, end: number): Step => ({ items: item === undefined ? [] : [item], end });
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
