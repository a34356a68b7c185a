// The types of a migration: another agent's configuration in our terms, and what is done about each piece of it.

import type { ProviderConfig } from "@lathe/llm";
import type { SettingKey } from "../../config/settings/schema.ts";

/** Agents whose configuration can be imported. */
export const AGENTS = ["claude-code", "codex", "gemini", "opencode", "pi"] as const;
export type AgentName = (typeof AGENTS)[number];

export type Scope = "user" | "project";

/** The contents of one settings file of another agent. */
export interface TakenSettings {
  readonly settings: Partial<Record<SettingKey, string>>;
  /** Rules in our syntax. */
  readonly rules: {
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
  };
  /** Entries for models.yml. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** Settings without a counterpart, and why. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

export const NOTHING: TakenSettings = {
  settings: {},
  rules: { allow: [], ask: [], deny: [] },
  providers: {},
  left: [],
};

export type Subject = "mcp-server" | "command" | "skill" | "agent" | "permission" | "setting" | "provider";

/**
 * create: is or will be written. skipped: the same is already there. conflict: something else is there. unsupported:
 * has no counterpart.
 */
type ActionState = "create" | "skipped" | "conflict" | "unsupported";

/** One piece of the migration, as reported. */
export interface Action {
  readonly subject: Subject;
  readonly name: string;
  readonly from: AgentName;
  /** The file that contains it. */
  readonly source: string;
  readonly target?: string;
  readonly state: ActionState;
  readonly reason?: string;
}

/** An action with its write function, which is absent if there is nothing to write. */
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
