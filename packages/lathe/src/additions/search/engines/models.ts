// Engines in which a vendor's model searches and writes the answer. Their charges are counted.

import type { Billed } from "@lathe/agent/contract";
import { type Citation, itemsAt, type SearchSource } from "@lathe/agent/files";
import { builtinCatalog, comparableUsage, costOf, type JsonObject, type Usage } from "@lathe/llm";
import {
  bearer,
  type Engine,
  EngineFailure,
  type EngineMeans,
  isWebAddress,
  plainText,
  sourcesOf,
  wordsFor,
} from "../engine.ts";
import { countIn, objectIn, objectsIn, textIn, textsIn } from "../json-parts.ts";
import instructions from "./answer.md";
import { eventsOf } from "./events.ts";

/** The usual price of one search, in addition to tokens. */
const SEARCH_USD = 0.01;

function billedBy(provider: string, model: string, usage: Usage, searches = 0): Billed {
  const price = builtinCatalog.get(provider, model)?.cost;
  return {
    model: `${provider}/${model}`,
    usage: comparableUsage(usage, provider),
    ...(price === undefined ? {} : { cost: costOf(usage, price, provider) + searches * SEARCH_USD }),
  };
}

const sum = (inputTokens: number, outputTokens: number): Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});

/** Removes duplicate pages. */
const distinct = <T extends { readonly url: string }>(list: readonly T[]): T[] =>
  [...new Map([...list].reverse().map((one) => [one.url, one])).values()].reverse();

const RESULTS = 10;

export const perplexity: Engine = {
  timeoutMs: 60_000,
  async search(query, { baseUrl, key, model, now, json }) {
    const { maxTokens = 8192, temperature = 0.2, numSearchResults = RESULTS, recency } = query;
    const answer = await json(`${baseUrl}/chat/completions`, {
      headers: bearer(key),
      json: {
        model,
        messages: [
          { role: "system", content: instructions.trim() },
          { role: "user", content: query.query },
        ],
        max_tokens: maxTokens,
        temperature,
        search_mode: "web",
        num_search_results: numSearchResults,
        return_related_questions: true,
        ...(recency === undefined ? {} : { search_recency_filter: recency }),
      },
    });
    const listed = sourcesOf(
      itemsAt(answer, "search_results"),
      { snippet: ["snippet"], date: ["date", "last_updated"] },
      now,
    );
    const cited = textsIn(answer, "citations").filter(isWebAddress);
    const usage = objectIn(answer, "usage");
    const cost = objectIn(usage, "cost")["total_cost"];
    return {
      answer: textIn(objectIn(objectsIn(answer, "choices")[0], "message"), "content"),
      sources: listed.length > 0 ? listed : cited.map((url) => ({ title: url, url })),
      related: textsIn(answer, "related_questions"),
      billed: {
        model: `perplexity/${model}`,
        usage: sum(countIn(usage, "prompt_tokens"), countIn(usage, "completion_tokens")),
        ...(typeof cost === "number" ? { cost } : {}),
      },
    };
  },
};

export const anthropic: Engine = {
  timeoutMs: 60_000,
  async search(query, { baseUrl, key, isBearer, model, now, json }) {
    const proof = isBearer ? { ...bearer(key), "anthropic-beta": "oauth-2025-04-20" } : { "x-api-key": key };
    const answer = await json(`${baseUrl}/v1/messages`, {
      headers: { ...proof, "anthropic-version": "2023-06-01" },
      json: {
        model,
        max_tokens: query.maxTokens ?? 4096,
        ...(query.temperature === undefined ? {} : { temperature: query.temperature }),
        system: instructions.trim(),
        messages: [{ role: "user", content: wordsFor(query) }],
        tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }],
      },
    });
    const parts = objectsIn(answer, "content");
    const ofType = (type: string): readonly JsonObject[] => parts.filter((part) => part["type"] === type);
    const results = ofType("web_search_tool_result").flatMap((part) => objectsIn(part, "content"));
    const [refused] = ofType("web_search_tool_result").flatMap(
      (part) => textIn(objectIn(part, "content"), "error_code") ?? [],
    );
    const said = ofType("text")
      .flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []))
      .join("");
    if (results.length === 0 && refused !== undefined) throw new EngineFailure(`the search failed: ${refused}`);
    const usage = objectIn(answer, "usage");
    const tokens = {
      ...sum(countIn(usage, "input_tokens"), countIn(usage, "output_tokens")),
      cacheReadTokens: countIn(usage, "cache_read_input_tokens"),
      cacheWriteTokens: countIn(usage, "cache_creation_input_tokens"),
    };
    return {
      answer: said.trim(),
      sources: distinct(sourcesOf(results, { snippet: [], date: ["page_age"] }, now)),
      citations: citationsIn(ofType("text").flatMap((part) => objectsIn(part, "citations"))),
      queries: ofType("server_tool_use").flatMap((part) => textIn(objectIn(part, "input"), "query") ?? []),
      billed: billedBy("anthropic", model, tokens, countIn(objectIn(usage, "server_tool_use"), "web_search_requests")),
    };
  },
};

const citation = (url: string, text: string, page: JsonObject | undefined): Citation => ({
  url,
  text: plainText(text),
  title: plainText(textIn(page, "title") ?? ""),
});

function citationsIn(list: readonly JsonObject[]): Citation[] {
  return list.flatMap((one) => {
    const [url, text] = [textIn(one, "url"), textIn(one, "cited_text")];
    return url === undefined || text === undefined || !isWebAddress(url) ? [] : [citation(url, text, one)];
  });
}

const RETRIES = 3;
const RETRY_MS = 1000;

