// What a migration deals in: what another agent's files say, in our terms, and what is done about each piece of it.

import type { ProviderConfig } from "@lathe/llm";
import type { SettingKey } from "../../config/settings/schema.ts";

/** Agents whose configuration can be taken over. */
export const AGENTS = ["claude-code", "codex", "gemini", "opencode", "pi"] as const;
export type AgentName = (typeof AGENTS)[number];

export type Scope = "user" | "project";

/** What one settings file of another agent says. */
export interface TakenSettings {
  readonly settings: Partial<Record<SettingKey, string>>;
  /** Rules in our words. */
  readonly rules: {
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
  };
  /** Entries for models.yml. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** What has no counterpart, and why. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

export const NOTHING: TakenSettings = {
  settings: {},
  rules: { allow: [], ask: [], deny: [] },
  providers: {},
  left: [],
};

export type Subject = "mcp-server" | "command" | "skill" | "agent" | "permission" | "setting" | "provider";

/** created: is or will be written. skipped: is there already, the same. conflict: something else is there. unsupported: has no counterpart. */
type ActionState = "create" | "skipped" | "conflict" | "unsupported";

/** One piece, as the report has it. */
export interface Action {
  readonly subject: Subject;
  readonly name: string;
  readonly from: AgentName;
  /** The file it stands in. */
  readonly source: string;
  readonly target?: string;
  readonly state: ActionState;
  readonly reason?: string;
}

/** With how it is written; absent when there is nothing to write. */
export interface PlannedAction extends Action {
  readonly write?: () => Promise<void>;
}

/** The files of a scope that a migration may change. */
export interface Targets {
  readonly folder: string;
  readonly config: string;
  readonly models: string;
  readonly servers: string;
}
