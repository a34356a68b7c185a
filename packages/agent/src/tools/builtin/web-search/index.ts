// The web search tool. The call itself asks the engines that the user chose. Any other engine needs its own approval:
// that of the call if there is no chosen engine, that of a nested call if the chosen ones have failed.

import { choice, integer, number, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Card, CardResult } from "../../../contract/card.ts";
import {
  type Access,
  type CallScope,
  type Preview,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { RECENCIES, type SearchProvider, type SearchQuery } from "../../../files/web/search.ts";
import "../../../files/web/services.ts";
import { COLLAPSED_LINES, countOf, objectsIn, verbOf } from "../card.ts";
import { answerText } from "./answer-text.ts";
import { type Asked, askEngines, type Failed, failureText } from "./ask-engines.ts";
import description from "./description.md";

/** Kept short, because this is part of every request. */
const params = {
  query: text(),
  recency: optional(choice(RECENCIES)),
  limit: optional(integer()),
  max_tokens: optional(integer()),
  temperature: optional(number()),
  num_search_results: optional(integer()),
};

type Args = StaticFields<typeof params>;

const face = {
  schema: object(params),
  tier: "network",
  replay: "safe",
  needs: ["webSearch"],
  // Each engine has its own deadline, and there may be many of them.
  timeoutMs: 0,
  summary: ({ query }) => query,
} as const satisfies Partial<ToolDef<Args>>;

/** Searches the web; offered if the host provides `services.webSearch`. */
export const webSearchTool: ToolDef = {
  ...face,
  name: "web_search",
  label: "Web search",
  description: description.trim(),
  access: async (_args, scope) => accessOf((await splitEngines(scope)).engines),
  preview: async (args, scope) => previewOf(args, (await splitEngines(scope)).engines),
  card: ({ query }, result) => cardOf(query, result),
  async execute(args, context) {
    if (args.query.trim() === "") throw new ToolFailure("The query is empty: say what to search for.");
    const { engines, others } = await splitEngines(context);
    const asked = await ask(engines, args, context);
    if (asked.found) return resultOf(asked, asked.found);
    if (others.length === 0) return nothingFound(asked);
    const keyless = await context.call(keylessSearchCall.name, args);
    if (!keyless.isError) return keyless;
    const why = keyless.content.map((part) => (part.kind === "text" ? part.text : "")).join("");
    const failed = { engine: others.map(({ name }) => name).join(", "), why: why.replace(/^Error: /, "") };
    return nothingFound({ ...asked, failed: [...asked.failed, failed] });
  },
} satisfies ToolDef<Args>;

/** Asks the engines that the user did not choose, after the chosen ones failed. It is not offered to the model. */
export const keylessSearchCall: ToolDef = {
  ...face,
  name: "web_search_keyless",
  label: "Web search without a key",
  description: "What web_search does when the engines that the user chose have failed.",
  hidden: true,
  access: async (_args, scope) => accessOf((await splitEngines(scope)).others),
  preview: async (args, scope) => previewOf(args, (await splitEngines(scope)).others),
  async execute(args, context) {
    const asked = await ask((await splitEngines(context)).others, args, context);
    return asked.found ? resultOf(asked, asked.found) : nothingFound(asked);
  },
} satisfies ToolDef<Args>;

async function splitEngines({ services }: CallScope): Promise<Record<"engines" | "others", readonly SearchProvider[]>> {
  const all = (await services.webSearch?.engines()) ?? [];
  const chosen = all.filter(({ isChosen }) => isChosen);
  if (chosen.length === 0) return { engines: all, others: [] };
  return { engines: chosen, others: all.filter(({ isChosen }) => !isChosen) };
}

function previewOf({ query }: Args, engines: readonly SearchProvider[]): Preview {
  const names = engines.map(({ name }) => name).join(", then ");
  const covers = engines.some(({ isChosen }) => !isChosen) ? [YES_COVERS] : [];
  const question = `Search the web with ${names}`;
  return { lines: [{ text: question, kind: "question" }, { text: query }, ...covers], shows: ["query"] };
}

const YES_COVERS = { text: "your yes covers all searches of this session", kind: "note" } as const;

const accessOf = (engines: readonly SearchProvider[]): Access[] =>
  engines.flatMap(({ hosts, isChosen }) =>
    hosts.map((host): Access => ({ kind: "network", host, ...(isChosen ? { chosen: true } : {}) })),
  );

async function ask(engines: readonly SearchProvider[], args: Args, context: ToolContext): Promise<Asked> {
  const { services, signal } = context;
  const gate = services.web?.gate;
  if (!gate) throw new ToolFailure("The web cannot be reached here.");
  // The call was allowed: by the user, by one of their rules, or by their mode.
  for (const engine of engines) if (!engine.isChosen) services.webSearch?.accept(engine);
  const { query, recency, limit, max_tokens: maxTokens, temperature, num_search_results: numSearchResults } = args;
  const asked: SearchQuery = { query, recency, limit, maxTokens, temperature, numSearchResults };
  return askEngines(engines, asked, {
    gate,
    signal,
    onAnswer: ({ billed }) => {
      if (billed) services.recordBilled?.("web_search", billed);
    },
  });
}

function resultOf({ failed }: Asked, { engine, answer }: NonNullable<Asked["found"]>): ToolResult {
  const listed = answer.sources.filter(({ isWritten }) => !isWritten);
  const links = [...listed, ...(answer.citations ?? [])].map(({ url }) => url);
  const sources = answer.sources.map(({ title, url }) => ({ title, url }));
  return {
    content: [{ kind: "text", text: answerText(answer) }],
    details: { engine: engine.name, sources, ...failedField(failed) },
    fromWeb: { source: engine.name, links: [...new Set(links)] },
    effects: "none",
  };
}

function nothingFound({ failed, empty }: Asked): ToolResult {
  const isError = empty.length === 0;
  const said = isError ? failureText(failed) : `Nothing found (asked ${empty.join(", ")}).`;
  return {
    content: [{ kind: "text", text: said }],
    details: { sources: [], ...failedField(failed) },
    isError,
    effects: "none",
  };
}

const failedField = (failed: readonly Failed[]) =>
  failed.length === 0 ? {} : { failed: failed.map((one) => ({ ...one })) };

function cardOf(query: string, result: CardResult | undefined): Card {
  const sources = objectsIn(result?.details["sources"]);
  const engine = result?.details["engine"];
  return {
    verb: verbOf(["Searching the web for", "Searched the web for", "Search the web for"], result),
    subject: query,
    outcome:
      result && !result.isError
        ? `${countOf(sources.length, "source")}${typeof engine === "string" ? ` from ${engine}` : ""}`
        : undefined,
    ...(sources.length === 0
      ? {}
      : {
          body: {
            kind: "lines",
            lines: sources.map(({ title, url }) => ({ text: `${hostOf(String(url))}  ${String(title)}` })),
            collapsed: COLLAPSED_LINES,
          },
        }),
  };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);
