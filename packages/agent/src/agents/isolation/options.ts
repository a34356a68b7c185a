// What a host gives for agents that work in isolated copies.

import type { Delta, ViewKind, ViewRequest } from "../../files/isolate/types.ts";
import type { Journal } from "../../record/journal/journal.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { AgentType } from "../subagents/types.ts";
import type { HowToDrop } from "./landing-text.ts";

/** The project, where views and patches are kept, and how changes land. Read when it is needed. */
export interface IsolatedAgentsOptions
  extends Pick<ViewRequest, "root" | "store" | "host" | "sandbox" | "container" | "personalIgnores"> {
  /** Where patches of work that could not land are kept; absolute. */
  readonly patches: string;
  /** The session's: landings are noted there before they are written. */
  readonly journal: Journal;
  /** How an agent's files are kept apart; `auto` when absent. */
  readonly kind?: ((type: AgentType | undefined) => ViewKind | "auto") | undefined;
  /** `patch` (when absent) writes the project's files; `branch` makes `lathe/task/<id>` on top of HEAD. */
  readonly mode?: "patch" | "branch" | undefined;
  /** For the commit on a branch; a plain message when absent. */
  readonly commitMessage?:
    | ((work: { agentId: string; task: string; delta: Delta }, signal: AbortSignal) => Promise<string>)
    | undefined;
  /** What the session puts around its own environment. */
  readonly guard?: ((env: ExecutionEnvironment) => ExecutionEnvironment) | undefined;
  /** Keeps what files were before a landing. */
  readonly history?: LandingHistory | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  readonly howToDrop?: HowToDrop | undefined;
}

/** Told of landings, which change files without a call. */
export interface LandingHistory {
  aroundLanding(paths: readonly string[], write: () => Promise<void>): Promise<void>;
  /** The landing is a step of its own; it is taken back with the message that tells of it, if one will. */
  endLanding(toldBy: string | undefined): void;
}
