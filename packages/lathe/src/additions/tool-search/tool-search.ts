// Tools that are not sent to the model until it searches for them (`search_tool_bm25`), so that the prompt stays small
// even with hundreds of tools. Found tools stay in the list, even after a resume.

import { type SessionTool, type ToolDef, ToolFailure, type ToolProvider, type ToolResult } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";
import { shorten } from "../../sessions/list.ts";
import description from "./description.md";
import { type Document, rank, tokens } from "./rank-tools.ts";

type DiscoveryMode = "auto" | "mcp-only" | "all" | "off";

/** A tool of a server, with the server and the tool's name there. */
export interface ServerTool extends ToolDef {
  readonly ofServer: { readonly tool: string; readonly server: string };
}

export interface ToolSearchOptions {
  readonly mode: DiscoveryMode;
  /** In mode `all`: built-in tools that are always offered. If empty, those that read, edit and run commands. */
  readonly essential: readonly string[];
  /** The tools of the current profile. */
  readonly builtin: () => readonly ToolDef[];
  /** All tools of the session, hidden or not. */
  readonly knownTools: () => readonly ToolDef[];
  /** Names that are offered without a search: found in an earlier process, or named by the host. */
  readonly selected: readonly string[];
  readonly onSelected: (names: readonly string[]) => void;
}

export const SEARCH_TOOL = "search_tool_bm25";
/** With more tools than this, mode `auto` hides those of servers. */
const MANY = 40;
const DEFAULT_LIMIT = 8;
const SUMMARY_CHARS = 200;
const FEW_WORDS_CHARS = 80;
/** The profiles' names for tools that no agent can work without. */
const ESSENTIAL = /^(read|read_file|bash|shell|run_shell_command|edit|edit_file|replace|apply_patch)$/i;
/** Tools of the loop itself: never hidden, never found. */
const INTERNAL: ReadonlySet<string> = new Set(["exit_plan_mode", "ExitPlanMode", SEARCH_TOOL]);

export class ToolSearch implements ToolProvider {
  readonly #options: ToolSearchOptions;
  readonly #selected: Set<string>;
  #known: readonly ToolDef[] = [];
  /** The profile's tools that are offered from the start. */
  #builtin: readonly ToolDef[] = [];
  #servers: readonly ToolDef[] = [];
  /** Names of tools outside the profile. Tools that users add are not hidden, even if there are many. */
  #added: ReadonlySet<string> = new Set();
  #discoverable: readonly ToolDef[] = [];
  #tools: readonly SessionTool[] | undefined;
  #searchTool: ToolDef | undefined;

  constructor(options: ToolSearchOptions) {
    this.#options = options;
    this.#selected = new Set(options.selected);
  }

  tools(): readonly SessionTool[] {
    const known = this.#options.knownTools();
    if (this.#tools && known.length === this.#known.length && known.every((tool, i) => tool === this.#known[i]))
      return this.#tools;
    this.#known = known;
    const profile = this.#options.builtin().filter(({ hidden }) => !hidden);
    this.#builtin = profile.filter(({ loadMode }) => loadMode !== "discoverable");
    const builtin = new Set(profile.map(({ name }) => name));
    this.#added = new Set(known.flatMap(({ name }) => (builtin.has(name) ? [] : [name])));
    this.#servers = known.filter((tool) => serverOf(tool) !== undefined);
    this.#discoverable = known.filter(({ loadMode }) => loadMode === "discoverable");
    this.#tools = this.#isOn ? [this.#currentSearchTool()] : [];
    return this.#tools;
  }

  hides(tool: ToolDef): boolean {
    const { mode, essential } = this.#options;
    const { name } = tool;
    if (mode === "off" || tool.hidden || INTERNAL.has(name) || this.#selected.has(name)) return false;
    if (tool.loadMode === "discoverable") return true;
    if (serverOf(tool)) return this.#hidesServers;
    if (mode !== "all" || this.#added.has(name)) return false;
    return essential.length > 0 ? !essential.includes(name) : !ESSENTIAL.test(name);
  }

  wayTo(name: string): string | undefined {
    if (!this.#isOn || !this.#hiddenTools().some((tool) => tool.name === name)) return undefined;
    return `The tool ${name} exists but is not loaded. Call ${SEARCH_TOOL} with the query "${name}" first, then call it again.`;
  }

  /** The tools that can be found: hidden and not found yet. */
  #hiddenTools(): readonly ToolDef[] {
    return this.#known.filter((tool) => this.hides(tool));
  }

  get #isOn(): boolean {
    const { mode } = this.#options;
    return mode === "all" || this.#hidesServers || (mode !== "off" && this.#discoverable.length > 0);
  }

  get #hidesServers(): boolean {
    const { mode } = this.#options;
    if (mode === "off" || this.#servers.length === 0) return false;
    return mode !== "auto" || this.#builtin.length + this.#servers.length > MANY;
  }

  /**
   * Returns the same object while its text is unchanged. Finding a tool does not change it, so the prefix stays cached.
   */
  #currentSearchTool(): ToolDef {
    const named = this.#discoverable.map((tool) => `- ${tool.name}: ${fewWords(tool.description)}`);
    const text = [description.trim(), ...(named.length === 0 ? [] : ["", "Among them:", ...named])].join("\n");
    if (this.#searchTool?.description !== text) this.#searchTool = this.#makeSearchTool(text);
    return this.#searchTool as ToolDef;
  }

  readonly #makeSearchTool = (text: string): ToolDef => ({
    name: SEARCH_TOOL,
    label: "Find tools",
    description: text,
    schema: {
      type: "object",
      properties: {
        query: { type: "string" },
        limit: { type: "integer", minimum: 1, description: `Most tools to add; ${DEFAULT_LIMIT} when absent` },
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
  });

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
    const total = this.#known.length;
    const answer = { query: wanted, activated_tools: names, match_count: names.length, total_tools: total };
    return {
      content: [{ kind: "text", text: JSON.stringify(answer) }],
      details: { ...answer, matches: matches.map(({ name, score }) => ({ name, score: Number(score.toFixed(6)) })) },
      effects: "done",
    };
  }
}

const serverOf = (tool: ToolDef): ServerTool["ofServer"] | undefined =>
  "ofServer" in tool ? (tool as ServerTool).ofServer : undefined;

/** The first sentence, shortened. */
function fewWords(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  // This avoids `\p{Lu}`: compiling that at every start would take longer than everything else here.
  const ends = [...line.matchAll(/[.!?](?=\s+(\S))/g)];
  const end = ends.find(([, next = ""]) => next !== next.toLowerCase());
  return shorten(end ? line.slice(0, end.index + 1) : line.trimEnd(), FEW_WORDS_CHARS);
}

export function documentOf(tool: ToolDef): Document {
  const ofServer = serverOf(tool);
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
