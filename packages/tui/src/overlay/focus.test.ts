import { describe, expect, it } from "vitest";
import { CONTEXT, send, shown } from "../../test/component-kit.ts";
import type { Focusable } from "../component.ts";
import { SELECT_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import { rowWidth } from "../rows/wrap.ts";
import { Tabs } from "../tabs/tabs.ts";
import { Focus } from "./focus.ts";

/** Takes the keys of its list. */
function taker(...names: string[]): Focusable & { got: string[] } {
  const got: string[] = [];
  return {
    got,
    render: () => [],
    handle: (key) => key.kind === "key" && names.includes(key.name) && got.push(key.name) > 0,
  };
}

const focusable = (focus: Focus): Focusable => ({ render: () => [], handle: (key) => focus.handle(key) });

describe("focus", () => {
  it("a dialog keeps letters from the editor below it, a panel lets them through", () => {
    const focus = new Focus();
    const editor = taker("a", "b");
    const dialog = taker("a");
    focus.push(editor);
    focus.push(dialog);
    send(focusable(focus), "ab");
    expect([editor.got, dialog.got]).toEqual([[], ["a"]]);
    focus.push(dialog, { letsThrough: true });
    send(focusable(focus), "ab");
    expect([editor.got, dialog.got]).toEqual([["b"], ["a", "a"]]);
  });

  it("a dialog that closes after another one was opened takes only itself away", () => {
    const focus = new Focus();
    const [one, two] = [taker(), taker()];
    focus.push(one);
    focus.push(two);
    focus.pop(one);
    expect(focus.current).toBe(two);
  });
});

describe("tabs", () => {
  const tabs = ["General", "Models", "Permissions", "世界", "Keys"].map((label) => ({
    id: label.toLowerCase(),
    label,
  }));

  it("Tab and the arrows go round, and the current tab is always in sight", () => {
    const changes: string[] = [];
    const bar = new Tabs({ tabs, bindings: new Bindings(SELECT_ACTIONS), onChange: ({ id }) => changes.push(id) });
    expect(shown(bar)).toEqual(["General  Models  Permissions  世界  Keys"]);
    send(bar, "\t\x1b[C\x1b[Z\x1b[D\x1b[D");
    expect(changes).toEqual(["models", "permissions", "models", "general", "keys"]);
    for (const columns of [10, 16, 24]) {
      for (const { id, label } of tabs) {
        bar.select(id);
        expect(shown(bar, columns)[0]).toContain(label.slice(0, columns - 5));
        expect(rowWidth(bar.render({ ...CONTEXT, columns })[0] ?? { spans: [] })).toBeLessThanOrEqual(columns);
      }
    }
  });
});
