// The text of an answer for the model: the answer itself, its sources, the passages cited from them, and suggestions
// for further searches.

import { oneLine } from "../../../base/text/one-line.ts";
import type { SearchAnswer } from "../../../files/web/search.ts";

const MOST_EXCERPT = 240;
const MOST_QUERIES = 3;
const MOST_QUERY = 120;

export function answerText({ answer = "", sources, citations = [], related = [], queries = [] }: SearchAnswer): string {
  const parts = [
    answer.trim(),
    section(
      "## Sources",
      sources.map(({ title, url, snippet = "", age }, at) =>
        [`[${at + 1}] ${oneLine(title)}${age ? ` (${age})` : ""}`, url, cut(snippet, MOST_EXCERPT)]
          .filter((line) => line !== "")
          .join("\n"),
      ),
    ),
    section(
      "## Citations",
      citations.map(
        ({ url, title, text }) => `${title ? `${oneLine(title)}: ` : ""}${url}\n${cut(text, MOST_EXCERPT)}`,
      ),
    ),
    section(
      "## Related",
      related.map((question) => `- ${oneLine(question)}`),
    ),
    section(
      queries.length === 0 ? "" : `Search queries: ${queries.length}`,
      queries.slice(0, MOST_QUERIES).map((query) => `- ${cut(query, MOST_QUERY)}`),
    ),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [heading, ...lines].join("\n");

function cut(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
