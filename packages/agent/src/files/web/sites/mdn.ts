// MDN: a reference page, from the data that the page is generated from.

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, textAt, valueAt } from "./answer-fields.ts";
import { escapeHtml, requiredText } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

export const mdn: Site = {
  name: "mdn",
  api: [],
  read: (url, ask) =>
    url.hostname === "developer.mozilla.org" && /^\/[\w-]+\/docs\/./.test(url.pathname)
      ? readDocument(url, ask)
      : undefined,
};

async function readDocument(url: URL, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${url.origin}${url.pathname.replace(/\/$/, "")}/index.json`);
  const page = valueAt(answer, "doc");
  const html = [`<h1>${escapeHtml(requiredText(page, "title"))}</h1>`, ...itemsAt(page, "body").map(sectionHtml)];
  return ask.markdown(html.join("\n"), url.href);
}

/** Titles and texts are HTML. */
function sectionHtml(section: JsonValue): string {
  const value = valueAt(section, "value");
  const title = textAt(value, "title");
  const heading = isTrueAt(value, "isH3") ? "h3" : "h2";
  const content =
    textAt(section, "type") === "specifications"
      ? itemsAt(value, "specifications").map(specificationHtml).join("")
      : textAt(value, "content");
  if (content === "") return "";
  return `${title === "" ? "" : `<${heading}>${title}</${heading}>`}${content}`;
}

const specificationHtml = (specification: JsonValue): string =>
  `<li><a href="${escapeHtml(textAt(specification, "bcdSpecificationURL"))}">${textAt(specification, "title")}</a></li>`;
