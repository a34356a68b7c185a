// Encodes a decoded key for a program that runs in a terminal of ours: the bytes that xterm sends, whatever protocol
// our own terminal uses.

import type { Key, KeyPress } from "./key.ts";

/** Modes that the program has set. */
export interface KeyModes {
  readonly applicationCursorKeys?: boolean | undefined;
  readonly bracketedPaste?: boolean | undefined;
}

const PLAIN: Readonly<Record<string, string>> = {
  enter: "\r",
  tab: "\t",
  escape: "\x1b",
  backspace: "\x7f",
  space: " ",
};
const LETTERS: Readonly<Record<string, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  home: "H",
  end: "F",
  f1: "P",
  f2: "Q",
  f3: "R",
  f4: "S",
};
const NUMBERS: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageUp: 5,
  pageDown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** Empty for keys that xterm does not have. */
export function keyBytes(key: Key, modes: KeyModes = {}): string {
  if (key.kind === "focus") return "";
  if (key.kind === "paste") {
    const text = key.text.replaceAll("\n", "\r");
    // An end marker inside the paste would let the rest be read as typed keys.
    return modes.bracketedPaste ? `\x1b[200~${text.replaceAll("\x1b[201~", "")}\x1b[201~` : text;
  }
  return pressBytes(key, modes);
}

function pressBytes(key: KeyPress, { applicationCursorKeys = false }: KeyModes): string {
  const { name, ctrl, alt, shift, text } = key;
  const modifier = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  const letter = LETTERS[name];
  if (letter !== undefined) {
    if (modifier > 1) return `\x1b[1;${modifier}${letter}`;
    return (applicationCursorKeys || /[PQRS]/.test(letter) ? "\x1bO" : "\x1b[") + letter;
  }
  const number = NUMBERS[name];
  if (number !== undefined) return modifier > 1 ? `\x1b[${number};${modifier}~` : `\x1b[${number}~`;
  if (name === "tab" && shift) return "\x1b[Z";
  const plain = text ?? PLAIN[name] ?? (name.length === 1 ? (shift ? name.toUpperCase() : name) : "");
  if (plain === "") return "";
  return (alt ? "\x1b" : "") + (ctrl ? controlOf(name === "space" ? " " : plain) : plain);
}

/** Ctrl with a letter is the letter's number; with other characters, what keyboards have always sent. */
function controlOf(text: string): string {
  const code = text.toUpperCase().charCodeAt(0);
  if (text === " " || text === "2") return "\0";
  if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code - 0x40);
  if (text === "/" || text === "-") return "\x1f";
  return text;
}