export const gemini: Engine = {
  timeoutMs: 300_000,
  async search(query, means) {
    const { baseUrl, key, model } = means;
    const { maxTokens, temperature } = query;
    const request = {
      headers: { "x-goog-api-key": key, accept: "text/event-stream" },
      json: {
        systemInstruction: { parts: [{ text: instructions.trim() }] },
        contents: [{ role: "user", parts: [{ text: wordsFor(query) }] }],
        tools: [{ google_search: {} }],
        generationConfig: {
          ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
          ...(temperature === undefined ? {} : { temperature }),
        },
      },
    };
    const url = `${baseUrl}/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const { text } = await withRetries(means, () => means.send(url, request));
    return geminiAnswer(eventsOf(text), model);
  },
};

/** Repeats a request to a busy server, at most three times, and doubles the wait each time. */
async function withRetries<T>({ sleep, signal }: EngineMeans, send: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await send();
    } catch (error) {
      const isBusy = error instanceof EngineFailure && (error.status === 429 || error.status >= 500);
      if (!isBusy || failures === RETRIES) throw error;
      await sleep(RETRY_MS * 2 ** failures, signal);
    }
  }
}

function geminiAnswer(events: readonly JsonObject[], model: string) {
  const candidates = events.flatMap((event) => objectsIn(event, "candidates"));
  if (!candidates.some((one) => textIn(one, "finishReason") !== undefined))
    throw new EngineFailure("the answer was cut off");
  const parts = candidates
    .flatMap((one) => objectsIn(one, "content", "parts"))
    .filter((part) => part["thought"] !== true);
  const grounding = candidates.map((one) => objectIn(one, "groundingMetadata"));
  const pages = grounding.flatMap((one) => objectsIn(one, "groundingChunks")).map((chunk) => objectIn(chunk, "web"));
  const usage = objectIn(
    events.findLast((event) => "usageMetadata" in event),
    "usageMetadata",
  );
  const read = countIn(usage, "promptTokenCount") + countIn(usage, "toolUsePromptTokenCount");
  const written = countIn(usage, "candidatesTokenCount") + countIn(usage, "thoughtsTokenCount");
  const citations = grounding
    .flatMap((one) => objectsIn(one, "groundingSupports"))
    .flatMap((support): Citation[] => {
      const page = pages[Number(itemsAt(support, "groundingChunkIndices")[0] ?? -1)];
      const [url, text] = [textIn(page, "uri"), textIn(objectIn(support, "segment"), "text")];
      return url === undefined || text === undefined ? [] : [citation(url, text, page)];
    });
  return {
    answer: parts
      .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
      .join("")
      .trim(),
    sources: distinct(sourcesOf(pages, { url: ["uri"], snippet: [] }, () => 0)),
    citations,
    queries: grounding.flatMap((one) => textsIn(one, "webSearchQueries")),
    billed: billedBy("gemini", model, { ...sum(read, written), raw: {} }),
  };
}

export const codex: Engine = {
  timeoutMs: 120_000,
  async search(query, { baseUrl, key, model, send }) {
    const { text } = await send(`${baseUrl}/responses`, {
      headers: { ...bearer(key), accept: "text/event-stream" },
      json: {
        model,
        instructions: instructions.trim(),
        input: [{ role: "user", content: [{ type: "input_text", text: wordsFor(query) }] }],
        tools: [{ type: "web_search", search_context_size: "high" }],
        tool_choice: { type: "web_search" },
        stream: true,
        store: false,
      },
    });
    const events = eventsOf(text);
    const last = events.findLast(({ type }) => type === "response.completed" || type === "response.incomplete");
    const wrong = events.find(({ type }) => type === "error" || type === "response.failed");
    const why = wrong && (textIn(wrong, "message") ?? textIn(objectIn(wrong, "response", "error"), "message"));
    if (!last) throw new EngineFailure(why ?? "the answer was cut off");
    return codexAnswer(objectIn(last, "response"), model);
  },
};

function codexAnswer(response: JsonObject, model: string) {
  const items = objectsIn(response, "output");
  const contents = items.flatMap((item) => (item["type"] === "message" ? objectsIn(item, "content") : []));
  const answer = contents.flatMap((part) => textIn(part, "text") ?? []).join("\n");
  const cited = contents
    .flatMap((part) => objectsIn(part, "annotations"))
    .filter(({ type }) => type === "url_citation");
  const sources = distinct(sourcesOf(cited, { snippet: [] }, () => 0));
  const calls = items.filter((item) => item["type"] === "web_search_call");
  const usage = objectIn(response, "usage");
  const tokens = {
    ...sum(countIn(usage, "input_tokens"), countIn(usage, "output_tokens")),
    cacheReadTokens: countIn(objectIn(usage, "input_tokens_details"), "cached_tokens"),
  };
  return {
    answer,
    sources: sources.length > 0 ? sources : linksIn(answer),
    queries: calls.flatMap((call) => textIn(objectIn(call, "action"), "query") ?? []),
    billed: billedBy("openai", model, tokens, calls.length),
  };
}

/**
 * The links in the text of an answer without citations. They do not count as shown addresses, because a query can
 * dictate them.
 */
function linksIn(answer: string): SearchSource[] {
  const named = [...answer.matchAll(/\[([^\]\n]{1,300})\]\((https?:\/\/[^\s)]+)\)/g)].map(
    ([, title = "", url = ""]) => ({ title, url }),
  );
  const bare = [...answer.matchAll(/https?:\/\/[^\s<>()[\]"']+/g)].map(([url]) => url.replace(/[.,;:!?]+$/, ""));
  const all = [...named, ...bare.map((url) => ({ title: url, url }))].filter(({ url }) => isWebAddress(url));
  return distinct(all).map((source) => ({ ...source, isWritten: true }));
}
