// What the manager of children needs from the session that they belong to.

import type { Usage } from "@lathe/llm";
import type { BudgetConfig, Ledger } from "../../base/budget/ledger.ts";
import type { SessionDeps } from "../../base/time/deadline.ts";
import type { MessageSource, SessionEvent } from "../../contract/events/types.ts";
import type { ChildHeader } from "../../contract/journal.ts";
import type { Conflicts } from "../../files/formats/conflict/conflicts.ts";
import type { Journal } from "../../record/journal/journal.ts";
import type { NewEntry } from "../../record/journal/new-lines.ts";
import type { Profile } from "../../tools/profiles/types.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { Exchange } from "../irc/exchange.ts";
import type { Completion } from "./completion.ts";
import type { Directory } from "./directory.ts";
import type { SharedStart } from "./shared-start.ts";
import type { AgentRole, AgentType, ChildSession, Spawns, SubagentOptions } from "./types.ts";

/** What the parent's session needs to open the session of a child. */
export interface ChildOpening {
  readonly header: ChildHeader;
  readonly profile: Profile;
  readonly role: AgentRole | undefined;
  readonly type: AgentType | undefined;
  /** Set if the child has to yield. */
  readonly completion: Completion | undefined;
  /** Its task, shown to the user in questions about its calls. */
  readonly assignment: string;
  readonly shared: SharedStart | undefined;
  /** The environment that it works in; its parent's when absent. */
  readonly env: ExecutionEnvironment | undefined;
  readonly onEvent: (event: SessionEvent) => void;
}

/** What the manager needs from the parent's session. */
export interface ParentSession {
  readonly journal: Journal;
  readonly env: ExecutionEnvironment;
  readonly profile: Profile;
  readonly options: SubagentOptions;
  readonly deps: SessionDeps;
  /** Set if the session is itself a child. */
  readonly agentId: string | undefined;
  readonly conflicts: Conflicts | undefined;
  readonly spawns: Spawns;
  /** Absent if the agents cannot exchange messages. */
  readonly exchange: Exchange | undefined;
  /** True while an input runs. */
  readonly isAtWork: boolean;
  /** All agents of the session. */
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly budget: BudgetConfig;
  /** True if a message begins an input when the session is idle, so that no caller has to wait for a result. */
  readonly takesReports: boolean;
  elapsedMs(): number;
  accountInput(usage: Usage, cost: number): void;
  append(entry: NewEntry): void;
  /** Returns the value without known secrets. */
  redact<T>(value: T): T;
  childEvent(agentId: string, event: SessionEvent): void;
  warn(message: string): void;
  open(child: ChildOpening): ChildSession;
  /** Gives the session a message, once for each id. `wakes`: it may begin an input. */
  report(content: string, source: MessageSource, wakes: boolean, id: string): void;
  /** Called when a caller wakes a child: after an interrupt, its reports may begin an input again. */
  releaseReports(): void;
}
