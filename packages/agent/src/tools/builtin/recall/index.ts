import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { RECALL } from "../../../context/recall/recall.ts";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { exploringCard } from "../card.ts";
import description from "./description.md";

const params = {
  query: optional(text("Words to look for")),
  entry: optional(text("Id of an entry to show whole, from an earlier hit")),
  limit: optional(integer({ description: "How many hits; 5 when not given", minimum: 1, maximum: 20 })),
};

const DEFAULT_LIMIT = 5;

export const recallTool: ToolDef<StaticFields<typeof params>> = {
  name: RECALL,
  label: "Recall",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  needs: ["recall"],
  access: () => [],
  summary: ({ query, entry }) => entry ?? query ?? "",
  card: ({ query, entry }, result) =>
    exploringCard(["Recalling", "Recalled", "Recall"], entry ?? query ?? "", result, () => undefined),
  execute({ query, entry, limit = DEFAULT_LIMIT }, { services: { recall } }) {
    if (!recall) throw new ToolFailure("You can still see everything in this session.");
    if (entry !== undefined) {
      const whole = recall.entry(entry);
      if (whole === undefined) throw new ToolFailure(`There is no entry ${entry}. Use an id from an earlier hit.`);
      return whole === "" ? "(nothing to show in this entry)" : whole;
    }
    if (query === undefined || query.trim() === "") throw new ToolFailure("Give `query`: a few words to look for.");
    const found = recall.search(query, limit);
    if (found.length === 0) return `Nothing in this session matches "${query}". Try other words.`;
    return found
      .map(({ entryId, kind, timestamp, text: passage }) => `[${entryId}] ${kind}, ${timestamp}\n${passage}`)
      .join("\n\n---\n\n");
  },
};

/** Appended to a summary. */
export const RECALL_POINTER =
  "Messages and output omitted from these notes are kept. If you need any of it, use the recall tool.";
