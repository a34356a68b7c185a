// Child agents as the session and the four tools see them.

import type { Usage } from "@lathe/llm";
import type { Amounts, BudgetConfig, Ledger } from "../budget/ledger.ts";
import type { ApprovalAnswer } from "../contract/approval.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import type { InputContent, InputOutcome, SessionEvent } from "../events/types.ts";
import type { Journal, NewEntry } from "../journal/journal.ts";
import type { ChildHeader } from "../journal/types.ts";
import type { Profile } from "../profiles/types.ts";
import type { SessionTool } from "../registry/host-tool.ts";
import type { Middleware } from "../seams/types.ts";

/** How children of a session are made and what they may spend. */
export interface SubagentOptions {
  /** Opens a child's own journal: a new one, or the one that an earlier run left. In memory when absent. */
  readonly journal?: ((header: ChildHeader) => Journal) | undefined;
  /** The profile for a model that a spawn asks for; children use the parent's when absent. */
  readonly profileFor?: (model: string) => Profile | undefined;
  /** What a child gets unless the spawn says otherwise. */
  readonly budget?: BudgetConfig | undefined;
  /** What sets children of a role apart; a spawn without a role, or of one that is not here, gets the plain child. */
  readonly roles?: Readonly<Record<string, AgentRole>> | undefined;
  /** What a child without a role of its own is like now; plain when absent. */
  readonly defaultRole?: (() => AgentRole | undefined) | undefined;
}

/** What a child of a role has in place of its parent's. */
export interface AgentRole {
  readonly profile?: Profile | undefined;
  /** Last part of the system prompt. */
  readonly prompt?: string | undefined;
  /** Host tools of the child. */
  readonly tools?: readonly SessionTool[] | undefined;
  /** Hooks of the child; what its parent's permissions say holds for it as well. */
  readonly middleware?: readonly Middleware[] | undefined;
}

/** What the manager needs of a child's session. */
export interface ChildSession {
  readonly usage: { readonly usage: Usage; readonly cost: number; readonly turns: number };
  readonly spent: Amounts;
  readonly config: { budget: BudgetConfig; maxTurns: number };
  submit(content: InputContent): Promise<InputOutcome>;
  steer(content: InputContent): string;
  interrupt(): Promise<void>;
  close(): Promise<void>;
  abandonUnfinishedInput(): void;
  lastText(): string;
  answerApproval(callId: string, answer: ApprovalAnswer, agentId?: string): boolean;
}

export interface ChildOpening {
  readonly header: ChildHeader;
  readonly profile: Profile;
  readonly role: AgentRole | undefined;
  readonly onEvent: (event: SessionEvent) => void;
}

/** What the manager needs of the parent's session. */
export interface ParentSession {
  readonly journal: Journal;
  readonly env: ExecutionEnvironment;
  readonly profile: Profile;
  readonly options: SubagentOptions;
  readonly ledger: Ledger;
  readonly budget: BudgetConfig;
  elapsedMs(): number;
  accountInput(usage: Usage, cost: number): void;
  append(entry: NewEntry): void;
  childEvent(agentId: string, event: SessionEvent): void;
  warn(message: string): void;
  open(child: ChildOpening): ChildSession;
}
