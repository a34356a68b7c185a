// What the modules of a session may touch, as five facades. A function asks for the facades that it uses; `SessionCore` is all of
// them together, and only `Session` holds it.

import type { Message, ToolChoice, Usage } from "@lathe/llm";
import type { Ledger } from "../base/budget/ledger.ts";
import type { SessionDeps } from "../base/time/deadline.ts";
import type { PrefixGuard } from "../context/prefix/guard.ts";
import type { SessionPrefix } from "../context/prefix/prefix.ts";
import type { EventHub } from "../contract/events/hub.ts";
import type { AwaitedInput, EventData, EventKind, SessionState } from "../contract/events/types.ts";
import type { TreeEntry } from "../contract/journal.ts";
import type { SessionTools } from "../contract/registry/session-tools.ts";
import type { Seams } from "../contract/seams/run.ts";
import type { SchemeRegistry } from "../contract/seams/schemes.ts";
import type { ToolServices } from "../contract/tool.ts";
import type { ArtifactStore } from "../record/artifacts/store.ts";
import type { Journal } from "../record/journal/journal.ts";
import type { NewEntry } from "../record/journal/new-lines.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { Lane } from "./call/lane.ts";
import type { PendingApprovals } from "./call/pending-approvals.ts";
import type { CallIds } from "./call-ids.ts";
import type { SessionConfig } from "./config.ts";
import type { ContextMeter } from "./context-meter.ts";
import type { Inbox } from "./inbox.ts";
import type { InputRun } from "./input-run.ts";
import type { LoopDetector } from "./loop-detection.ts";
import type { ModelClient, SessionOptions } from "./types.ts";

/** Tells what happens: writes it to the journal first, then announces it to hosts, both without known secrets. */
export interface SessionLog {
  readonly journal: Journal;
  append(entry: NewEntry): TreeEntry;
  /** Where output goes that is too long for a result. */
  readonly artifacts: ArtifactStore;
  /** The events that hosts read. */
  readonly events: EventHub;
  emit<K extends EventKind>(kind: K, data: EventData[K]): void;
  warn(message: string, code: string): void;
  /** The value without known secrets. */
  redact<T>(value: T): T;
}

/** What the host has decided: its options, the settings in force, and the clock, timers and randomness to use. */
export interface HostChoices {
  readonly options: SessionOptions;
  /** Only the host changes them. */
  readonly config: Readonly<SessionConfig>;
  readonly deps: SessionDeps;
}

/** The model that answers, and the context that is sent to it. */
export interface ModelContext {
  readonly client: ModelClient;
  /** The model in use; the host may change it while an answer comes, and its window shrinks to what the server takes. */
  profile: Profile;
  /** What stands before the history. */
  readonly prefix: SessionPrefix;
  /** The changes of sent history that are permitted. */
  readonly guard: PrefixGuard;
  /** How full the context is. */
  readonly meter: ContextMeter;
  /** The messages of the next request: pointers only. */
  messages(): readonly Message[];
  /** Used once, for the next request only. */
  nextToolChoice: ToolChoice | undefined;
  /** Set when the prefix must be rendered anew before the next request. */
  stalePrefix: "model" | "instructions" | undefined;
  /** The model that was last reported to the host as having no price. */
  unpriced: string | undefined;
}

/** What the model can call, what the tools find there, and the hooks around calls and requests. */
export interface Toolbox {
  readonly tools: SessionTools;
  readonly services: ToolServices;
  /** The ids of calls that are taken. */
  readonly callIds: CallIds;
  /** What tools keep between calls on this branch. */
  readonly facts: { forget(): void };
  readonly seams: Seams;
  /** The addresses that tools read and write. */
  readonly schemes: SchemeRegistry;
  /** Where exclusive calls wait for each other. */
  readonly lane: Lane;
  /** Calls that wait for the word of a person. */
  readonly approvals: PendingApprovals;
}

/** The work of the session: the input that runs now, what waits behind it, and what both have used. */
export interface Work {
  /** Begins the next input; the state is `processing` from here on. */
  startRun(): InputRun;
  /** The running input ends with the calls of the present answer. */
  endInput(): void;
  input: InputRun | undefined;
  /** An answer has ended, whole or not. */
  recordAnswer(text: string, finish: string): void;
  /** The session waits for the user's word about this when the round is over. */
  awaitInput(awaited: AwaitedInput): void;
  readonly state: SessionState;
  /** Changes the state along the legal edges only. */
  setState(to: SessionState): void;
  readonly inbox: Inbox;
  /** Notices when the model repeats itself. */
  readonly detector: LoopDetector;
  readonly ledger: Ledger;
  /** Answers of the model in this session. */
  turns: number;
  /** Counts one answer (or a failed attempt that was billed) in the ledger and in the running input. `provider`: whose counts these are. */
  account(usage: Usage, provider: string, cost: number): void;
  /** Counts what a child used in the running input; the ledger has it already. */
  accountInput(usage: Usage, cost: number): void;
  /** Milliseconds since the running input began. */
  elapsedMs(): number;
}

/** All of it, for the loop itself: it starts inputs, requests and calls. */
export type WholeSession = SessionLog & HostChoices & ModelContext & Toolbox & Work;
