import { describe, expect, it } from "vitest";
import { send, shown } from "../../test/component-kit.ts";
import { Editor } from "../editor/editor.ts";
import { EDITOR_ACTIONS, SELECT_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import type { Completion, CompletionSource } from "./source.ts";

const bindings = new Bindings([...EDITOR_ACTIONS, ...SELECT_ACTIONS]);
const COMMANDS = [
  { value: "/help", label: "/help", detail: "what you can do", submits: true },
  { value: "/model ", label: "/model", detail: "choose a model" },
  { value: "/move ", label: "/move" },
];

const commands: CompletionSource = {
  complete: async (text, cursor) => {
    const word = /^\/\S*$/.exec(text.slice(0, cursor))?.[0];
    if (word === undefined) return undefined;
    return { from: 0, to: cursor, items: COMMANDS.filter(({ value }) => value.startsWith(word)) };
  },
};

function editor(completion = commands): { editor: Editor; sent: string[] } {
  const sent: string[] = [];
  return { editor: new Editor({ bindings, completion, onSubmit: (text) => sent.push(text) }), sent };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("completion", () => {
  it("shows what fits, narrows as one types, and Tab takes the row at the pointer", async () => {
    const { editor: it } = editor();
    send(it, "/");
    await settled();
    expect(shown(it)).toEqual(["/", "❯ /help   what you can do", "  /model  choose a model", "  /move"]);
    send(it, "mo");
    await settled();
    send(it, "\x1b[B");
    expect(shown(it)).toEqual(["/mo", "  /model  choose a model", "❯ /move"]);
    send(it, "\t");
    expect(it.text).toBe("/move ");
  });

  it("Enter takes a row, and sends a command that needs nothing more; a command written in full is sent at once", async () => {
    const { editor: it, sent } = editor();
    send(it, "/mod");
    await settled();
    send(it, "\r");
    expect([it.text, sent]).toEqual(["/model ", []]);
    it.clear();
    send(it, "/he");
    await settled();
    send(it, "\r");
    expect(sent).toEqual(["/help"]);
    it.clear();
    send(it, "/model");
    await settled();
    send(it, "\r");
    expect(sent).toEqual(["/help", "/model"]);
  });

  it("Escape closes the list, which stays closed for this word until Tab asks for it", async () => {
    const { editor: it } = editor();
    send(it, "/m");
    await settled();
    expect(send(it, "\x1b")).toBe(true);
    send(it, "o");
    await settled();
    expect(it.isCompleting).toBe(false);
    expect(send(it, "\x1b")).toBe(false);
    send(it, "\t");
    await settled();
    expect(it.isCompleting).toBe(true);
  });

  it("an answer that comes too late is ignored, and its question was aborted", async () => {
    const asked: { text: string; signal: AbortSignal; answer(completion: Completion): void }[] = [];
    const source: CompletionSource = {
      complete: (text, _, signal) => new Promise((resolve) => asked.push({ text, signal, answer: resolve })),
    };
    const { editor: it } = editor(source);
    send(it, "ab");
    const [first, second] = asked;
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
    second?.answer({ from: 0, to: 2, items: [{ value: "abc", label: "abc" }] });
    await settled();
    first?.answer({ from: 0, to: 1, items: [{ value: "axx", label: "axx" }] });
    await settled();
    expect(shown(it)).toEqual(["ab", "❯ abc"]);
  });

  it("a source that fails says so instead of taking the editor down", async () => {
    const { editor: it } = editor({ complete: () => Promise.reject(new Error("no such folder")) });
    send(it, "a");
    await settled();
    expect(shown(it)).toEqual(["a", "  completion failed: no such folder"]);
    send(it, "\r");
    expect(shown(it)).toEqual(["a"]);
  });
});
