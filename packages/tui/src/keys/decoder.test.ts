import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chordsOf } from "./chord.ts";
import { KeyDecoder } from "./decoder.ts";
import type { Key, TerminalReply } from "./key.ts";

const written = (item: Key | TerminalReply): string =>
  item.kind === "key"
    ? `${chordsOf(item)[0]}${item.text === undefined ? "" : ` "${item.text}"`}`
    : JSON.stringify(item);

/** Everything decoded from the chunks, including the flush at the end. */
function decodeAll(...chunks: string[]): string[] {
  const decoder = new KeyDecoder();
  const items = chunks.flatMap((chunk) => decoder.feed(chunk));
  const rest = decoder.flush();
  expect(decoder.isPending).toBe(false);
  return [...items, ...rest].map(written);
}

const RUNS = process.env["LATHE_LONG"] ? 20_000 : 200;
const NOISE = Array.from("\x1b[O]P1;:?<M~u$\x07\x9c\x18\rz").concat("\x1b[", "\x1b]", "\ud83d", "\ude00");
const PARTS = [
  ...[
    "a",
    "Ä",
    "你",
    "👩‍👩‍👧",
    "\t",
    "\x03",
    "\x1bx",
    "\x1b\x1b[B",
    "\x1b[A",
    "\x1b[1;5C",
    "\x1bOP",
    "\x1b[[A",
    "\x1b[3$",
  ],
  ...["\x1b[97;5u", "\x1b[13;2u", "\x1b[27;5;106~", "\x1b[200~some\rtext\x1b[201~", "\x1b]11;rgb:00/00/00\x1b\\"],
  ...["\x1b[?62c", "\x1b[<0;1;1M", "\x1b[M !!", "\x1b[I", "\x1bP>|x\x1b\\", "\x1b[?2026;2$y"],
];

