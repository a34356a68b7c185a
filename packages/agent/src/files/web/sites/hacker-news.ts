// Hacker News: a story or comment with its replies.

import type { JsonValue } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import { itemsAt, numberAt, textAt } from "./answer-fields.ts";
import { escapeHtml } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://hn.algolia.com";
const MOST_COMMENTS = 200;

export const hackerNews: Site = {
  name: "hacker-news",
  api: [API],
  read(url, ask) {
    const id = url.searchParams.get("id") ?? "";
    if (url.hostname !== "news.ycombinator.com" || url.pathname !== "/item" || !/^\d+$/.test(id)) return undefined;
    return readItem(id, url, ask);
  },
};

async function readItem(id: string, url: URL, ask: SiteClient): Promise<string> {
  const item = await ask.json(`${API}/api/v1/items/${id}`);
  if (numberAt(item, "id") === undefined) throw new ToolFailure("The answer has no id.");
  const link = textAt(item, "url");
  const comments = { left: MOST_COMMENTS };
  const html = [
    `<h1>${escapeHtml(textAt(item, "title") || `Comment of ${textAt(item, "author")}`)}</h1>`,
    `<p>${numberAt(item, "points") ?? 0} points, ${escapeHtml(textAt(item, "author"))}, ${textAt(item, "created_at")}</p>`,
    link === "" ? "" : `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`,
    textAt(item, "text"),
    "<h2>Comments</h2>",
    thread(itemsAt(item, "children"), comments),
    comments.left > 0 ? "" : `<p>Only the first ${MOST_COMMENTS} comments.</p>`,
  ];
  return ask.markdown(html.join("\n"), url.href);
}

/** The API returns texts as HTML. */
function thread(items: readonly JsonValue[], comments: { left: number }): string {
  const shown = items.flatMap((item) => {
    if (textAt(item, "text") === "" || comments.left <= 0) return [];
    comments.left -= 1;
    const said = `<b>${escapeHtml(textAt(item, "author"))}</b>: ${textAt(item, "text")}`;
    return [`<li>${said}${thread(itemsAt(item, "children"), comments)}</li>`];
  });
  return shown.length === 0 ? "" : `<ul>${shown.join("")}</ul>`;
}
