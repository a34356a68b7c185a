// Reddit: a post with its comments.

import type { JsonValue } from "@lathe/llm";
import { itemsAt, numberAt, textAt, valueAt } from "./answer-fields.ts";
import { dayOf, factLines, paragraphs, requiredText } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://www.reddit.com";
const MOST_COMMENTS = 200;

export const reddit: Site = {
  name: "reddit",
  api: [API],
  read(url, ask) {
    const isReddit = /^(?:(?:www|old|new|np|m)\.)?reddit\.com$/.test(url.hostname);
    const [path] = /^\/r\/\w+\/comments\/\w+(?:\/[^/]*(?:\/\w+)?)?/.exec(url.pathname) ?? [];
    return isReddit && path !== undefined ? readPost(path.replace(/\/$/, ""), ask) : undefined;
  },
};

async function readPost(path: string, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${API}${path}.json?limit=100&raw_json=1`);
  const post = valueAt(answer, 0, "data", "children", 0, "data");
  return paragraphs(
    `# ${requiredText(post, "title")}`,
    factLines({
      Subreddit: `r/${textAt(post, "subreddit")}`,
      Author: textAt(post, "author"),
      Date: dayOf(numberAt(post, "created_utc")),
      Score: numberAt(post, "score"),
      Link: textAt(post, "selftext") === "" ? textAt(post, "url") : "",
    }),
    textAt(post, "selftext"),
    `## Comments (${numberAt(post, "num_comments") ?? 0})`,
    comments(valueAt(answer, 1), "", { left: MOST_COMMENTS }).join("\n"),
  );
}

/** A nested list; every line of a comment is indented to stay in its item. */
function comments(listing: JsonValue | undefined, indent: string, count: { left: number }): readonly string[] {
  return itemsAt(listing, "data", "children").flatMap((child) => {
    const text = textAt(child, "data", "body").trim();
    if (text === "" || count.left <= 0) return [];
    count.left -= 1;
    const said = `**${textAt(child, "data", "author")}** (${numberAt(child, "data", "score") ?? 0}): ${text}`;
    const lines = said.split("\n").map((line, at) => (line === "" ? "" : `${indent}${at === 0 ? "- " : "  "}${line}`));
    return [...lines, ...comments(valueAt(child, "data", "replies"), `${indent}  `, count)];
  });
}
