// Settings that the path to the leaf carries: each entry replaces or extends what stood before it.

import type { JsonValue } from "@lathe/llm";
import type { TreeEntry } from "./types.ts";

export interface ContextState {
  /** Chosen model per role, as `provider/id`; see `modelFor`. */
  readonly models: Readonly<Record<string, string>>;
  /** The model of the last answer. */
  readonly lastModel?: string;
  readonly thinkingLevel: string;
  /** The level somebody asked for, also "off"; absent while the model's own holds. */
  readonly chosenLevel?: string;
  readonly serviceTier: string | null;
  readonly mode: string;
  readonly modeData?: JsonValue;
  readonly injectedRules: readonly string[];
  readonly mcpTools?: readonly string[];
}

export const START_STATE: ContextState = {
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

/** Entries that carry state and nothing to send. */
export function isStateEntry(type: string): boolean {
  return STATE_TYPES.has(type);
}

/** The model of a role; `default` falls back to the model that answered last. */
export function modelFor(state: ContextState, role: string): string | undefined {
  return state.models[role] ?? (role === "default" ? state.lastModel : undefined);
}

/** In an entry: no level is asked for any more. */
export const OWN_LEVEL = "default";

function withLevel({ chosenLevel: _before, ...state }: ContextState, level: string): ContextState {
  return level === OWN_LEVEL
    ? { ...state, thinkingLevel: "off" }
    : { ...state, thinkingLevel: level, chosenLevel: level };
}

export function applyState(state: ContextState, entry: TreeEntry): ContextState {
  switch (entry.type) {
    case "message":
      return entry.message.role === "assistant" && entry.provider !== undefined && entry.model !== undefined
        ? withLastModel(state, `${entry.provider}/${entry.model}`)
        : state;
    case "model_change":
      return { ...state, models: { ...state.models, [entry.role ?? "default"]: entry.model } };
    case "thinking_level_change":
      return withLevel(state, entry.thinkingLevel);
    case "service_tier_change":
      return { ...state, serviceTier: entry.serviceTier };
    case "mode_change": {
      const { modeData: _before, ...rest } = state;
      return { ...rest, mode: entry.mode, ...(entry.data === undefined ? {} : { modeData: entry.data }) };
    }
    case "ttsr_injection":
      return { ...state, injectedRules: [...new Set([...state.injectedRules, ...entry.injectedRules])] };
    case "mcp_tool_selection":
      return { ...state, mcpTools: entry.selectedToolNames };
    default:
      return state;
  }
}

function withLastModel(state: ContextState, lastModel: string): ContextState {
  return state.lastModel === lastModel ? state : { ...state, lastModel };
}
