import { describe, expect, it } from "vitest";
import type { Span } from "../rows/row.ts";
import { inlineSpans } from "./inline.ts";

const shown = (text: string, links = true): readonly Span[] => inlineSpans(text, undefined, { links });

describe("marks inside text", () => {
  it("bold, italic, struck out and code are styles, also inside each other", () => {
    expect(shown("a **b *c*** ~~d~~ `e`")).toEqual([
      { text: "a " },
      { text: "b ", style: { bold: true } },
      { text: "c", style: { bold: true, italic: true } },
      { text: " " },
      { text: "d", style: { strike: true } },
      { text: " " },
      { text: "e", style: { color: "mdCode" } },
    ]);
  });

  it("a link can be clicked, and its address is written out where it cannot", () => {
    const look = { color: "mdLink", underline: true };
    expect(shown("[x](https://a.b)")).toEqual([{ text: "x", style: { ...look, link: "https://a.b" } }]);
    expect(shown("[x](https://a.b)", false)).toEqual([
      { text: "x", style: look },
      { text: " (https://a.b)", style: { color: "mdLinkUrl" } },
    ]);
    expect(shown("https://a.b", false)).toEqual([{ text: "https://a.b", style: look }]);
  });

  it("only addresses of the web, mail and files become links", () => {
    for (const address of ["javascript:alert(1)", "data:text/html,x", "ssh://h"]) {
      const spans = shown(`[x](${address})`);
      expect(spans.map(({ text }) => text).join("")).toBe(`x (${address})`);
      expect(spans.every(({ style }) => style?.link === undefined)).toBe(true);
    }
  });

  it("names with underscores stay whole, pictures show what they are of, characters can be written by name", () => {
    const text = (source: string): string =>
      shown(source)
        .map((span) => span.text)
        .join("");
    expect(text("snake_case_name and 2 * 3 * 4")).toBe("snake_case_name and 2 * 3 * 4");
    expect(text("![a cat](cat.png)")).toBe("a cat");
    expect(text("a &amp; b &#27;[2J &unknown; \\*x\\*")).toBe("a & b &#27;[2J &unknown; *x*");
  });
});
