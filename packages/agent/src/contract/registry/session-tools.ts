// The tools of one session, as one map: the tools offered to the model are the tools found when it calls. The profile's
// tools come first, then those of providers, then the host's own, which may replace the profile's. The list only grows
// at its end or loses members, so that it stays a stable part of the prefix.

import { messageOf, type ToolDefinition } from "@lathe/llm";
import { answerAtOnce } from "../../base/answer-at-once.ts";
import type { Card } from "../card.ts";
import type { ToolDef, ToolServices } from "../tool.ts";
import { isObject, wrongArgument } from "../wrong-argument.ts";
import { type SessionTool, toolDefOf } from "./host-tool.ts";
import { type RegisteredTool, ToolRegistry } from "./registry.ts";

export interface ToolChange {
  readonly added: readonly ToolDefinition[];
  readonly removed: ReadonlySet<string>;
}

/**
 * A source of tools that come and go. It is asked before every request; returning the same array means nothing changed.
 * A tool that cannot be offered (name taken, schema not an object, missing service) causes one warning.
 */
export interface ToolProvider {
  tools(): readonly SessionTool[];
  /**
   * Tools of the profile and of providers that are neither offered nor found. Asked whenever `tools` returns a new
   * array.
   */
  hides?(tool: ToolDef): boolean;
  /**
   * How the model can get a tool that it called but that is not offered; undefined if there is no tool of that name.
   */
  wayTo?(name: string): string | undefined;
}

export interface SessionToolsOptions {
  readonly profile: { readonly toolRegistry: ToolRegistry };
  readonly tools: readonly SessionTool[];
  readonly providers: readonly ToolProvider[];
  /** Names of the services that a tool needs and the session lacks. */
  readonly lacks: (tool: ToolDef) => readonly string[];
  readonly warn: (message: string) => void;
}

export class SessionTools {
  readonly own = new ToolRegistry();
  readonly #options: SessionToolsOptions;
  #profile: SessionToolsOptions["profile"];
  #provided: readonly (readonly SessionTool[])[] = [];
  /** The tools of each provider, as of its last answer. */
  #listed: readonly (readonly SessionTool[])[] = [];
  /** The versions of the profile and own tools for which the map was made. */
  #madeFor = "";
  /** Tools that need services, and the names of those that lacked one when the map was made. */
  #needing: readonly ToolDef[] = [];
  #lacking = "";
  #offered = new Map<string, RegisteredTool>();
  /** The tools after the last refresh. */
  #announced: readonly ToolDefinition[] = [];
  #announcedFrom: ReadonlyMap<string, RegisteredTool> | undefined;
  readonly #warned = new Set<string>();

  constructor(options: SessionToolsOptions) {
    this.#options = options;
    this.#profile = options.profile;
    for (const tool of options.tools) this.own.register(tool);
  }

  get(name: string): RegisteredTool | undefined {
    return this.#current().get(name);
  }

