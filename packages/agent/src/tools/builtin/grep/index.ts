import { choice, flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { CardResult } from "../../../contract/card.ts";
import {
  type Access,
  type CallScope,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { EnvError } from "../../../world/env/types.ts";
import { countOf, exploringCard } from "../card.ts";
import { SEARCH_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  pattern: text(),
  path: optional(text("File or directory to search; the working directory when not given")),
  glob_filter: optional(text()),
  case_insensitive: optional(flag("Ignore the difference between upper and lower case")),
  max_results: optional(integer({ description: "Stop after this many lines; 100 when not given", minimum: 1 })),
};

const withModes = {
  ...params,
  output_mode: optional(
    choice(["content", "files_with_matches", "count"], "Matching lines, only the names of files, or matches per file"),
  ),
};

type Args = StaticFields<typeof withModes>;

const DEFAULT_MOST = 100;

const base = {
  name: "grep",
  label: "Search",
  description: description.trim(),
  tier: "read",
  replay: "safe",
  output: SEARCH_OUTPUT,
} as const;

const subjectOf = ({ pattern, path }: Args): string => (path === undefined ? pattern : `${pattern} in ${path}`);

const meaning = {
  async access({ path = ".", glob_filter: filter }: Args, { paths }: CallScope): Promise<readonly Access[]> {
    const { real } = await paths.locate(path);
    return [{ kind: "read", path: real, search: true, ...(filter === undefined ? {} : { filter }) }];
  },
  summary: subjectOf,
  card: (args: Args, result?: CardResult) =>
    exploringCard(["Searching", "Searched", "Search"], subjectOf(args), result, ({ matches, truncated }) =>
      typeof matches === "number" ? `${countOf(matches, "match", "matches")}${truncated ? " or more" : ""}` : undefined,
    ),
  execute: search,
};

export const grepTool: ToolDef<StaticFields<typeof params>> = { ...base, ...meaning, schema: object(params) };

/** The same tool with a choice of output modes. */
export const grepWithModesTool: ToolDef<Args> = { ...base, ...meaning, schema: object(withModes) };

async function search(args: Args, { env, paths, signal }: ToolContext): Promise<ToolResult> {
  const { pattern, path = ".", max_results: most = DEFAULT_MOST } = args;
  try {
    const root = await paths.searchRoot(path);
    const { lines, truncated } = await env.grep(pattern, root, {
      globFilter: args.glob_filter,
      caseInsensitive: args.case_insensitive,
      mode: args.output_mode,
      maxResults: most,
      signal,
    });
    const more = truncated ? `\n[more than ${most} results; narrow the search or raise max_results]` : "";
    return {
      content: [{ kind: "text", text: lines.length === 0 ? "No matches found" : lines.join("\n") + more }],
      details: { matches: lines.length, truncated },
      effects: "none",
    };
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(error.message);
    throw error;
  }
}
