// The meaning of one complete control sequence: a key, an answer of the terminal, or nothing we use.

import type { FocusChange, KeyPress, TerminalReply } from "./key.ts";
import { CODE_KEYS, CODE_TEXT, CONSOLE_KEYS, KEYPAD_TEXT, LETTER_KEYS, MODIFIER, TILDE_KEYS } from "./key-names.ts";

export type Decoded = KeyPress | FocusChange | TerminalReply;

export interface Modifiers {
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
  readonly meta?: boolean;
}

/** A sequence `CSI parameters intermediates final`. */
export interface ControlSequence {
  readonly parameters: string;
  readonly intermediates: string;
  readonly final: string;
}

export function press(name: string, modifiers: Modifiers = {}, text?: string): KeyPress {
  const { ctrl = false, alt = false, shift = false, meta = false } = modifiers;
  const types = text !== undefined && !ctrl && !alt && !meta;
  return { kind: "key", name, ctrl, alt, shift, meta, ...(types && { text }) };
}

/** A character typed without any key protocol: a capital is its letter with shift. */
export function typedKey(character: string, modifiers: Modifiers = {}): KeyPress {
  if (character === " ") return press("space", modifiers, " ");
  const small = character.toLowerCase();
  if (small === character || [...small].length > 1) return press(character, modifiers, character);
  return press(small, { ...modifiers, shift: true }, character);
}

/**
 * C0 controls and DEL. Ctrl+H and Backspace are the same byte in most terminals, so it deletes one character, never a
 * word.
 */
export function controlKey(code: number, modifiers: Modifiers = {}): KeyPress {
  if (code === 0x09) return press("tab", modifiers);
  if (code === 0x0d) return press("enter", modifiers);
  if (code === 0x1b) return press("escape", modifiers);
  if (code === 0x7f || code === 0x08) return press("backspace", modifiers);
  if (code === 0) return press("space", { ...modifiers, ctrl: true });
  return press(String.fromCharCode(code + 0x40).toLowerCase(), { ...modifiers, ctrl: true });
}

/** `ESC O digits letter`. */
export function applicationKey(digits: string, letter: string): KeyPress | undefined {
  const modifiers = modifiersOf(digits === "" ? 1 : Number(digits));
  if (letter === "M") return press("enter", modifiers);
  if (letter === "I") return press("tab", modifiers);
  const arrow = "abcd".includes(letter) ? LETTER_KEYS[letter.toUpperCase()] : undefined; // rxvt
  if (arrow !== undefined) return press(arrow, { ...modifiers, ctrl: true });
  const name = LETTER_KEYS[letter];
  if (name !== undefined) return press(name, modifiers);
  const sign = KEYPAD_TEXT[letter];
  return sign === undefined ? undefined : typedKey(sign, modifiers);
}

export const consoleKey = (letter: string): KeyPress | undefined => {
  const name = CONSOLE_KEYS[letter];
  return name === undefined ? undefined : press(name);
};

export function controlSequence({ parameters, intermediates, final }: ControlSequence): Decoded | undefined {
  const mark = /^[<=>?]/.exec(parameters)?.[0] ?? "";
  const fields = parameters
    .slice(mark.length)
    .split(";")
    .map((field) => field.split(":").map(Number));
  const values = fields.map(([first = 0]) => first);
  if (intermediates === "$" && final === "y") return { kind: "mode", mode: values[0] ?? 0, state: values[1] ?? 0 };
  if (intermediates !== "" || mark === "<" || mark === ">" || mark === "=") return undefined;
  if (mark === "?") return terminalReply(values, final);
  if (final === "u") return codeKey(fields);
  if (final === "~") return tildeKey(fields);
  if (final === "Z") return press("tab", { ...modifiersOf(values[1] ?? 1), shift: true });
  if (final === "I" && parameters === "") return { kind: "focus", focused: true };
  if (final === "O" && parameters === "") return { kind: "focus", focused: false };
  if (final === "R" && isCursorReport(values)) return cursorReport(values);
  if (final === "t") return windowReport(values);
  if (final === "^" || final === "@" || final === "$") {
    const name = TILDE_KEYS[values[0] ?? 0];
    return name === undefined ? undefined : press(name, { ctrl: final !== "$", shift: final !== "^" });
  }
  if ("abcd".includes(final) && parameters === "")
    return press(LETTER_KEYS[final.toUpperCase()] ?? "", { shift: true });
  const name = LETTER_KEYS[final];
  return name === undefined || isRelease(fields[1]) ? undefined : press(name, modifiersOf(values[1] ?? 1));
}

/** The text between `OSC` and its end. */
export function systemCommand(text: string): TerminalReply | undefined {
  const colour = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(text);
  if (colour === null) return undefined;
  const [red, green, blue] = colour.slice(1).map(channel) as [number, number, number];
  return { kind: "background", red, green, blue };
}