  /** What the model is told if it calls a tool that is not offered. */
  explainMissing(name: string): string {
    const ways = this.#options.providers.map((provider) => provider.wayTo?.(name));
    const way = ways.find((one) => one !== undefined);
    if (way !== undefined) return way;
    const known = this.#profile.toolRegistry.get(name)?.tool;
    if (known?.toGetIt === undefined || this.#options.lacks(known).length === 0) return `Unknown tool: ${name}`;
    return `The tool ${name} is not available here. ${known.toGetIt}`;
  }

  definitions(): readonly ToolDefinition[] {
    return this.#announced;
  }

  /** State that tools want to keep in mind when older history is summarised. */
  carriedTexts(services: ToolServices): string[] {
    return [...this.#current().values()].flatMap(({ tool }) => tool.carryOver?.(services) ?? []);
  }

  setProfile(profile: SessionToolsOptions["profile"]): void {
    this.#profile = profile;
    this.#madeFor = "";
    this.refresh();
  }

  /**
   * All tools, including those that a provider hides. During a provider's turn: those of the profile and of the
   * providers before it.
   */
  allTools(): readonly ToolDef[] {
    const all = [...this.#profile.toolRegistry.tools(), ...this.#listed.flat().map(toolDefOf)];
    return all.filter((tool) => !tool.hidden && this.#options.lacks(tool).length === 0);
  }

  /**
   * Whether any tool may leave actions pending. During a provider's turn, only the providers before it have been asked.
   */
  get hasDeferrable(): boolean {
    const mayDefer = (tool: object): boolean => "deferrable" in tool && tool.deferrable === true;
    const { providers, lacks } = this.#options;
    const isShown = (tool: ToolDef): boolean => !providers.some((one) => one.hides?.(tool));
    const registered = [...this.#profile.toolRegistry.tools().filter(mayDefer).filter(isShown), ...this.own.tools()];
    return registered.some((tool) => mayDefer(tool) && lacks(tool).length === 0) || this.#listed.flat().some(mayDefer);
  }

  /** Checks whether tools have come or gone since the last time; undefined if not. */
  refresh(): ToolChange | undefined {
    const lists: (readonly SessionTool[])[] = [];
    this.#listed = lists;
    for (const [i, provider] of this.#options.providers.entries())
      lists.push(this.#listTools(provider) ?? this.#provided[i] ?? []);
    if (lists.length !== this.#provided.length || lists.some((list, i) => list !== this.#provided[i])) {
      this.#provided = lists;
      this.#madeFor = "";
    }
    if (this.#lackingNow() !== this.#lacking) this.#madeFor = "";
    const offered = this.#current();
    if (offered === this.#announcedFrom) return undefined;
    this.#announcedFrom = offered;
    const before = new Map(this.#announced.map((definition) => [definition.name, definition]));
    const shown = [...offered.values()].filter(({ tool }) => !tool.hidden).map(({ definition }) => definition);
    if (before.size === shown.length && shown.every((definition) => before.get(definition.name) === definition))
      return undefined;
    this.#announced = shown;
    const added = this.#announced.filter((definition) => before.get(definition.name) !== definition);
    const removed = new Set([...before.keys()].filter((name) => !offered.has(name)));
    return { added, removed };
  }

  /** Services come and go during a session. */
  #lackingNow(): string {
    let names = "";
    for (const tool of this.#needing) if (this.#options.lacks(tool).length > 0) names += ` ${tool.name}`;
    return names;
  }

  /** Returns undefined if the provider fails; its previous tools then stay. */
  #listTools(provider: ToolProvider): readonly SessionTool[] | undefined {
    try {
      const tools = answerAtOnce(provider.tools(), "The `tools` of a provider", (message) => this.#warnOnce(message));
      if (tools === undefined) return undefined;
      if (!Array.isArray(tools) || tools.some((tool) => !isObject(tool)))
        throw wrongArgument("they", "a list of tools", tools);
      return tools;
    } catch (error) {
      this.#warnOnce(`The tools of a provider cannot be listed: ${messageOf(error)}.`);
      return undefined;
    }
  }

  #current(): ReadonlyMap<string, RegisteredTool> {
    const versions = `${this.#profile.toolRegistry.version} ${this.own.version}`;
    if (versions !== this.#madeFor) {
      this.#offered = this.#collect();
      this.#needing = [this.#profile.toolRegistry, this.own].flatMap((registry) =>
        registry
          .names()
          .flatMap((name) => registry.get(name)?.tool ?? [])
          .filter(({ needs }) => needs !== undefined),
      );
      this.#lacking = this.#lackingNow();
      this.#madeFor = versions;
    }
    return this.#offered;
  }

  #collect(): Map<string, RegisteredTool> {
    const tools = new Map<string, RegisteredTool>();
    const add = (registry: ToolRegistry): void => {
      for (const name of registry.names()) {
        const registered = registry.get(name);
        if (registered && this.#options.lacks(registered.tool).length === 0) tools.set(name, registered);
      }
    };
    add(this.#profile.toolRegistry);
    for (const [name, { tool }] of tools)
      if (this.#options.providers.some((one) => one.hides?.(tool))) tools.delete(name);
    for (const tool of this.#provided.flat()) {
      if (this.#options.providers.some((one) => one.hides?.(tool as ToolDef))) continue;
      const problem = this.#addProvided(tools, tool);
      if (problem !== undefined) this.#refuse(tool, problem);
    }
    add(this.own);
    for (const [name, registered] of tools)
      if (this.own.get(name) === registered) tools.set(name, this.#watch(registered));
    return tools;
  }

  /** Callbacks of a host's tool are called in many places; this wrapper makes sure that each returns synchronously. */
  #watch(registered: RegisteredTool): RegisteredTool {
    const { tool } = registered;
    const { card, summary, tier } = tool;
    if (!card && !summary && typeof tier !== "function") return registered;
    // Copying an instance of a class would lose its methods.
    if (Object.getPrototypeOf(tool) !== Object.prototype) return registered;
    const check = <T>(answer: T, what: string): T | undefined =>
      answerAtOnce(answer, `\`${what}\` of the tool ${tool.name}`, (message) => this.#warnOnce(message));
    const watched: ToolDef = {
      ...tool,
      ...(card ? { card: (args, result) => check(card.call(tool, args, result), "card") as Card } : {}),
      ...(summary ? { summary: (args) => check(summary.call(tool, args), "summary") as string } : {}),
      // A call whose tier is unknown is judged as the most dangerous.
      ...(typeof tier === "function" ? { tier: (args) => check(tier.call(tool, args), "tier") ?? "exec" } : {}),
    };
    return { ...registered, tool: watched };
  }

  /** Returns why the tool cannot be offered, or undefined if it can. */
  #addProvided(tools: Map<string, RegisteredTool>, tool: SessionTool): string | undefined {
    if (tools.has(tool.name) || this.own.get(tool.name)) return "there is already a tool with that name";
    const known = this.#offered.get(tool.name);
    let registered = known?.source === tool ? known : undefined;
    try {
      registered ??= this.#watch(new ToolRegistry([tool]).get(tool.name) as RegisteredTool);
    } catch (error) {
      return messageOf(error);
    }
    const missing = this.#options.lacks(registered.tool);
    if (missing.length > 0) return `it needs ${missing.join(", ")}, which this session does not have`;
    tools.set(tool.name, registered);
    return undefined;
  }

  #refuse(tool: SessionTool, problem: string): void {
    this.#warnOnce(`The tool ${tool.name} is not offered: ${problem}.`);
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#options.warn(message);
  }
}
