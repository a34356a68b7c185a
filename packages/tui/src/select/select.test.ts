import { describe, expect, it } from "vitest";
import { atEmulator, CONTEXT, send, shown } from "../../test/component-kit.ts";
import { EDITOR_ACTIONS, SELECT_ACTIONS } from "../keys/actions.ts";
import { Bindings } from "../keys/bindings.ts";
import { rowWidth } from "../rows/wrap.ts";
import { fuzzyFilter } from "./fuzzy.ts";
import { SelectList, type SelectOptions } from "./select.ts";

const bindings = new Bindings([...EDITOR_ACTIONS, ...SELECT_ACTIONS]);
const MODELS = [
  { value: "opus", label: "Claude Opus", detail: "$15" },
  { value: "haiku", label: "Claude Haiku", detail: "$1", disabled: "no key: /login anthropic" },
  { value: "gpt", label: "GPT", detail: "$5", description: "the one with tools" },
];

function list(options: Partial<SelectOptions<string>> = {}): {
  list: SelectList<string>;
  chosen: (readonly string[])[];
} {
  const chosen: (readonly string[])[] = [];
  const made = new SelectList<string>({
    bindings,
    items: MODELS,
    onSelect: (values) => chosen.push(values),
    ...options,
  });
  return { list: made, chosen };
}

const DOWN = "\x1b[B";
const UP = "\x1b[A";

describe("select list", () => {
  it("shows the rows with their details, and what the row at the pointer says about itself", () => {
    const { list: it } = list();
    send(it, UP);
    expect(shown(it)).toEqual([
      "/ type to search",
      "  Claude Opus   $15",
      "  Claude Haiku  $1",
      "❯ GPT           $5",
      "  the one with tools",
    ]);
  });

  it("letters narrow the list, best match first, and Enter chooses", () => {
    const { list: it, chosen } = list();
    send(it, "gp");
    expect(shown(it)).toEqual(["/ gp", "❯ GPT  $5", "  the one with tools"]);
    send(it, "\r");
    expect(chosen).toEqual([["gpt"]]);
    send(it, "zzz");
    expect(shown(it)).toEqual(["/ gpzzz", "  no match"]);
  });

  it("a row that cannot be chosen says why and is not chosen", () => {
    const { list: it, chosen } = list();
    send(it, DOWN, "\r");
    expect(chosen).toEqual([]);
    expect(shown(it).at(-1)).toBe("  no key: /login anthropic");
  });

  it("several can be marked, also across searches, and come in the order of the list", () => {
    const { list: it, chosen } = list({ isMultiple: true });
    send(it, UP, "\t", "opus", "\t", "\x15", "\r");
    expect(chosen).toEqual([["opus", "gpt"]]);
  });

  it("long lists go by pages, keep the pointer in sight and say where it is", () => {
    const items = Array.from({ length: 200 }, (_, index) => ({ value: `${index}`, label: `item ${index}` }));
    const { list: it } = list({ items, maxRows: 5 });
    send(it, "");
    expect(shown(it)).toHaveLength(7);
    send(it, "\x1b[6~\x1b[6~", DOWN);
    expect(it.current?.value).toBe("11");
    expect(shown(it)).toContain("❯ item 11");
    expect(shown(it).at(-1)).toBe("  12/200");
    send(it, "\x1b[F");
    expect(it.current?.value).toBe("199");
    send(it, DOWN);
    expect(it.current?.value).toBe("0");
  });

  it("a list without search takes single letters", () => {
    const items = [
      { value: "yes", label: "Yes (y)", key: "y" },
      { value: "no", label: "No (n)", key: "n" },
    ];
    const { list: it, chosen } = list({ items, search: false });
    expect(send(it, "x")).toBe(false);
    send(it, "n");
    expect(chosen).toEqual([["no"]]);
  });

  it("the pointer stays on its value when the items change", () => {
    const { list: it } = list({ initial: "gpt" });
    it.setItems([{ value: "new", label: "New" }, ...MODELS]);
    expect(it.current?.value).toBe("gpt");
  });

  it("a preview stands beside the list in a wide terminal and below it in a narrow one; nothing is wider than the terminal", () => {
    const { list: it } = list({
      preview: (item) => [{ spans: [{ text: `about ${item.label} 世界` }] }],
    });
    expect(shown(it, 100)[1]).toBe(`❯ Claude Opus   $15${" ".repeat(31)} │ about Claude Opus 世界`);
    expect(shown(it, 40).at(-1)).toBe("about Claude Opus 世界");
    for (const columns of [12, 20, 40, 90, 120]) {
      for (const row of it.render({ ...CONTEXT, columns })) expect(rowWidth(row)).toBeLessThanOrEqual(columns);
    }
  });

  it("the cursor is where the next letter of the search goes", async () => {
    const { list: it } = list();
    send(it, "你好 o", "\x1b[D");
    expect(atEmulator(it, 30).atCursor).toBe("o");
  });

  it("text from outside cannot move the cursor", () => {
    const { list: it } = list({ items: [{ value: "x", label: "a\x1b[2Jb\nc" }] });
    expect(shown(it)[1]).toBe("❯ a\\x1b[2Jb c");
  });
});

describe("fuzzy search", () => {
  it.each([
    ["so", ["open-source", "sonnet", "so", "gpt"], ["so", "sonnet", "open-source"]],
    ["ses list", ["sessions/list.ts", "list.ts", "sessions/show.ts"], ["sessions/list.ts"]],
    ["edt", ["editor.ts", "deed", "xexdxt"], ["editor.ts"]],
    ["hlp", ["/help", "shelp"], ["/help"]],
    ["12", ["session 21, 21 minutes ago", "session 12"], ["session 12"]],
    ["cp", ["copy-paste", "scrap"], ["copy-paste"]],
    ["", ["b", "a"], ["b", "a"]],
  ])("%j in %j", (query, texts, expected) => {
    expect(fuzzyFilter(query, texts, (text) => text)).toEqual(expected);
  });
});
