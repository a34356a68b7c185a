import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EDITOR_ACTIONS, SELECT_ACTIONS } from "./actions.ts";
import { type Action, Bindings, detectDefaultKeyCollisions } from "./bindings.ts";
import { KeyDecoder } from "./decoder.ts";
import type { KeyPress } from "./key.ts";

const ACTIONS: readonly Action[] = [
  { id: "app.plan", description: "Plan", chords: ["alt+shift+p"], context: "app" },
  { id: "app.exit", description: "Exit", chords: ["ctrl+d"], context: "app" },
  { id: "list.delete", description: "Delete", chords: ["ctrl+d"], context: "list" },
];

const key = (bytes: string): KeyPress => new KeyDecoder().feed(bytes)[0] as KeyPress;

describe("keybindings", () => {
  it("G-110 a remapped action has its new key, and the old one is dead", () => {
    const bindings = new Bindings(ACTIONS, { "app.plan": "F8" });
    expect(bindings.match(key("\x1b[19~"), "app")).toBe("app.plan");
    expect(bindings.match(key("\x1bP\x18"), "app")).toBeUndefined();
    expect(bindings.chords("app.plan")).toEqual(["f8"]);
    expect(bindings.problems).toEqual([]);
  });

  it("G-110 an empty list takes an action's keys away", () => {
    const bindings = new Bindings(ACTIONS, { "app.exit": [] });
    expect(bindings.match(key("\x04"), "app")).toBeUndefined();
    expect(bindings.match(key("\x04"), "list")).toBe("list.delete");
  });

  it("G-110 chords and ids may be written in any case and with other names of the same key", () => {
    const bindings = new Bindings(ACTIONS, { "APP.Plan": ["Ctrl+PgUp", "Option+Esc", "ctrl++"] });
    expect(bindings.chords("app.plan")).toEqual(["ctrl+pageUp", "alt+escape", "ctrl++"]);
    expect(bindings.match(key("\x1b[5;5~"), "app")).toBe("app.plan");
  });

  it("G-110 a name without its first words, as older files have it, is understood unless it could mean two actions", () => {
    const other = { id: "list.exit", description: "Leave", chords: [], context: "list" };
    const bindings = new Bindings([...ACTIONS, other], { plan: "F8", exit: "F9" });
    expect(bindings.chords("app.plan")).toEqual(["f8"]);
    expect(bindings.problems).toEqual(['Keybinding "exit": there is no such action.']);
  });

  it("G-110 two actions on one chord are reported within a context, and the user's choice wins", () => {
    const bindings = new Bindings(ACTIONS, { "app.plan": "ctrl+d" });
    expect(bindings.conflicts()).toEqual([{ context: "app", chord: "ctrl+d", actions: ["app.plan", "app.exit"] }]);
    expect(bindings.match(key("\x04"), "app")).toBe("app.plan");
  });

  it("G-110 what cannot be read is said in one line, and the action keeps its keys", () => {
    const bindings = new Bindings(ACTIONS, {
      "app.plan": "ctrl+banana",
      "app.exit": ["hyperspace+x", "ctrl+q"],
      "app.nope": "f1",
    });
    expect(bindings.problems).toEqual([
      'Keybinding "app.plan": "ctrl+banana" is not a chord: no key is called "banana".',
      'Keybinding "app.exit": "hyperspace+x" is not a chord: "hyperspace" is not a modifier (ctrl, alt, shift, meta).',
      'Keybinding "app.nope": there is no such action.',
    ]);
    expect(bindings.chords("app.plan")).toEqual(["alt+shift+p"]);
    expect(bindings.chords("app.exit")).toEqual(["ctrl+q"]);
  });

  it("G-110 no default chord means two things in one context", () => {
    expect(detectDefaultKeyCollisions([...EDITOR_ACTIONS, ...SELECT_ACTIONS, ...ACTIONS])).toEqual([]);
    const twice = { id: "app.other", description: "", chords: ["CTRL+D"], context: "app" };
    expect(detectDefaultKeyCollisions([...ACTIONS, twice])).toHaveLength(1);
  });

  it("G-110 the table in docs/keys.md is the registry", () => {
    const page = readFileSync(new URL("../../../../docs/keys.md", import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| `tui."));
    const registry = [...EDITOR_ACTIONS, ...SELECT_ACTIONS].map(
      ({ id, description, chords }) =>
        `| \`${id}\` | ${description} | ${chords.map((chord) => `\`${chord}\``).join(" ")} |`,
    );
    expect(rows).toEqual(registry);
  });

  it("a sign that needs shift matches whether the terminal reports the key or the sign", () => {
    const bindings = new Bindings([{ id: "help", description: "", chords: ["?"], context: "app" }]);
    expect(bindings.match(key("?"), "app")).toBe("help");
    expect(bindings.match(key("\x1b[47:63;2;63u"), "app")).toBe("help");
  });
});
