import { describe, expect, it } from "vitest";
import { KeyDecoder } from "./decoder.ts";
import { keyBytes } from "./encode-key.ts";
import type { Key } from "./key.ts";

/** The key as our terminal would report it. */
function keysOf(bytes: string): Key[] {
  const decoder = new KeyDecoder();
  const items = [...decoder.feed(bytes), ...decoder.flush()];
  return items.filter((item): item is Key => ["key", "paste", "focus"].includes(item.kind));
}

describe("keys for a program in a terminal", () => {
  it.each([
    "a",
    "Z",
    "é",
    "\r",
    "\t",
    "\x1b",
    "\x7f",
    "\x03",
    "\x04",
    "\x1c",
    "\x1b[A",
    "\x1b[D",
    "\x1b[5~",
    "\x1b[1;5C",
    "\x1bOP",
    "\x1b[15~",
    "\x1bb",
    "\x1b[Z",
  ])("T-BASH-4 what is typed as %j reaches the program as that", (bytes) => {
    expect(
      keysOf(bytes)
        .map((key) => keyBytes(key))
        .join(""),
    ).toBe(bytes);
  });

  it("T-BASH-4 keys of the kitty protocol are sent as plain ones", () => {
    expect(keysOf("\x1b[27u\x1b[99;5u\x1b[13u").map((key) => keyBytes(key))).toEqual(["\x1b", "\x03", "\r"]);
  });

  it("arrows follow the program's mode, and a paste cannot end itself", () => {
    expect(keysOf("\x1b[A").map((key) => keyBytes(key, { applicationCursorKeys: true }))).toEqual(["\x1bOA"]);
    const paste: Key = { kind: "paste", text: "a\nb\x1b[201~rm x\n" };
    expect(keyBytes(paste)).toBe("a\rb\x1b[201~rm x\r");
    expect(keyBytes(paste, { bracketedPaste: true })).toBe("\x1b[200~a\rbrm x\r\x1b[201~");
  });
});
