// What the modules of a session may access, as five facades. A function asks for the facades that it uses;
// `SessionCore` implements all of them, and only `Session` holds it.

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

/** Records what happens: writes it to the journal first, then announces it to hosts, both without known secrets. */
export interface SessionLog {
  readonly journal: Journal;
  append(entry: NewEntry): TreeEntry;
  /** Stores output that is too long for a result. */
  readonly artifacts: ArtifactStore;
  /** The events that hosts read. */
  readonly events: EventHub;
  emit<K extends EventKind>(kind: K, data: EventData[K]): void;
  warn(message: string, code: string): void;
  /** Returns the value without known secrets. */
  redact<T>(value: T): T;
}

/** What the host decided: its options, the settings in force, and the clock, timers and randomness to use. */
export interface HostChoices {
  readonly options: SessionOptions;
  /** Only the host changes them. */
  readonly config: Readonly<SessionConfig>;
  readonly deps: SessionDeps;
}

/** The model that answers, and the context that we send to it. */
export interface ModelContext {
  readonly client: ModelClient;
  /**
   * The model in use. The host may change it while an answer streams in, and its window shrinks to what the server
   * accepts.
   */
  profile: Profile;
  /** The part of a request before the history. */
  readonly prefix: SessionPrefix;
  /** Knows which changes of sent history are permitted. */
  readonly guard: PrefixGuard;
  /** How full the context is. */
  readonly meter: ContextMeter;
  /** The messages of the next request, not copied. */
  messages(): readonly Message[];
  /** Applies to the next request only. */
  nextToolChoice: ToolChoice | undefined;
  /** Set when the prefix must be rendered anew before the next request. */
  stalePrefix: "model" | "instructions" | undefined;
  /** The model that was last reported to the host as having no price. */
  unpriced: string | undefined;
}

/** The tools the model can call, the services those tools use, and the hooks around calls and requests. */
export interface Toolbox {
  readonly tools: SessionTools;
  readonly services: ToolServices;
  /** The ids of calls that are already used. */
  readonly callIds: CallIds;
  /** Values that tools keep between calls on this branch. */
  readonly facts: { forget(): void };
  readonly seams: Seams;
  /** The addresses that tools read and write. */
  readonly schemes: SchemeRegistry;
  /** Where exclusive calls wait for each other. */
  readonly lane: Lane;
  /** Calls that wait for the user's approval. */
  readonly approvals: PendingApprovals;
}

/** The work of the session: the running input, the messages queued behind it, and what all of it has used. */
export interface Work {
  /** Begins the next input; the state is `processing` from here on. */
  startRun(): InputRun;
  /** Makes the running input end after the calls of the current answer. */
  endInput(): void;
  input: InputRun | undefined;
  /** Records that an answer has ended, complete or not. */
  recordAnswer(text: string, finish: string): void;
  /** Makes the session wait for the user's answer when the round is over. */
  awaitInput(awaited: AwaitedInput): void;
  readonly state: SessionState;
  /** Changes the state, along the legal edges only. */
  setState(to: SessionState): void;
  readonly inbox: Inbox;
  /** Notices when the model repeats itself. */
  readonly detector: LoopDetector;
  readonly ledger: Ledger;
  /** Number of the model's answers in this session. */
  turns: number;
  /**
   * Counts one answer (or a failed attempt that was billed) in the ledger and in the running input. `provider` says
   * whose counts these are.
   */
  account(usage: Usage, provider: string, cost: number): void;
  /** Counts a child's usage in the running input; the ledger has it already. */
  accountInput(usage: Usage, cost: number): void;
  /** Milliseconds since the running input began. */
  elapsedMs(): number;
}

/** All facades together, for the loop itself, which starts inputs, requests and calls. */
export type WholeSession = SessionLog & HostChoices & ModelContext & Toolbox & Work;
