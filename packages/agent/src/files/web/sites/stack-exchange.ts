// Stack Overflow and the other sites of Stack Exchange: a question with its best answers.

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, numberAt, textAt } from "./answer-fields.ts";
import { dayOf, partsOf, requiredText } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://api.stackexchange.com";
const HOST =
  /^(?:www\.)?((?:\w+\.)?stackoverflow\.com|(?:[\w.-]+\.)?stackexchange\.com|superuser\.com|serverfault\.com|askubuntu\.com|stackapps\.com|mathoverflow\.net)$/;

export const stackExchange: Site = {
  name: "stack-exchange",
  api: [API],
  read(url, ask) {
    const site = HOST.exec(url.hostname)?.[1];
    const [kind, id = ""] = partsOf(url);
    if (site === undefined || !/^\d+$/.test(id)) return undefined;
    if (kind === "a") return questionOfAnswer(id, site, ask).then((question) => readQuestion(question, site, url, ask));
    return kind === "questions" || kind === "q" ? readQuestion(id, site, url, ask) : undefined;
  },
};

async function questionOfAnswer(id: string, site: string, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${API}/2.3/answers/${id}?site=${site}`);
  return String(numberAt(answer, "items", 0, "question_id") ?? "");
}

/** The API returns names and titles HTML-encoded, and texts as HTML, so all of it is converted at once. */
async function readQuestion(id: string, site: string, url: URL, ask: SiteClient): Promise<string> {
  const query = `site=${site}&filter=withbody`;
  const [questions, answers] = await Promise.all([
    ask.json(`${API}/2.3/questions/${id}?${query}`),
    ask.json(`${API}/2.3/questions/${id}/answers?order=desc&sort=votes&pagesize=10&${query}`),
  ]);
  const [question] = itemsAt(questions, "items");
  const count = numberAt(question, "answer_count") ?? 0;
  const html = [
    `<h1>${requiredText(question, "title")}</h1>`,
    `<p>${byLine(question)}; tags: ${itemsAt(question, "tags").join(", ")}</p>`,
    textAt(question, "body"),
    ...itemsAt(answers, "items").flatMap((answer, at) => [
      `<h2>Answer ${at + 1} of ${count}${isTrueAt(answer, "is_accepted") ? " (accepted)" : ""}</h2>`,
      `<p>${byLine(answer)}</p>`,
      textAt(answer, "body"),
    ]),
  ];
  return ask.markdown(html.join("\n"), url.href);
}

const byLine = (post: JsonValue | undefined): string =>
  `Score ${numberAt(post, "score") ?? 0}, ${textAt(post, "owner", "display_name")}, ${dayOf(numberAt(post, "creation_date"))}`;
