// The tools of one session: the profile's, the host's, and what providers bring. The list that the model is offered only
// ever gains at its end or loses members, so that it stays a stable part of the prefix.

import type { ToolDefinition } from "@lathe/llm";
import type { ToolDef } from "../contract/tool.ts";
import type { Profile } from "../profiles/types.ts";
import { type CustomTool, type RegisteredTool, ToolRegistry } from "../registry/registry.ts";
import type { ToolProvider } from "../seams/types.ts";

export interface ToolChange {
  readonly added: readonly ToolDefinition[];
  readonly removed: ReadonlySet<string>;
}

export class SessionTools {
  #profile: Profile;
  /** Decides whether a tool's needs are met in this session. */
  readonly #offers: (tool: ToolDef) => boolean;
  readonly own = new ToolRegistry();
  readonly #provided = new ToolRegistry();
  readonly #providers: readonly ToolProvider[];
  #seen: readonly (readonly ToolDef[])[] = [];
  #versions = "";
  #definitions: readonly ToolDefinition[] = [];

  constructor(options: {
    profile: Profile;
    tools: readonly (ToolDef | CustomTool)[];
    providers: readonly ToolProvider[];
    offers: (tool: ToolDef) => boolean;
  }) {
    this.#profile = options.profile;
    this.#offers = options.offers;
    this.#providers = options.providers;
    for (const tool of options.tools) this.own.register(tool);
    this.refresh();
  }

  get(name: string): RegisteredTool | undefined {
    const found = this.own.get(name) ?? this.#profile.toolRegistry.get(name) ?? this.#provided.get(name);
    return found && this.#offers(found.tool) ? found : undefined;
  }

  definitions(): readonly ToolDefinition[] {
    return this.#definitions;
  }

  setProfile(profile: Profile): void {
    this.#profile = profile;
    this.#versions = "";
    this.refresh();
  }

  /** Looks whether anything came or went since the last time; undefined when not. */
  refresh(): ToolChange | undefined {
    this.#askProviders();
    const versions = `${this.#profile.toolRegistry.version} ${this.own.version} ${this.#provided.version}`;
    if (versions === this.#versions) return undefined;
    this.#versions = versions;
    const before = new Map(this.#definitions.map((definition) => [definition.name, definition]));
    this.#definitions = this.#collect();
    const names = new Set(this.#definitions.map((definition) => definition.name));
    const added = this.#definitions.filter((definition) => before.get(definition.name) !== definition);
    const removed = new Set([...before.keys()].filter((name) => !names.has(name)));
    return added.length > 0 || removed.size > 0 ? { added, removed } : undefined;
  }

  #collect(): ToolDefinition[] {
    const byName = new Map<string, ToolDefinition>();
    for (const definition of this.#profile.tools()) byName.set(definition.name, definition);
    for (const registry of [this.#provided, this.own]) {
      for (const definition of registry.definitions()) byName.set(definition.name, definition);
    }
    return [...byName.values()].filter((definition) => {
      const tool = this.own.get(definition.name) ?? this.#profile.toolRegistry.get(definition.name);
      return !tool || this.#offers(tool.tool);
    });
  }

  #askProviders(): void {
    const lists = this.#providers.map((provider) => provider.tools());
    if (lists.length === this.#seen.length && lists.every((list, i) => list === this.#seen[i])) return;
    this.#seen = lists;
    const wanted = new Map(lists.flat().map((tool) => [tool.name, tool]));
    for (const name of this.#provided.names()) if (!wanted.has(name)) this.#provided.unregister(name);
    for (const tool of wanted.values()) {
      if (this.#provided.get(tool.name)?.tool !== tool) this.#provided.register(tool);
    }
  }
}