/** The text between `DCS` and its end. */
export function deviceControl(text: string): TerminalReply | undefined {
  return text.startsWith(">|") ? { kind: "name", text: text.slice(2) } : undefined;
}

/** The text between `APC` and its end. */
export const applicationCommand = (text: string): TerminalReply | undefined =>
  /^G.*;OK$/.test(text) ? { kind: "graphics" } : undefined;

/** `CSI 6 ; height ; width t`: the pixels of a cell; `CSI 8 ; rows ; columns t`: the size of the window. */
function windowReport([which, height = 0, width = 0]: readonly number[]): TerminalReply | undefined {
  if (width <= 0 || height <= 0) return undefined;
  if (which === 8) return { kind: "size", values: [height, width] };
  return which === 6 ? { kind: "cell", width, height } : undefined;
}

function terminalReply(values: readonly number[], final: string): TerminalReply | undefined {
  if (final === "u") return { kind: "keyboard", flags: values[0] ?? 0 };
  if (final === "c") return { kind: "attributes", values };
  if (final === "R") return cursorReport(values);
  if (final === "n" && values[0] === 997) return { kind: "appearance", dark: values[1] === 1 };
  return undefined;
}

const cursorReport = ([row = 1, column = 1]: readonly number[]): TerminalReply => ({ kind: "cursor", row, column });

/**
 * `CSI 1;2R` … `CSI 1;8R` may also be F3 with modifiers. We ask for the cursor with `CSI ? 6 n`, whose answer is
 * unambiguous.
 */
const isCursorReport = ([row, column = 0]: readonly number[]): boolean =>
  row !== undefined && column > 0 && !(row === 1 && column >= 2 && column <= 8);

/** `CSI code:shifted:base ; modifiers:event ; text u`. */
function codeKey(fields: readonly (readonly number[])[]): KeyPress | undefined {
  const [[code = 0, shifted = 0, base = 0] = [], [modifierField = 1] = [], associated = []] = fields;
  if (isRelease(fields[1])) return undefined;
  return keyOfCode(code, modifierField, { shifted, base, text: associated.filter((value) => value >= 32) });
}

function tildeKey(fields: readonly (readonly number[])[]): KeyPress | undefined {
  if (isRelease(fields[1])) return undefined;
  const [number = 0, modifierField = 1, code = 0] = fields.map(([first = 0]) => first);
  if (number === 27 && fields.length === 3) return keyOfCode(code, modifierField, { shifted: 0, base: 0, text: [] });
  const name = TILDE_KEYS[number];
  return name === undefined ? undefined : press(name, modifiersOf(modifierField));
}

interface Alternates {
  readonly shifted: number;
  /** The key in this position on a US keyboard, for chords on a non-Latin layout. */
  readonly base: number;
  readonly text: readonly number[];
}

function keyOfCode(code: number, modifierField: number, { shifted, base, text }: Alternates): KeyPress | undefined {
  const modifiers = modifiersOf(modifierField);
  const named = CODE_KEYS[code];
  if (named !== undefined) return press(named, modifiers, named === "space" ? " " : undefined);
  const keypad = CODE_TEXT[code];
  if (keypad !== undefined) return typedKey(keypad, modifiers);
  if (!isCharacter(code)) return undefined;
  const chorded = modifiers.ctrl || modifiers.alt || modifiers.meta;
  const character = String.fromCodePoint(chorded && code > 0x7f && isCharacter(base) ? base : code);
  const name = character.toLowerCase();
  const capital = (modifierField - 1) & MODIFIER.capsLock ? !modifiers.shift : modifiers.shift || name !== character;
  const own = text.length > 0 ? String.fromCodePoint(...text.filter(isCharacter)) : undefined;
  const written = own ?? (shifted > 0 && modifiers.shift ? String.fromCodePoint(shifted) : undefined);
  return press(
    name,
    { ...modifiers, shift: modifiers.shift || name !== character },
    written ?? (capital ? character.toUpperCase() : character),
  );
}

const isCharacter = (code: number): boolean =>
  code >= 0x20 && code <= 0x10ffff && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code < 0xf900);

const isRelease = (field: readonly number[] | undefined): boolean => field?.[1] === 3;

function modifiersOf(field: number): Required<Modifiers> {
  const bits = Math.max(0, field - 1);
  return {
    shift: (bits & MODIFIER.shift) !== 0,
    alt: (bits & MODIFIER.alt) !== 0,
    ctrl: (bits & MODIFIER.ctrl) !== 0,
    meta: (bits & (MODIFIER.super | MODIFIER.hyper | MODIFIER.meta)) !== 0,
  };
}

/** One to four hexadecimal digits as 0 … 255. */
const channel = (digits: string): number => Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
