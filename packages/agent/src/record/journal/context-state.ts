// The settings carried by the path to the leaf: each entry replaces or extends earlier values.

import type { TreeEntry } from "../../contract/journal.ts";
import type { ContextState } from "../../contract/journal-reader.ts";

const START_STATE: ContextState = {
  models: {},
  thinkingLevel: "off",
  serviceTier: null,
  mode: "none",
  injectedRules: [],
};

const STATE_TYPES: ReadonlySet<string> = new Set([
  "model_change",
  "thinking_level_change",
  "service_tier_change",
  "mode_change",
  "ttsr_injection",
  "mcp_tool_selection",
]);

/** Whether entries of this type only carry state and are never sent. */
export function isStateEntry(type: string): boolean {
  return STATE_TYPES.has(type);
}

/** The model for a role; `default` falls back to the model of the last answer. */
export function modelFor(state: ContextState, role: string): string | undefined {
  return state.models[role] ?? (role === "default" ? state.lastModel : undefined);
}

/** Value in an entry that ends the request for a level. */
export const OWN_LEVEL = "default";

/** Takes entries in order. Accumulated parts become a value only when a caller asks for it. */
export class StateFold {
  readonly #models = new Map<string, string>();
  readonly #rules = new Set<string>();
  #rest: ContextState = START_STATE;
  #state: ContextState | undefined;

  get state(): ContextState {
    this.#state ??= {
      ...this.#rest,
      models: Object.fromEntries(this.#models),
      injectedRules: [...this.#rules],
    };
    return this.#state;
  }

  get lastModel(): string | undefined {
    return this.#rest.lastModel;
  }

  add(entry: TreeEntry): void {
    if (entry.type === "model_change") this.#models.set(entry.role ?? "default", entry.model);
    else if (entry.type === "ttsr_injection") for (const rule of entry.injectedRules) this.#rules.add(rule);
    else {
      const rest = applyState(this.#rest, entry);
      if (rest === this.#rest) return;
      this.#rest = rest;
    }
    this.#state = undefined;
  }
}

function applyState(state: ContextState, entry: TreeEntry): ContextState {
  switch (entry.type) {
    case "message":
      return entry.message.role === "assistant" && entry.provider !== undefined && entry.model !== undefined
        ? withLastModel(state, `${entry.provider}/${entry.model}`)
        : state;
    case "thinking_level_change":
      return withLevel(state, entry.thinkingLevel);
    case "service_tier_change":
      return { ...state, serviceTier: entry.serviceTier };
    case "mode_change": {
      const { modeData: _before, ...rest } = state;
      return { ...rest, mode: entry.mode, ...(entry.data === undefined ? {} : { modeData: entry.data }) };
    }
    case "mcp_tool_selection":
      return { ...state, mcpTools: entry.selectedToolNames };
    default:
      return state;
  }
}

function withLastModel(state: ContextState, lastModel: string): ContextState {
  return state.lastModel === lastModel ? state : { ...state, lastModel };
}

function withLevel({ chosenLevel: _before, ...state }: ContextState, level: string): ContextState {
  return level === OWN_LEVEL
    ? { ...state, thinkingLevel: "off" }
    : { ...state, thinkingLevel: level, chosenLevel: level };
}
