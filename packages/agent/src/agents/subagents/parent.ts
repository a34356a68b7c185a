// What the manager of children needs of the session that they belong to.

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
  /** Of a child that has to yield. */
  readonly completion: Completion | undefined;
  /** Its task, for people who are asked about a call of it. */
  readonly assignment: string;
  readonly shared: SharedStart | undefined;
  /** Where it works; in its parent's environment when absent. */
  readonly env: ExecutionEnvironment | undefined;
  readonly onEvent: (event: SessionEvent) => void;
}

/** What the manager needs of the parent's session. */
export interface ParentSession {
  readonly journal: Journal;
  readonly env: ExecutionEnvironment;
  readonly profile: Profile;
  readonly options: SubagentOptions;
  readonly deps: SessionDeps;
  /** Of a session that is a child itself. */
  readonly agentId: string | undefined;
  readonly conflicts: Conflicts | undefined;
  readonly spawns: Spawns;
  /** Absent: the agents cannot talk. */
  readonly exchange: Exchange | undefined;
  /** An input runs. */
  readonly isAtWork: boolean;
  /** All agents of the session. */
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly budget: BudgetConfig;
  /** A message begins an input when the session is idle, so that no caller has to wait for a result. */
  readonly takesReports: boolean;
  elapsedMs(): number;
  accountInput(usage: Usage, cost: number): void;
  append(entry: NewEntry): void;
  /** Without the secrets that are known. */
  redact<T>(value: T): T;
  childEvent(agentId: string, event: SessionEvent): void;
  warn(message: string): void;
  open(child: ChildOpening): ChildSession;
  /** Gives the session a message, once for each id; `wakes`: it may begin an input. */
  report(content: string, source: MessageSource, wakes: boolean, id: string): void;
  /** A caller set a child to work: after an interrupt, what children report may begin an input again. */
  releaseReports(): void;
}
