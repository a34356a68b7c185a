// Engines that take a query and return a list, with one request each.

import { itemsAt } from "@lathe/agent/files";
import type { JsonObject } from "@lathe/llm";
import { bearer, countFor, type Engine, firstDay, sourcesOf } from "../engine.ts";
import { countIn, objectIn, objectsIn, textIn, textsIn } from "../json-parts.ts";

export const tavily: Engine = {
  async search(query, { baseUrl, key, now, json }) {
    const answer = await json(`${baseUrl}/search`, {
      headers: bearer(key),
      json: {
        query: query.query,
        max_results: countFor(query, { usual: 5, least: 5, most: 20 }),
        search_depth: "basic",
        include_answer: true,
        ...(query.recency === undefined ? {} : { time_range: query.recency }),
      },
    });
    return {
      answer: textIn(answer, "answer"),
      sources: sourcesOf(itemsAt(answer, "results"), { snippet: ["content"], date: ["published_date"] }, now),
    };
  },
};

const FRESHNESS = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

export const brave: Engine = {
  async search(query, { baseUrl, key, now, json }) {
    const asked = new URLSearchParams({
      q: query.query,
      count: String(countFor(query, { most: 20 })),
      extra_snippets: "true",
      ...(query.recency === undefined ? {} : { freshness: FRESHNESS[query.recency] }),
    });
    const answer = await json(`${baseUrl}/res/v1/web/search?${asked}`, { headers: { "x-subscription-token": key } });
    const results = objectsIn(answer, "web", "results").map(
      (one): JsonObject => ({
        ...one,
        description: [textIn(one, "description") ?? "", ...textsIn(one, "extra_snippets")].join(" "),
      }),
    );
    return { sources: sourcesOf(results, { snippet: ["description"], date: ["age", "page_age"] }, now) };
  },
};

export const jina: Engine = {
  async search({ query }, { baseUrl, key, now, json }) {
    const answer = await json(`${baseUrl}/${encodeURIComponent(query)}`, {
      // Leaves out the text of every page.
      headers: { ...bearer(key), "x-respond-with": "no-content" },
    });
    return {
      sources: sourcesOf(itemsAt(answer, "data"), { snippet: ["description", "content"], date: ["date"] }, now),
    };
  },
};

const KIMI_SECONDS = 30;

export const kimi: Engine = {
  timeoutMs: KIMI_SECONDS * 1000,
  async search(query, { baseUrl, key, now, json }) {
    const answer = await json(baseUrl, {
      headers: bearer(key),
      json: {
        text_query: query.query,
        limit: countFor(query, { most: 20 }),
        enable_page_crawling: false,
        timeout_seconds: KIMI_SECONDS,
      },
    });
    const results = itemsAt(answer, "search_results");
    return { sources: sourcesOf(results, { snippet: ["snippet", "content"], date: ["date"] }, now) };
  },
};

export const parallel: Engine = {
  async search(query, { baseUrl, key, now, json }) {
    const answer = await json(`${baseUrl}/v1beta/search`, {
      headers: { "x-api-key": key, "parallel-beta": "search-extract-2025-10-10" },
      json: {
        objective: query.query,
        search_queries: [query.query],
        mode: "fast",
        max_results: countFor(query, { most: 40 }),
        excerpts: { max_chars_per_result: 10_000 },
        ...(query.recency === undefined ? {} : { source_policy: { after_date: firstDay(query.recency, now()) } }),
      },
    });
    const results = objectsIn(answer, "results").map(
      (one): JsonObject => ({ ...one, excerpt: textsIn(one, "excerpts").join(" ") }),
    );
    return { sources: sourcesOf(results, { snippet: ["excerpt"], date: ["publish_date"] }, now) };
  },
};

export const kagi: Engine = {
  async search(query, { baseUrl, key, now, json }) {
    const answer = await json(`${baseUrl}/api/v1/search`, {
      headers: bearer(key),
      json: {
        query: query.query,
        workflow: "search",
        limit: countFor(query, { most: 40 }),
        ...(query.recency === undefined ? {} : { filters: { after: firstDay(query.recency, now()) } }),
      },
    });
    const data = objectIn(answer, "data");
    const found = ["search", "news", "video", "infobox"].flatMap((kind) => itemsAt(data, kind));
    const related = ["adjacent_question", "related_search"].flatMap((kind) => itemsAt(data, kind));
    return {
      answer: textIn(objectsIn(data, "direct_answer")[0], "snippet", "title"),
      sources: sourcesOf(found, { snippet: ["snippet"], date: ["time"] }, now),
      related: related.flatMap((one) => {
        const question =
          typeof one === "string" ? one : (textIn(one, "query") ?? textIn(objectIn(one, "props"), "question"));
        return question === undefined ? [] : [question];
      }),
    };
  },
};

export const synthetic: Engine = {
  async search({ query }, { baseUrl, key, now, json }) {
    const answer = await json(`${baseUrl}/v2/search`, { headers: bearer(key), json: { query } });
    return { sources: sourcesOf(itemsAt(answer, "results"), { snippet: ["text"], date: ["published"] }, now) };
  },
};

/** SearXNG has no range for a week: older servers refuse one. */
const SEARXNG_RANGE = { day: "day", week: "month", month: "month", year: "year" } as const;

export const searxng: Engine = {
  async search(query, { baseUrl, key, now, json, searxng: { categories, language, username, password } }) {
    const asked = new URLSearchParams({
      q: query.query,
      format: "json",
      ...(query.recency === undefined ? {} : { time_range: SEARXNG_RANGE[query.recency] }),
      ...(categories === "" ? {} : { categories }),
      ...(language === "" ? {} : { language }),
    });
    const basic = Buffer.from(`${username}:${password || key}`).toString("base64");
    const proof = username !== "" ? { authorization: `Basic ${basic}` } : key === "" ? {} : bearer(key);
    const answer = await json(`${baseUrl}/search?${asked}`, { headers: proof });
    const results = itemsAt(answer, "results").slice(0, countFor(query, { most: 20 }));
    const [first] = itemsAt(answer, "answers");
    return {
      answer: typeof first === "string" ? first : textIn(first, "answer"),
      sources: sourcesOf(results, { snippet: ["content"], date: ["publishedDate"] }, now),
      related: textsIn(answer, "suggestions"),
    };
  },
};

export const exa: Engine = {
  async search(query, { baseUrl, key, now, json }) {
    const answer = await json(`${baseUrl}/search`, {
      headers: { "x-api-key": key },
      json: {
        query: query.query,
        type: "auto",
        numResults: countFor(query, { most: 100 }),
        contents: { summary: true },
        ...(query.recency === undefined
          ? {}
          : { startPublishedDate: `${firstDay(query.recency, now())}T00:00:00.000Z` }),
      },
    });
    const results = objectsIn(answer, "results");
    const summaries = results.flatMap((one) => textIn(one, "summary") ?? []);
    const cost = countIn(objectIn(answer, "costDollars"), "total");
    return {
      answer: summaries.slice(0, 3).join("\n\n"),
      sources: sourcesOf(results, { snippet: ["summary", "text"], date: ["publishedDate"] }, now),
      ...(cost > 0 ? { billed: { model: "exa/search", cost } } : {}),
    };
  },
};
