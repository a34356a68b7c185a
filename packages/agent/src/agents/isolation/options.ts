// The options of a host for agents that work in isolated copies.

import type { Delta, ViewKind, ViewRequest } from "../../files/isolate/types.ts";
import type { Journal } from "../../record/journal/journal.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { AgentType } from "../subagents/types.ts";
import type { HowToDrop } from "./landing-text.ts";

/** The project, where views and patches are kept, and how changes land. Read when needed. */
export interface IsolatedAgentsOptions
  extends Pick<ViewRequest, "root" | "store" | "host" | "sandbox" | "container" | "personalIgnores"> {
  /** Folder for the patches of work that could not land; absolute. */
  readonly patches: string;
  /** The session's journal. Landings are noted there before they are written. */
  readonly journal: Journal;
  /** Which kind of view keeps an agent's files apart; `auto` when absent. */
  readonly kind?: ((type: AgentType | undefined) => ViewKind | "auto") | undefined;
  /** `patch` (the default) writes the project's files; `branch` creates `lathe/task/<id>` on top of HEAD. */
  readonly mode?: "patch" | "branch" | undefined;
  /** The commit message on a branch; a plain one when absent. */
  readonly commitMessage?:
    | ((work: { agentId: string; task: string; delta: Delta }, signal: AbortSignal) => Promise<string>)
    | undefined;
  /** The wrapper that the session puts around its own environment. */
  readonly guard?: ((env: ExecutionEnvironment) => ExecutionEnvironment) | undefined;
  /** Keeps the old versions of files that a landing changes. */
  readonly history?: LandingHistory | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  readonly howToDrop?: HowToDrop | undefined;
}

/** Gets notified of landings, which change files without a call. */
export interface LandingHistory {
  aroundLanding(paths: readonly string[], write: () => Promise<void>): Promise<void>;
  /** Ends the landing's own step. Undoing the message `toldBy` that reports it, if there is one, undoes it too. */
  endLanding(toldBy: string | undefined): void;
}
