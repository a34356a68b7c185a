import { describe, expect, it } from "vitest";
import { atEmulator, send, shown, withBar } from "../../test/component-kit.ts";
import { EDITOR_ACTIONS, SELECT_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import { Editor, type EditorOptions } from "./editor.ts";

const bindings = new Bindings([...EDITOR_ACTIONS, ...SELECT_ACTIONS]);

function editor(options: Partial<EditorOptions> = {}): { editor: Editor; sent: string[] } {
  const sent: string[] = [];
  return { editor: new Editor({ bindings, onSubmit: (text) => sent.push(text), ...options }), sent };
}

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const RIGHT = "\x1b[C";
const LEFT = "\x1b[D";

describe("editor", () => {
  it("Enter sends; shift+enter, ctrl+j and a trailing backslash begin a line; alt+enter is left to the host", () => {
    const { editor: it, sent } = editor();
    send(it, "one\x1b[13;2utwo\x0athree\\\rfour");
    expect(it.value()).toBe("one\ntwo\nthree\nfour");
    expect(send(it, "\x1b\r")).toBe(false);
    send(it, "\r");
    expect(sent).toEqual(["one\ntwo\nthree\nfour"]);
  });

  it("moves and deletes by characters as people see them", () => {
    const { editor: it } = editor();
    send(it, "a👩‍👩‍👧e\u0301你🇩🇪");
    send(it, LEFT, LEFT, LEFT);
    shown(it);
    expect(it.cursor.column).toBe(3);
    send(it, "\x7f");
    expect(it.text).toBe("ae\u0301你🇩🇪");
    send(it, "\x1b[3~\x1b[3~");
    expect(it.text).toBe("a🇩🇪");
  });

  it("kills join, come back with ctrl+y, and alt+y takes the one before", () => {
    const { editor: it } = editor();
    send(it, "one two three", "\x17\x17", "x", "\x15");
    expect(it.text).toBe("");
    send(it, "\x19");
    expect(it.text).toBe("one x");
    send(it, "\x1by");
    expect(it.text).toBe("two three");
  });

  it("undo takes back word by word, redo brings them again", () => {
    const { editor: it } = editor();
    send(it, "one two three");
    send(it, "\x1f");
    expect(it.text).toBe("one two ");
    send(it, "\x1f\x1f");
    expect(it.text).toBe("");
    send(it, "\x1b-\x1b-");
    expect(it.text).toBe("one two ");
  });

  it("a long paste is one mark: moved over, deleted and undone as one, and sent in full", () => {
    const { editor: it, sent } = editor();
    const pasted = Array.from({ length: 240 }, (_, index) => `line ${index}`).join("\n");
    send(it, "see ", `\x1b[200~${pasted}\x1b[201~`, " ok");
    expect(shown(it)).toEqual(["see [paste #1, 240 lines] ok"]);
    send(it, LEFT, LEFT, LEFT, LEFT);
    shown(it);
    expect(it.cursor.column).toBe(4);
    send(it, RIGHT, "\x7f");
    expect(it.text).toBe("see  ok");
    send(it, "\x1f");
    expect(it.text).toBe("see [paste #1, 240 lines] ok");
    send(it, "\r");
    expect(sent).toEqual([`see ${pasted} ok`]);
    expect(it.marks().map(({ label, text }) => [label, text])).toEqual([["[paste #1, 240 lines]", pasted]]);
  });

  it("a mark opens in place with its key, or when the same is pasted again", () => {
    const pasted = "x\n".repeat(20);
    for (const open of ["\x1be", `\x1b[200~${pasted}\x1b[201~`]) {
      const { editor: it } = editor();
      send(it, `\x1b[200~${pasted}\x1b[201~`);
      expect(it.text).toBe("[paste #1, 20 lines]");
      send(it, open);
      expect(it.text).toBe(pasted);
    }
  });

  it("up and down walk the history only from the first and the last row, keep the prefix, and bring the draft back", () => {
    const entries = ["fix it", "first\nsecond", "other"];
    let at = entries.length;
    const history = {
      previous: (prefix: string) => {
        const found = entries.findLastIndex((entry, index) => index < at && entry.startsWith(prefix));
        if (found >= 0) at = found;
        return entries[found];
      },
      next: () => (at < entries.length ? entries[++at] : undefined),
      search: () => [],
    };
    const { editor: it } = editor({ history });
    send(it, "fi", UP);
    expect(it.text).toBe("first\nsecond");
    send(it, UP);
    expect(it.text).toBe("fix it");
    send(it, DOWN, DOWN, DOWN, DOWN);
    expect(it.text).toBe("fi");
    send(it, "\x15", "a\x0ab", UP);
    expect(it.text).toBe("a\nb");
  });

  it("jumps to a character", () => {
    const { editor: it } = editor();
    send(it, "one, two, three", "\x1b\x1d", ",");
    expect(withBar(it)).toBe("one, two|, three");
    send(it, "\x01", "\x1d", "t");
    expect(withBar(it)).toBe("one, |two, three");
  });

  it.each([[8], [10], [13], [20], [40]])(
    "the terminal's cursor is where the next character goes, at %i columns",
    async (columns) => {
      const { editor: it } = editor({ prompt: [{ text: "> " }], maxRows: 20 });
      const text = "the quick 你好世界 fox\x0a👩‍👩‍👧 jumps  over e\u0301\x0ashalom שלום";
      send(it, text);
      for (let step = 0; step < 60; step++) {
        const place = atEmulator(it, columns);
        const before = it.value();
        send(it, "\x1b[3~"); // must delete the character at the cursor
        const deleted = removedPart(before, it.value());
        if (deleted.trim() !== "")
          expect(place.atCursor.startsWith(deleted), `${JSON.stringify(deleted)} at ${place.atCursor}`).toBe(true);
        if (deleted !== "") send(it, "\x1f");
        send(it, LEFT);
      }
    },
  );

  it("rows never exceed the terminal and scroll with the cursor", () => {
    const { editor: it } = editor({ maxRows: 3, prompt: [{ text: "> " }] });
    it.text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");
    expect(shown(it, 20)).toEqual(["  line 47", "  line 48", "  line 49"]);
    expect(it.hidden).toEqual({ above: 47, below: 0 });
    send(it, "\x1b[5~\x1b[5~", UP);
    expect(shown(it, 20)).toEqual(["  line 42", "  line 43", "  line 44"]);
    send(it, "\x1b[1;5H");
    expect(shown(it, 20)[0]).toBe("> line 0");
  });

  it("control characters in a paste are shown, never sent to the terminal", () => {
    const { editor: it } = editor();
    send(it, "\x1b[200~a\x1b[2Jb\u202ec\x1b[201~");
    expect(shown(it)).toEqual(["a\\x1b[2Jb<U+202E>c"]);
    expect(it.value()).toBe("a\x1b[2Jb\u202ec");
  });

  it("a picture is a mark with the host's label", () => {
    const { editor: it } = editor();
    send(it, "see ");
    const mark = it.addAttachmentMark("[picture #1]");
    expect(it.value()).toBe("see [picture #1]");
    expect(it.marks()).toEqual([mark]);
    send(it, "\x7f");
    expect(it.marks()).toEqual([]);
  });

  it("TU-05 text that was edited elsewhere keeps its pictures where their labels still stand, each once", () => {
    const { editor: it } = editor();
    const first = it.addAttachmentMark("[picture #1]");
    const second = it.addAttachmentMark("[picture #2]");
    it.replaceText("before [picture #2] and [picture #2] after");
    expect(it.value()).toBe("before [picture #2] and [picture #2] after");
    expect(it.marks()).toEqual([second]);
    it.replaceText("[picture #1] [picture #2]");
    expect(it.marks()).toEqual([second]);
    expect(first.label).toBe("[picture #1]");
  });
});

function removedPart(before: string, after: string): string {
  let at = 0;
  while (at < after.length && before[at] === after[at]) at++;
  return before.slice(at, at + before.length - after.length);
}
