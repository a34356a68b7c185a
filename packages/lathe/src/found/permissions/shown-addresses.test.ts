// Which addresses count as shown according to the journal: the same ones in a running session and in a resumed one.

import { newMemoryJournal } from "@lathe/agent/record";
import { defaultDeps, Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { ShownAddresses, TYPED, typedAddresses } from "./shown-addresses.ts";

const newJournal = () => newMemoryJournal(defaultDeps({ env: {} }), "/srv/project");
type Journal = ReturnType<typeof newJournal>;

function pageRead(journal: Journal, source: string, links: readonly string[]): void {
  const message = Message.toolResult({ toolCallId: "c", content: "text", isError: false });
  journal.append({ type: "message", message, fromWeb: { source, links } });
}
const type = (journal: Journal, text: string): void =>
  void journal.append({ type: "custom", customType: TYPED, data: [...typedAddresses(text)] });
const many = (host: string, count: number): string[] => Array.from({ length: count }, (_, i) => `https://${host}/${i}`);

async function shownIn(journal: Journal, by: Journal = journal): Promise<ShownAddresses> {
  const shown = new ShownAddresses({ journal });
  await shown.update(by);
  return shown;
}

/** Reads one address after the other until there is a question. */
function readAll(shown: ShownAddresses, urls: readonly string[]): number {
  let at = 0;
  for (; at < urls.length && shown.problem(urls[at]!) === undefined; at++) shown.choose(urls[at]!);
  return at;
}

describe("shown addresses", () => {
  it.each<[string, string[]]>([
    ["look at https://a.example/x?y=1#z.", ["https://a.example/x?y=1"]],
    ["www.a.example and docs.a.example/guide, please", ["https://www.a.example/", "https://docs.a.example/guide"]],
    ["my server is on localhost:3000, see http://127.0.0.1:81/p", ["http://localhost:3000/", "http://127.0.0.1:81/p"]],
    ["(see app.localhost:5173/login)", ["http://app.localhost:5173/login"]],
    ["change src/index.ts, a/b.md and v1.2, mail me@a.example/x", []],
  ])("typed %j", (text, addresses) => {
    expect(typedAddresses(text)).toEqual(expect.arrayContaining(addresses));
    if (addresses.length === 0) expect(typedAddresses(text)).toEqual([]);
  });

  it("are equal to the last character of what leaves, and what follows in the journal counts at once", async () => {
    const journal = newJournal();
    const shown = await shownIn(journal);
    expect(shown.problem("https://a.example/x")).toContain("was not shown");
    type(journal, "https://a.example/x");
    pageRead(journal, "https://a.example/x", ["https://b.example/y"]);
    await shown.update(journal);
    for (const url of ["https://a.example/x", "https://A.example:443/x#part", "https://b.example/y"])
      expect(shown.problem(url), url).toBeUndefined();
    for (const url of [
      "https://a.example/x/",
      "https://a.example/x?",
      "http://a.example/x",
      "https://a.example/",
      "a.example",
    ])
      expect(shown.problem(url), url).toBeDefined();
  });

  it("of a host that only pages have shown, ten are chosen; its other names and numbers do not count anew", async () => {
    const journal = newJournal();
    const urls = many("many.example", 9).concat(many("a.many.example", 2), many("b.many.example", 4));
    pageRead(journal, "engine", [...urls, ...many("1.2.3.4", 8), ...many("1.2.3.5", 8), "https://single.example/"]);
    const shown = await shownIn(journal);
    expect(readAll(shown, urls)).toBe(10);
    expect(shown.problem(urls[0]!)).toContain("10 addresses of many.example were read, which only pages have shown");
    expect(readAll(shown, [...many("1.2.3.4", 8), ...many("1.2.3.5", 8)])).toBe(10);
    expect(shown.problem("https://1.2.3.4/0")).toMatch(/^10 addresses by number were read,/);
    expect(shown.problem("https://me:pw@single.example/")).toBe("the address holds a user name or a password");
    expect(shown.problem("https://single.example/")).toBeUndefined();
    // The user named it, so its choice hides nothing from them.
    type(journal, "https://b.many.example/");
    await shown.update(journal);
    expect(readAll(shown, many("b.many.example", 4))).toBe(4);
  });

  it("asking for a page again is a choice each time", async () => {
    const journal = newJournal();
    const [a = "", b = ""] = many("many.example", 2);
    pageRead(journal, "engine", [a, b]);
    const shown = await shownIn(journal);
    expect(
      readAll(
        shown,
        Array.from({ length: 30 }, (_, i) => (i % 2 ? a : b)),
      ),
    ).toBe(10);
    expect(
      readAll(
        await shownIn(journal),
        Array.from({ length: 30 }, () => a),
      ),
    ).toBe(10);
  });

  it("what earlier processes have chosen counts after a resume, and so many links are enough to choose from", async () => {
    const journal = newJournal();
    const urls = many("many.example", 700);
    pageRead(journal, "engine", urls);
    for (const url of urls.slice(0, 9)) pageRead(journal, url, []);
    const shown = await shownIn(journal);
    expect(readAll(shown, urls.slice(20))).toBe(1);
    expect(shown.problem(urls[600]!)).toContain("was not shown");
  });

  it("a child's journal shows its pages to all, but nothing in it was typed by the user", async () => {
    const [main, child] = [newJournal(), newJournal()];
    type(main, "https://typed.example/");
    type(child, "https://told.example/");
    pageRead(child, "https://typed.example/", ["https://link.example/"]);
    const shown = await shownIn(main, child);
    const problems = ["https://typed.example/", "https://link.example/", "https://told.example/"].map((url) =>
      shown.problem(url),
    );
    expect(problems).toEqual([undefined, undefined, expect.stringContaining("was not shown")]);
  });

  it("ports that the user typed are told to the gate, those of earlier processes as well", async () => {
    const journal = newJournal();
    type(journal, "localhost:3000");
    const shown = await shownIn(journal);
    const opened: string[] = [];
    shown.followTyped((address) => opened.push(address));
    type(journal, "http://127.0.0.1:81/");
    await shown.update(journal);
    expect(opened).toEqual(["http://localhost:3000/", "http://127.0.0.1:81/"]);
  });
});
