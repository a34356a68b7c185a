// What the modules of a session may touch. Each function asks for the parts it uses, and for no more; `SessionCore` is all of
// them together, and only `Session` holds it.

import type { Message, Usage } from "@lathe/llm";
import type { Ledger } from "../base/budget/ledger.ts";
import type { SessionDeps } from "../base/time/deadline.ts";
import type { PrefixGuard } from "../context/prefix/guard.ts";
import type { SessionPrefix } from "../context/prefix/prefix.ts";
import type { EventData, EventKind, SessionState } from "../contract/events/types.ts";
import type { TreeEntry } from "../contract/journal.ts";
import type { SessionTools } from "../contract/registry/session-tools.ts";
import type { Seams } from "../contract/seams/run.ts";
import type { ToolServices } from "../contract/tool.ts";
import type { ArtifactStore } from "../record/artifacts/store.ts";
import type { Journal, NewEntry } from "../record/journal/journal.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { CallIds } from "./call-ids.ts";
import type { SessionConfig } from "./config.ts";
import type { ContextMeter } from "./context-meter.ts";
import type { BranchFacts } from "./facts.ts";
import type { Inbox } from "./inbox.ts";
import type { InputRun } from "./input-run.ts";
import type { LoopDetector } from "./loop-detection.ts";
import type { ModelClient, SessionOptions } from "./types.ts";

/** The options a host gave, only those that are named. */
export interface HostPart<K extends keyof SessionOptions> {
  readonly options: Pick<SessionOptions, K>;
}

/** The settings in force; only the host changes them. */
export interface ConfigPart {
  readonly config: Readonly<SessionConfig>;
}

/** Clock, timers and randomness. */
export interface ClockPart {
  readonly deps: SessionDeps;
}

/** An entry is written before the event that announces it. */
export interface JournalPart {
  readonly journal: Journal;
  append(entry: NewEntry): TreeEntry;
}

/** What hosts are told. */
export interface EventPart {
  emit<K extends EventKind>(kind: K, data: EventData[K]): void;
  warn(message: string, code: string): void;
}

/** The model in use; the host may change it while an answer comes. */
export interface ProfilePart {
  readonly profile: Profile;
}

/** Sending requests to it. */
export interface ModelPart extends ProfilePart {
  readonly client: ModelClient;
}

/** The model's context: what stands before the history, its permitted changes, and how full it is. */
export interface ContextPart {
  readonly prefix: SessionPrefix;
  readonly guard: PrefixGuard;
  readonly meter: ContextMeter;
  /** The messages of the next request: pointers only. */
  messages(): readonly Message[];
}

/** What tools keep between calls on this branch. */
export interface FactPart {
  readonly facts: Pick<BranchFacts, "forget">;
}

export interface SeamPart {
  readonly seams: Seams;
}

/** What the model can call, and what tools find in their context. */
export interface ToolPart {
  readonly tools: SessionTools;
  readonly services: ToolServices;
  /** Those that are taken. */
  readonly callIds: CallIds;
}

/** Where output goes that is too long for a result. */
export interface ArtifactPart {
  readonly artifacts: ArtifactStore;
}

/** What the session has used. */
export interface SpendingPart {
  readonly ledger: Ledger;
  /** Answers of the model in this session. */
  turns: number;
  /** Counts one answer (or a failed attempt that was billed) in the ledger and in the running input. `provider`: whose counts these are. */
  account(usage: Usage, provider: string, cost: number): void;
  /** What a child used, in comparable counts: the ledger has it already. */
  accountInput(usage: Usage, cost: number): void;
  /** Of the running input. */
  elapsedMs(): number;
}

/** The input that runs now. */
export interface InputPart {
  input: InputRun | undefined;
  /** An answer has ended, whole or not. */
  answered(text: string, finish: string): void;
}

/** Changes along the legal edges only. */
export interface StatePart {
  setState(to: SessionState): void;
}

export interface QueuePart {
  readonly inbox: Inbox;
}

/** Notices when the model repeats itself. */
export interface DetectorPart {
  readonly detector: LoopDetector;
}

/** Removes known secrets. */
export interface RedactionPart {
  redacted<T>(value: T): T;
}
