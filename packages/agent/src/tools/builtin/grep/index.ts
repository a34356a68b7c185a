import { choice, flag, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Card, CardResult } from "../../../contract/card.ts";
import {
  type Access,
  type CallScope,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { EnvError, type GrepOptions } from "../../../world/env/types.ts";
import { countOf, exploringCard } from "../card.ts";
import { definedOptions } from "../defined-options.ts";
import { SEARCH_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  pattern: text("Regular expression to look for"),
  path: optional(text("File or directory to search; the working directory when not given")),
  glob_filter: optional(text("Only files whose path matches this glob")),
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

const meaning = {
  access: (args: Args, scope: CallScope) => grepAccess(args.path, args.glob_filter, scope),
  summary: ({ pattern, path }: Args) => grepSummary(pattern, path),
  card: ({ pattern, path }: Args, result?: CardResult) => grepCard(pattern, path, result),
  execute: search,
};

export const grepTool: ToolDef<StaticFields<typeof params>> = { ...base, ...meaning, schema: object(params) };

/** The same with a choice of what to show. */
export const grepWithModesTool: ToolDef<Args> = { ...base, ...meaning, schema: object(withModes) };

export async function grepAccess(
  path = ".",
  filter: string | undefined,
  { paths }: CallScope,
): Promise<readonly Access[]> {
  const { real } = await paths.locate(path);
  return [{ kind: "read", path: real, search: true, ...(filter === undefined ? {} : { filter }) }];
}

export function grepSummary(pattern: string, path: string | undefined): string {
  return path === undefined ? pattern : `${pattern} in ${path}`;
}

export function grepCard(pattern: string, path: string | undefined, result: CardResult | undefined): Card {
  return exploringCard(
    ["Searching", "Searched", "Search"],
    grepSummary(pattern, path),
    result,
    ({ matches, truncated }) =>
      typeof matches === "number" ? `${countOf(matches, "match", "matches")}${truncated ? " or more" : ""}` : undefined,
  );
}

function search(args: Args, context: ToolContext): Promise<ToolResult> {
  const query = definedOptions({
    pattern: args.pattern,
    path: args.path,
    globFilter: args.glob_filter,
    caseInsensitive: args.case_insensitive,
    mode: args.output_mode,
    most: args.max_results,
    mostName: "max_results",
  });
  return runGrep(query, context);
}

/** What every search face reduces to. */
export interface GrepQuery extends Pick<GrepOptions, "globFilter" | "caseInsensitive" | "mode" | "before" | "after"> {
  readonly pattern: string;
  readonly path?: string;
  readonly most?: number;
  /** The parameter that raises the limit. */
  readonly mostName: string;
}

export async function runGrep(query: GrepQuery, { env, paths, signal }: ToolContext): Promise<ToolResult> {
  const { pattern, path = ".", most = DEFAULT_MOST, mostName, ...options } = query;
  try {
    const { lines, truncated } = await env.grep(pattern, await paths.searchRoot(path), {
      ...options,
      maxResults: most,
      signal,
    });
    const more = truncated ? `\n[more than ${most} results; narrow the search or raise ${mostName}]` : "";
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
