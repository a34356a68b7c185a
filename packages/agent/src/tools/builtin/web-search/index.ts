import "../../../files/web/services.ts";
import { object, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { countOf, verbOf } from "../card.ts";
import description from "./description.md";

const params = { query: text("What to search for") };

const MOST = 10;

/** Searches the web; offered when the host supplies `services.web.search`. */
export const webSearchTool: ToolDef = {
  name: "web_search",
  label: "Web search",
  description: description.trim(),
  schema: object(params),
  tier: "network",
  replay: "safe",
  access: (_args, { services }) => [{ kind: "network", host: services.web?.search?.name ?? "the search engine" }],
  summary: ({ query }) => query,
  card: ({ query }, result) => ({
    verb: verbOf(["Searching the web for", "Searched the web for", "Search the web for"], result),
    subject: query,
    outcome: typeof result?.details["hits"] === "number" ? countOf(result.details["hits"], "result") : undefined,
  }),
  async execute({ query }, { services, signal }) {
    const provider = services.web?.search;
    if (!provider) throw new ToolFailure("No search engine is set up here.");
    const hits = await provider.search(query, { maxResults: MOST, signal });
    const shown = hits
      .slice(0, MOST)
      .map(({ title, url, snippet }, i) => `${i + 1}. ${title}\n   ${url}${snippet ? `\n   ${snippet}` : ""}`);
    return {
      content: [{ kind: "text", text: shown.length > 0 ? shown.join("\n") : "Nothing found" }],
      details: { provider: provider.name, hits: hits.length },
      effects: "none",
    };
  },
} satisfies ToolDef<StaticFields<typeof params>>;
