import { describe, expect, it } from "vitest";
import { send, withBar } from "../../test/component-kit.ts";
import { EDITOR_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import { Editor } from "./editor.ts";

const bindings = new Bindings(EDITOR_ACTIONS);

/**
 * Types the text, leaves insert mode, goes to its start and presses the keys. Returns the text with a bar before the
 * cursor.
 */
function after(text: string, ...keys: string[]): string {
  const editor = new Editor({ bindings, onSubmit: () => {}, vim: true });
  editor.insert(text);
  send(editor, "\x1b");
  send(editor, "gg0");
  for (const press of keys) send(editor, press);
  return withBar(editor);
}

describe("vim keys", () => {
  it.each([
    ["w and b go by words", "one two three", "wwb", "one |two three"],
    ["e goes to a word's end", "one two", "ee", "one tw|o"],
    ["counts repeat a motion", "one two three", "2w", "one two |three"],
    ["0, ^ and $", "  one two", "$", "  one tw|o"],
    ["^ finds the first sign", "  one two", "$^", "  |one two"],
    ["gg and G", "a\nb\nc", "G", "a\nb\n|c"],
    ["a count before G names a line", "a\nb\nc", "2G", "a\n|b\nc"],
    ["hjkl", "abc\ndef", "lljhk", "a|bc\ndef"],
    ["x deletes a character", "abc", "2x", "|c"],
    ["dd deletes a line", "a\nb\nc", "jdd", "a\n|c"],
    ["dd at the end goes up", "a\nb", "jdd", "|a"],
    ["dw deletes to the next word", "one two three", "dw", "|two three"],
    ["dw on the last word leaves the line end", "one\ntwo", "dw", "|\ntwo"],
    ["a count inside an operator", "one two three four", "d2w", "|three four"],
    ["d$ and D delete to the end", "one two", "wD", "one| "],
    ["cw changes a word, not the space behind it", "one two", "cwxy", "xy| two"],
    ["cc empties a line", "one\ntwo", "ccx", "x|\ntwo"],
    ["yy and p copy a line", "a\nb", "yyjp", "a\nb\n|a"],
    ["x and p swap two characters", "ab", "xp", "b|a"],
    ["/ goes to the next place of the words, and begins again at the top", "one two\none", "/one\r", "one two\n|one"],
    ["n and N go on and back", "a b a b a", "/a\rnN", "a b |a b a"],
    ["words without capitals fit both, with one only themselves", "a b A b a", "/A\r", "a b |A b a"],
    ["Backspace before the first letter gives the search up", "one two", "/\x7fw", "one |two"],
    ["what is nowhere moves nothing", "one two", "/three\r", "|one two"],
    ["f and t stop at and before a character", "a(bc)", "dt)", "|)"],
    ["f takes the character with it", "a(bc)d", "df)", "|d"],
    ["; repeats a search", "a,b,c", "f,;", "a,b|,c"],
    ["v selects, d deletes the selection", "one two", "vwd", "|wo"],
    ["V selects lines", "a\nb\nc", "Vjd", "|c"],
    ["r replaces a character", "abc", "rx", "|xbc"],
    ["J joins lines", "a\n  b", "J", "a| b"],
    ["o opens a line", "a\nb", "ox", "a\nx|\nb"],
    ["A appends", "ab", "Ac", "abc|"],
    ["D, then u, brings it back", "one two", "wDu", "one |two"],
    ["wide characters are one step", "你好世界", "lx", "你|世界"],
  ])("%s", (_, text, keys, expected) => {
    expect(after(text, keys)).toBe(expected);
  });

  it(". repeats the last change with what was typed", () => {
    expect(after("one two three", "cwx", "\x1b", "w.", "w.")).toBe("x x |x");
    expect(after("a\nb\nc\nd", "dd..")).toBe("|d");
  });

  it("Escape in normal mode is left to the host, and letters that mean nothing type nothing", () => {
    const editor = new Editor({ bindings, onSubmit: () => {}, vim: true });
    send(editor, "abc");
    expect(send(editor, "\x1b")).toBe(true);
    expect(send(editor, "\x1b")).toBe(false);
    send(editor, "zqQ");
    expect(editor.text).toBe("abc");
    expect(editor.vimMode).toBe("normal");
    send(editor, "d", "\x1b");
    send(editor, "w");
    expect(editor.text).toBe("abc");
  });
});