describe("key decoder", () => {
  it.each([
    [
      "xterm arrows and their modifiers",
      "\x1b[A\x1b[1;5C\x1b[1;2D\x1b[1;3B",
      ["up", "ctrl+right", "shift+left", "alt+down"],
    ],
    ["application cursor mode", "\x1bOA\x1bOF\x1bOP\x1bO5C", ["up", "end", "f1", "ctrl+right"]],
    ["numbered keys", "\x1b[3~\x1b[5~\x1b[3;5~\x1b[24~\x1b[1~", ["delete", "pageUp", "ctrl+delete", "f12", "home"]],
    [
      "rxvt",
      "\x1b[7~\x1bOd\x1b[a\x1b[3^\x1b[3$\x1b[3@",
      ["home", "ctrl+left", "shift+up", "ctrl+delete", "shift+delete", "ctrl+shift+delete"],
    ],
    ["the Linux console", "\x1b[[A\x1b[[E", ["f1", "f5"]],
    ["shift+tab", "\x1b[Z", ["shift+tab"]],
    [
      "control characters",
      "\x01\x00\x1d\x1f\x7f\t\r\n",
      ["ctrl+a", "ctrl+space", "ctrl+]", "ctrl+_", "backspace", "tab", "enter", "ctrl+j"],
    ],
    ["alt as an ESC before the key", "\x1bb\x1b\x7f\x1b\r\x1bP\x1b\x1b[A", ["alt+b", "alt+backspace", "alt+enter"]],
    ["the keypad", "\x1bOj\x1bOM\x1bOp", ['* "*"', "enter", '0 "0"']],
  ])("reads %s", (_, bytes, expected) => {
    expect(decodeAll(bytes).slice(0, expected.length)).toEqual(expected);
  });

  it("reads the kitty protocol: modifiers, capitals, other layouts, keypad; and ignores releases", () => {
    expect(decodeAll("\x1b[97;5u")).toEqual(["ctrl+a"]);
    expect(decodeAll("\x1b[13;2u\x1b[13;3u\x1b[27u\x1b[127;5u")).toEqual([
      "shift+enter",
      "alt+enter",
      "escape",
      "ctrl+backspace",
    ]);
    expect(decodeAll("\x1b[97:65;2u")).toEqual(['shift+a "A"']);
    expect(decodeAll("\x1b[49:33;2;33u")).toEqual(['shift+1 "!"']);
    expect(decodeAll("\x1b[1089::99;5u")).toEqual(["ctrl+c"]);
    expect(decodeAll("\x1b[97;1:3u\x1b[1;1:3A\x1b[3;1:3~")).toEqual([]);
    expect(decodeAll("\x1b[97;1:2u\x1b[57400u\x1b[57417;5u\x1b[57441u")).toEqual(['a "a"', '1 "1"', "ctrl+left"]);
    expect(decodeAll("\x1b[97;65u\x1b[0;;229u")).toEqual(['a "A"']);
  });

  it("reads modifyOtherKeys", () => {
    expect(decodeAll("\x1b[27;2;13~\x1b[27;5;106~\x1b[27;6;80~")).toEqual(["shift+enter", "ctrl+j", "ctrl+shift+p"]);
  });

  it("a lone ESC, and two of them, are keys once nothing follows", () => {
    expect(decodeAll("\x1b")).toEqual(["escape"]);
    expect(decodeAll("\x1b\x1b")).toEqual(["escape", "escape"]);
    expect(decodeAll("\x1b", "[A")).toEqual(["up"]);
    expect(decodeAll("\x1b[")).toEqual(["alt+["]);
    expect(decodeAll("\x1bO")).toEqual(["alt+shift+o"]);
  });

  it("Esc is not lost when the terminal answers right after it, as tmux does before every frame", () => {
    expect(decodeAll("\x1b", "\x1b[8;50;120t")).toEqual(["escape", '{"kind":"size","values":[50,120]}']);
    expect(decodeAll("\x1b\x1b[I")).toEqual(["escape", '{"kind":"focus","focused":true}']);
  });

  it("the terminal's answers are told from keys", () => {
    const replies =
      "\x1b]11;rgb:ffff/8080/0000\x1b\\\x1b]11;rgb:1e/1e/2e\x07\x1b[?62;22c\x1b[24;80R\x1b[?1;3R\x1b[?2026;2$y\x1b[?5u\x1b[?997;1n\x1bP>|kitty(0.42)\x1b\\\x1b[6;20;10t\x1b[4;600;800t\x1b_Gi=31;OK\x1b\\";
    expect(new KeyDecoder().feed(replies)).toEqual([
      { kind: "background", red: 255, green: 128, blue: 0 },
      { kind: "background", red: 30, green: 30, blue: 46 },
      { kind: "attributes", values: [62, 22] },
      { kind: "cursor", row: 24, column: 80 },
      { kind: "cursor", row: 1, column: 3 },
      { kind: "mode", mode: 2026, state: 2 },
      { kind: "keyboard", flags: 5 },
      { kind: "appearance", dark: true },
      { kind: "name", text: "kitty(0.42)" },
      { kind: "cell", width: 10, height: 20 },
      { kind: "graphics" },
    ]);
  });

  it("focus is reported and mouse reports leave nothing behind", () => {
    expect(decodeAll("\x1b[I\x1b[<0;12;7M\x1b[<0;12;7m\x1b[M !!\x1b[32;10;10Mx\x1b[O")).toEqual([
      '{"kind":"focus","focused":true}',
      'x "x"',
      '{"kind":"focus","focused":false}',
    ]);
  });

  it.each([
    ["an unknown sequence", "\x1b[1;2yq\x1b[?1049hx", ['q "q"', 'x "x"']],
    ["an OSC that ends in Ctrl+C", "\x1b]52;c;abc\x03x", ["ctrl+c", 'x "x"']],
    ["a CSI with a control inside", "\x1b[12\rx", ["enter", 'x "x"']],
    ["C1 controls", "\x9b\x85x", ['x "x"']],
    ["half a sequence", "\x1b[1;", []],
    ["half an OSC", "\x1b]11;rgb:", []],
    ["a lone surrogate", "\ud83dx", ['x "x"']],
    ["an APC answer", "\x1b_Gi=1;ENOENT\x1b\\x", ['x "x"']],
  ])("%s neither blocks the next key nor ends up as text", (_, bytes, expected) => {
    expect(decodeAll(bytes)).toEqual(expected);
  });

  it("a paste of any size and in any pieces is one paste, with line ends as \\n", () => {
    const text = Array.from({ length: 10_000 }, (_, index) => `line ${index} \x1b[31m`).join("\r\n");
    const whole = `\x1b[200~${text}\x1b[201~x`;
    for (const size of [1, 7, 4096, whole.length]) {
      const decoder = new KeyDecoder();
      const items = (whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []).flatMap((chunk) => decoder.feed(chunk));
      expect(items.map(({ kind }) => kind)).toEqual(["paste", "key"]);
      expect(items[0]).toEqual({ kind: "paste", text: text.replaceAll("\r\n", "\n") });
    }
  });

  it("a paste whose end never comes is not lost, and keys work after it", () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed("\x1b[200~half")).toEqual([]);
    expect(decoder.patienceMs).toBeGreaterThan(500);
    expect(decoder.flush()).toEqual([{ kind: "paste", text: "half" }]);
    expect(decoder.feed("x").map(written)).toEqual(['x "x"']);
  });

  it("lines that arrive at once without brackets are one paste: their line ends send nothing", () => {
    expect(decodeAll("first line\rsecond line\r", "third\r")).toEqual([
      JSON.stringify({ kind: "paste", text: "first line\nsecond line\nthird\n" }),
    ]);
    expect(decodeAll("/help\r")).toEqual(['/ "/"', 'h "h"', 'e "e"', 'l "l"', 'p "p"', "enter"]);
  });

  it("keys do not depend on how their bytes are cut", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }), cuts, (chosen, sizes) => {
        const whole = chosen.join("");
        const chunks: string[] = [];
        for (let at = 0, index = 0; at < whole.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          chunks.push(whole.slice(at, at + size));
          at += size;
        }
        expect(decodeAll(...chunks)).toEqual(decodeAll(whole));
      }),
      { numRuns: RUNS },
    );
  });

  it("whatever arrives, no control character becomes text and a key typed after silence is read", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NOISE), { maxLength: 30 }), (pieces) => {
        const decoder = new KeyDecoder();
        const items = [...decoder.feed(pieces.join("")), ...decoder.flush()];
        for (const item of items) if (item.kind === "key") expect(item.text ?? "").not.toMatch(/\p{Cc}|\p{Cs}/u);
        expect(decoder.feed("x").map(written)).toEqual(['x "x"']);
      }),
      { numRuns: RUNS },
    );
  });
});
