// Key chords as users write them ("ctrl+alt+]", "Alt+Shift+P", "F8"), and in the form that keys are compared with.

import type { KeyPress } from "./key.ts";

const MODIFIERS: Readonly<Record<string, "ctrl" | "alt" | "shift" | "meta">> = {
  ctrl: "ctrl",
  control: "ctrl",
  alt: "alt",
  option: "alt",
  opt: "alt",
  shift: "shift",
  meta: "meta",
  super: "meta",
  cmd: "meta",
  win: "meta",
};

const ALIASES: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  del: "delete",
  ins: "insert",
  pageup: "pageUp",
  pgup: "pageUp",
  pagedown: "pageDown",
  pgdn: "pageDown",
  plus: "+",
  " ": "space",
};

const NAMED =
  /^(?:enter|escape|tab|space|backspace|delete|insert|up|down|left|right|home|end|pageUp|pageDown|f(?:[1-9]|1\d|2[0-4]))$/;

/** The chord in its normal form, or one line that says what is wrong. */
export function parseChord(text: string): { readonly chord: string } | { readonly problem: string } {
  const written = text.trim().toLowerCase();
  if (written === "") return { problem: "it is empty" };
  // The key itself may be a plus: "ctrl++".
  const parts = written.endsWith("+") ? [...written.slice(0, -1).split("+").filter(Boolean), "+"] : written.split("+");
  const key = parts.pop() ?? "";
  const name = ALIASES[key] ?? key;
  const held = { ctrl: false, alt: false, shift: false, meta: false };
  for (const part of parts) {
    const modifier = MODIFIERS[part.trim()];
    if (modifier === undefined) return { problem: `"${part.trim()}" is not a modifier (ctrl, alt, shift, meta)` };
    held[modifier] = true;
  }
  if (MODIFIERS[name] !== undefined) return { problem: "it has no key besides its modifiers" };
  if ([...name].length !== 1 && !NAMED.test(name)) return { problem: `no key is called "${key}"` };
  return { chord: spell(name, held) };
}

/** The chords that a key matches. A sign also matches without shift, since some keyboards need shift to type it. */
export function chordsOf(key: KeyPress): readonly string[] {
  const own = spell(key.name, key);
  const sign = key.text;
  if (sign === undefined || !key.shift || sign.toLowerCase() === key.name) return [own];
  return [own, spell(sign, { ...key, shift: false })];
}

function spell(name: string, { ctrl, alt, shift, meta }: Pick<KeyPress, "ctrl" | "alt" | "shift" | "meta">): string {
  return `${ctrl ? "ctrl+" : ""}${alt ? "alt+" : ""}${shift ? "shift+" : ""}${meta ? "meta+" : ""}${name}`;
}
