// Numbers and letters of keys in terminal sequences: xterm, rxvt, the Linux console, and the kitty keyboard protocol.

/** `CSI n ~`, also rxvt's `CSI n ^`, `CSI n $` and `CSI n @`. */
export const TILDE_KEYS: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageUp",
  6: "pageDown",
  7: "home",
  8: "end",
  ...functionKeys([11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34]),
};

/** `CSI A`, `CSI 1;5A` and, in application cursor mode, `SS3 A`. */
export const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

/** `CSI [ A` … `E`: the first function keys of the Linux console. */
export const CONSOLE_KEYS: Readonly<Record<string, string>> = { A: "f1", B: "f2", C: "f3", D: "f4", E: "f5" };

/** `SS3 j` … `y`: the keypad in application mode types its labels. */
export const KEYPAD_TEXT: Readonly<Record<string, string>> = Object.fromEntries([
  ...Array.from("*+,-./0123456789", (sign, index) => [String.fromCharCode(0x6a + index), sign]),
  ["X", "="],
]);

const KITTY_KEYPAD = ["left", "right", "up", "down", "pageUp", "pageDown", "home", "end", "insert", "delete"];

/** Code points of the kitty protocol for keys without a character. */
export const CODE_KEYS: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  10: "enter",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57414: "enter",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [57376 + index, `f${13 + index}`])),
  ...Object.fromEntries(KITTY_KEYPAD.map((name, index) => [57417 + index, name])),
};

/** Keypad keys of the kitty protocol that type something. */
export const CODE_TEXT: Readonly<Record<number, string>> = Object.fromEntries(
  Array.from("0123456789./*-+", (sign, index) => [57399 + index, sign]).concat([
    [57415, "="],
    [57416, ","],
  ]),
);

export const MODIFIER = { shift: 1, alt: 2, ctrl: 4, super: 8, hyper: 16, meta: 32, capsLock: 64 } as const;

function functionKeys(codes: readonly number[]): Record<number, string> {
  return Object.fromEntries(codes.map((code, index) => [code, `f${index + 1}`]));
}
