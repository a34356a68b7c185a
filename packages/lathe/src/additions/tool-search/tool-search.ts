// Tools that are not sent to the model until it looks for them (`search_tool_bm25`): with hundreds of tools, the prompt stays small.
// What was found stays in the list, also after a resume.

import { type SessionTool, type ToolDef, ToolFailure, type ToolProvider, type ToolResult } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";
import description from "./description.md";
import { type Document, rank, tokens } from "./rank-tools.ts";

type DiscoveryMode = "auto" | "mcp-only" | "all" | "off";

/** A tool that may be hidden, and how it is found. */
export interface Hideable {
  readonly tool: ToolDef;
  /** Of a server's tool: what the server calls it, and the server. */
  readonly ofServer?: { readonly tool: string; readonly server: string };
}

export interface ToolSearchOptions {
  readonly mode: DiscoveryMode;
  /** In mode `all`: built-in tools that are always offered. Empty: those that read, edit and run commands. */
  readonly essential: readonly string[];
  /** The tools of servers; the same array until something changes. */
  readonly fromServers: () => readonly Hideable[];
  /** The tools of the present profile. */
  readonly builtin: () => readonly ToolDef[];
  /** Names that were found in an earlier process. */
  readonly selected: readonly string[];
  readonly onSelected: (names: readonly string[]) => void;
}

export const SEARCH_TOOL = "search_tool_bm25";
/** Mode `auto` hides the tools of servers when there are more than this. */
const MANY = 40;
const DEFAULT_LIMIT = 8;
const SUMMARY_CHARS = 200;
/** How the profiles call what no agent can work without. */
const ESSENTIAL = /^(read|read_file|bash|shell|run_shell_command|edit|edit_file|replace|apply_patch)$/i;
/** Protocol of the loop itself: never hidden, never found. */
const INTERNAL: ReadonlySet<string> = new Set(["exit_plan_mode", "ExitPlanMode", SEARCH_TOOL]);

export class ToolSearch implements ToolProvider {
  readonly #options: ToolSearchOptions;
  readonly #selected: Set<string>;
  #from: readonly Hideable[] = [];
  #builtin: readonly ToolDef[] = [];
  #tools: readonly SessionTool[] | undefined;

  constructor(options: ToolSearchOptions) {
    this.#options = options;
    this.#selected = new Set(options.selected);
  }

  tools(): readonly SessionTool[] {
    const from = this.#options.fromServers();
    const builtin = this.#options.builtin();
    if (this.#tools && from === this.#from && builtin.length === this.#builtin.length) return this.#tools;
    this.#from = from;
    this.#builtin = builtin;
    const offered = from.map(({ tool }) => tool);
    this.#tools = this.#isOn ? [this.#searchTool, ...offered.filter(({ name }) => this.#selected.has(name))] : offered;
    return this.#tools;
  }

  hides({ name }: ToolDef): boolean {
    if (this.#options.mode !== "all" || INTERNAL.has(name) || this.#selected.has(name)) return false;
    const { essential } = this.#options;
    return essential.length > 0 ? !essential.includes(name) : !ESSENTIAL.test(name);
  }

  wayTo(name: string): string | undefined {
    if (!this.#isOn || !this.#hiddenTools().some(({ tool }) => tool.name === name)) return undefined;
    return `The tool ${name} exists but is not loaded. Call ${SEARCH_TOOL} with the query "${name}" first, then call it again.`;
  }

  /** What can be found: hidden, and not found yet. */
  #hiddenTools(): readonly Hideable[] {
    const own = this.#builtin.filter((tool) => this.hides(tool)).map((tool) => ({ tool }));
    return [...own, ...this.#from.filter(({ tool }) => !this.#selected.has(tool.name))];
  }

  get #isOn(): boolean {
    const { mode } = this.#options;
    if (mode === "auto") return this.#from.length > 0 && this.#builtin.length + this.#from.length > MANY;
    return mode === "all" || (mode === "mcp-only" && this.#from.length > 0);
  }

  readonly #searchTool: ToolDef = {
    name: SEARCH_TOOL,
    label: "Find tools",
    description: description.trim(),
    schema: {
      type: "object",
      properties: {
        query: { type: "string", description: "A few words for what the tool should do" },
        limit: {
          type: "integer",
          minimum: 1,
          description: `How many tools to add at most; ${DEFAULT_LIMIT} when absent`,
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    tier: "read",
    replay: "safe",
    sessionOnly: true,
    summary: ({ query }) => String(query),
    card: ({ query }, result) => ({
      verb: result ? "Found tools" : "Looking for tools",
      subject: String(query),
      ...(result ? { outcome: `${result.details.match_count ?? 0} added` } : {}),
    }),
    execute: (args) => this.#search(args),
  };

  #search({ query, limit = DEFAULT_LIMIT }: JsonObject): ToolResult {
    const wanted = String(query).trim();
    if (tokens(wanted).length === 0) throw new ToolFailure("Query must contain at least one letter or number.");
    const hidden = this.#hiddenTools();
    const matches = rank(wanted, hidden.map(documentOf)).slice(0, Number(limit));
    const names = matches.map(({ name }) => name);
    if (names.length > 0) {
      for (const name of names) this.#selected.add(name);
      this.#tools = undefined;
      this.#options.onSelected([...this.#selected]);
    }
    const total = this.#builtin.length + this.#from.length;
    const answer = { query: wanted, activated_tools: names, match_count: names.length, total_tools: total };
    return {
      content: [{ kind: "text", text: JSON.stringify(answer) }],
      details: { ...answer, matches: matches.map(({ name, score }) => ({ name, score: Number(score.toFixed(6)) })) },
      effects: "done",
    };
  }
}

export function documentOf({ tool, ofServer }: Hideable): Document {
  const properties = tool.schema["properties"];
  const keys = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return {
    name: tool.name,
    fields: [
      { text: tool.name, weight: 6 },
      { text: tool.label, weight: 4 },
      { text: ofServer?.tool ?? "", weight: 4 },
      { text: ofServer?.server ?? "", weight: 2 },
      { text: tool.description.slice(0, SUMMARY_CHARS), weight: 2 },
      ...keys.map((text) => ({ text, weight: 1 })),
    ],
  };
}
