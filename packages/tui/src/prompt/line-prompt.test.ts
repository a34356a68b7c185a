import { describe, expect, it } from "vitest";
import { atEmulator, send, shown } from "../../test/component-kit.ts";
import { EDITOR_ACTIONS, SELECT_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import { LinePrompt } from "./line-prompt.ts";

const bindings = new Bindings([...EDITOR_ACTIONS, ...SELECT_ACTIONS]);

describe("line prompt", () => {
  it("a text wider than the terminal scrolls with the cursor, which stays where the next character goes", async () => {
    const prompt = new LinePrompt({ bindings, label: [{ text: "name: " }] });
    send(prompt, "the quick 你好世界 brown fox");
    expect(atEmulator(prompt, 20).atCursor).toBe("");
    for (let step = 0; step < 26; step++) {
      expect(shown(prompt, 20)[0]?.startsWith("name: ")).toBe(true);
      const { atCursor } = atEmulator(prompt, 20);
      const before = prompt.text;
      send(prompt, "\x1b[3~");
      const at = [...before].findIndex((character, index) => character !== [...prompt.text][index]);
      if (prompt.text !== before) {
        expect(atCursor.startsWith([...before][at] ?? "")).toBe(true);
        send(prompt, "\x1f");
      }
      send(prompt, "\x1b[D");
    }
  });

  it("a paste of several lines becomes one line", () => {
    const sent: string[] = [];
    const prompt = new LinePrompt({ bindings, onSubmit: (text) => sent.push(text) });
    send(prompt, "\x1b[200~one\r\ntwo\r\n\x1b[201~", "\r");
    expect(sent).toEqual(["one two"]);
  });

  it("a secret is never on the screen", () => {
    const prompt = new LinePrompt({ bindings, isSecret: true });
    send(prompt, "hunter2");
    expect(shown(prompt)).toEqual(["•••••••"]);
    expect(prompt.text).toBe("hunter2");
  });
});
