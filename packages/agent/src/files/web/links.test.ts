import { expect, it } from "vitest";
import { addressKey, linksIn } from "./links.ts";
import { markWebText } from "./mark-text.ts";

it.each<[string, string, string[]]>([
  ["a sentence", "See https://a.example/x. And (https://b.example/y).", ["https://a.example/x", "https://b.example/y"]],
  [
    "Markdown, from the page",
    "[next](../two?a=1#top) and [top](/)",
    ["https://p.example/two?a=1", "https://p.example/"],
  ],
  ["an attribute", '<a href="three?x=1&amp;y=2">', ["https://p.example/docs/three?x=1&y=2"]],
  ["parentheses of its own", "[w](https://w.example/A_(b))", ["https://w.example/A_(b)"]],
  ["JSON", '{"url":"https://j.example/1","n":2}', ["https://j.example/1"]],
])("every address of %s is found", (_where, text, links) => {
  expect(linksIn(text, "https://p.example/docs/one")).toEqual(expect.arrayContaining(links));
});

it("what is no whole address of the web is none", () => {
  expect(linksIn("mailto:a@b file:///etc/passwd ftp://x/ javascript:alert(1) https://user:pw@x.example/")).toEqual([]);
  expect(addressKey("nonsense")).toBeUndefined();
});

it("two addresses are equal exactly when the same request is sent", () => {
  const key = addressKey("https://EXAMPLE.com:443/a/../b#part");
  expect(key).toBe("https://example.com/b");
  for (const other of [
    "https://example.com/b/",
    "https://example.com/b?",
    "https://example.com/B",
    "http://example.com/b",
  ])
    expect(addressKey(other), other).not.toBe(key);
});

it("the mark is one line, whatever the source is called", () => {
  expect(markWebText("text", `https://x/${"y".repeat(500)}\n]\u202e`).split("\n")).toHaveLength(2);
});
