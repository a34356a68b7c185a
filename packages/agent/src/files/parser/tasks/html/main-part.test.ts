import { expect, it } from "vitest";
import { htmlMarkdown } from "./html-markdown.ts";

const words = (topic: string, count = 60): string => `${topic} ${"explains how the thing works ".repeat(count / 5)}`;
const links = (count: number): string =>
  `<ul>${Array.from({ length: count }, (_, n) => `<li><a href="/topic/${n}">A long name of topic ${n}</a></li>`).join("")}</ul>`;
const BANNER = `<div id="cookies"><p>We use cookies to improve your visit.</p><button>Accept</button></div>`;
const FOOTER = `<footer><a href="/imprint">Imprint</a><p>Copyright of us all</p></footer>`;

const page = (content: string): string =>
  `<!doctype html><html><head><title>T</title></head><body>${BANNER}
   <header><a href="/">Site</a></header><nav>${links(20)}</nav><div class="sidebar">${links(300)}</div>
   ${content}${FOOTER}</body></html>`;

const convert = (html: string) => htmlMarkdown({ html, base: "https://docs.example/guide/start" });

it.each([
  ["a main beside a sidebar of 300 links", page(`<main><h1>Guide</h1><p>${words("It")}</p></main>`)],
  [
    "an element with its role",
    page(`<div role="main"><div><h1>Guide</h1></div><div><p>${words("It")}</p></div></div>`),
  ],
  [
    "an article without a main",
    page(`<article><h1>Guide</h1><p>${words("It")}</p></article><aside>${links(9)}</aside>`),
  ],
  ["a main that is never closed", page("").replace(FOOTER, `<main><h1>Guide</h1><p>${words("It")}</p>`)],
  ["the longest of several mains", page(`<main hidden></main><main><h1>Guide</h1><p>${words("It")}</p></main>`)],
])("WB-02 of a page only its content is read: %s", (_, html) => {
  const { text, isMainPart } = convert(html);
  expect({ isMainPart, text: text.slice(0, 30), end: text.trimEnd().slice(-11) }).toEqual({
    isMainPart: true,
    text: "# Guide\n\nIt explains how the t",
    end: "thing works",
  });
});

it("WB-02 a title above the content stays, one inside is not said twice", () => {
  const above = page(`<div class="hero"><h1>Guide</h1></div><main><h2>First</h2><p>${words("It")}</p></main>`);
  expect(convert(above).text).toMatch(/^# Guide\n\n## First\n\nIt explains/);
  const both = page(`<h1>Site</h1><main><h1>Guide</h1><p>${words("It")}</p></main>`);
  expect(convert(both).text).toMatch(/^# Guide\n\nIt explains/);
});

it("WB-02 an article with its comments nested inside stays whole, and so does a main of many articles", () => {
  const comments = `<article><p>${words("One")}</p></article><article><p>${words("Two")}</p></article>`;
  const nested = convert(page(`<article><h1>Post</h1><p>${words("It")}</p><section>${comments}</section></article>`));
  expect(nested.isMainPart).toBe(true);
  expect(nested.text).toMatch(/^# Post[\s\S]*\nOne explains[\s\S]*\nTwo explains/);
  const list = convert(page(`<main><h1>News</h1>${comments}</main>`));
  expect(list.text).toMatch(/^# News[\s\S]*\nOne explains[\s\S]*\nTwo explains/);
  expect(list.text).not.toContain("cookies");
});

it.each([
  [
    "several articles of one length",
    page(["One", "Two", "Three"].map((name) => `<article>${words(name)}</article>`).join("")),
    "Two",
  ],
  ["an empty main", page(`<main id="app"></main><div><p>${words("Text")}</p></div>`), "Text"],
  ["a main that is only a teaser", page(`<main><p>Welcome</p></main><div>${words("Text")}</div>`), "Text"],
  ["a main in a menu", page(`<nav><main>${words("Menu")}</main></nav><div>${words("Text")}</div>`), "Text"],
  ["articles in links", page(`<a href="/a"><article>${words("Card")}</article></a>`), "Card"],
  ["a main in a table for looks", `<table><tr><td><main>${words("Text")}</main></td></tr></table>`, "Text"],
  ["a page of links", page(`<main>${links(30)}</main>`), "topic 29"],
])("WB-02 a page is read whole where no part holds most of its text: %s", (_, html, expected) => {
  const { text, isMainPart } = convert(html);
  expect(isMainPart).toBe(false);
  expect(text).toContain(expected);
});

it("WB-02 links and images are whole addresses; places on the page stay short, scripts are no links", () => {
  const html =
    `<a href="next?a=1&amp;b=2">n</a> <a href="//cdn.example/x">c</a> <a href="#part">p</a> <a href="javascript:go()">s</a> ` +
    `<a href="http://[bad">b</a> <a href="mailto:a@b.example">m</a> <img src="/i.png" alt="i">`;
  expect(convert(html).text).toBe(
    "[n](https://docs.example/guide/next?a=1&b=2) [c](https://cdn.example/x) [p](#part) s " +
      "[b](http://[bad) [m](mailto:a@b.example) ![i](https://docs.example/i.png)",
  );
  const based = `<head><base href="//en.example/wiki/"><base href="/no/"></head><a href="./Page_(x)">p</a>`;
  expect(convert(based).text).toBe("[p](https://en.example/wiki/Page_%28x%29)");
});
