// The state of a session. Each module gets only the facades that it asks for (facades.ts). The operations here must
// stay in step with each other: an entry is appended before its event, and a state changes only along the legal edges.

import { addUsage, comparableUsage, type Message, type ToolChoice, type Usage } from "@lathe/llm";
import { Ledger, NO_USAGE } from "../base/budget/ledger.ts";
import { abortController, type SessionDeps } from "../base/time/deadline.ts";
import { PrefixGuard } from "../context/prefix/guard.ts";
import { SessionPrefix } from "../context/prefix/prefix.ts";
import { EventHub } from "../contract/events/hub.ts";
import type { AwaitedInput, EventData, EventKind, SessionState } from "../contract/events/types.ts";
import type { TreeEntry } from "../contract/journal.ts";
import { SessionTools } from "../contract/registry/session-tools.ts";
import { Seams } from "../contract/seams/run.ts";
import { SchemeRegistry } from "../contract/seams/schemes.ts";
import { SessionError } from "../contract/session-error.ts";
import type { ToolServices } from "../contract/tool.ts";
import { redactedArtifacts } from "../policy/redact/artifacts.ts";
import { FileArtifacts } from "../record/artifacts/file-artifacts.ts";
import { type ArtifactStore, MemoryArtifacts } from "../record/artifacts/store.ts";
import type { Journal } from "../record/journal/journal.ts";
import { newMemoryJournal } from "../record/journal/new-journal.ts";
import type { NewEntry } from "../record/journal/new-lines.ts";
import { PendingActions } from "../tools/pending-actions/pending-actions.ts";
import type { Profile } from "../tools/profiles/types.ts";
import { Lane } from "./call/lane.ts";
import { PendingApprovals } from "./call/pending-approvals.ts";
import { CallIds } from "./call-ids.ts";
import { createConfig, type SessionConfig } from "./config.ts";
import { ContextMeter } from "./context-meter.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox, Work } from "./facades.ts";
import type { BranchFacts } from "./facts.ts";
import { checkProfile } from "./host-arguments.ts";
import { Inbox } from "./inbox.ts";
import type { InputRun } from "./input-run.ts";
import { LiveView } from "./live-view.ts";
import { FailureStreak, LoopDetector, SameRounds } from "./loop-detection.ts";
import { seamContext } from "./seam-context.ts";
import { buildServices } from "./services.ts";
import type { ModelClient, SessionOptions } from "./types.ts";

/**
 * Events that contain text of tools, people, files or servers. Output deltas are redacted where they are split into
 * pieces.
 */
const FROM_OUTSIDE: ReadonlySet<EventKind> = new Set([
  ...([
    "user_input",
    "steering_injected",
    "tool_call_end",
    "approval_request",
    "approval_settled",
    "subagent_event",
  ] as const),
  ...(["warning", "error", "retry", "processing_end", "session_end", "compaction_end"] as const),
]);

const EDGES: Readonly<Record<SessionState, readonly SessionState[]>> = {
  idle: ["processing", "closed"],
  processing: ["idle", "awaiting_input", "closed"],
  awaiting_input: ["processing", "closed"],
  closed: [],
};

/** A host in JavaScript has no compiler that would report missing options. */
function mustBeGiven(options: SessionOptions): void {
  for (const name of ["profile", "env", "client", "deps"] as const)
    if ((options[name] ?? undefined) === undefined)
      throw new SessionError("config", `new Session needs ${name}: give it, or use createSession, which has defaults`);
  checkProfile(options.profile);
}

export class SessionCore implements SessionLog, HostChoices, ModelContext, Toolbox, Work {
  readonly options: SessionOptions;
  readonly id: string;
  readonly deps: SessionDeps;
  readonly client: ModelClient;
  readonly config: SessionConfig;
  readonly journal: Journal;
  readonly resumed: boolean;
  readonly events: EventHub;
  readonly live: LiveView;
  readonly seams: Seams;
  readonly tools: SessionTools;
  readonly prefix: SessionPrefix;
  readonly guard = new PrefixGuard();
  readonly inbox = new Inbox();
  readonly approvals = new PendingApprovals();
  readonly lane = new Lane();
  readonly ledger = new Ledger();
  readonly detector = new LoopDetector();
  readonly callIds = new CallIds(() => this.messages());
  readonly meter: ContextMeter;
  readonly schemes: SchemeRegistry;
  services: ToolServices;
  readonly facts: BranchFacts;
  profile: Profile;
  input: InputRun | undefined;
  turns = 0;
  unpriced: string | undefined;
  stalePrefix: "model" | "instructions" | undefined;
  nextToolChoice: ToolChoice | undefined;
  #state: SessionState = "idle";
  #artifacts: ArtifactStore | undefined;

  constructor(options: SessionOptions) {
    mustBeGiven(options);
    this.options = options;
    this.deps = options.deps;
    this.client = options.client;
    this.profile = options.profile;
    this.config = createConfig(options.config);
    this.journal = options.journal ?? newMemoryJournal(options.deps, options.env.workingDirectory());
    this.resumed = holdsSomething(this.journal);
    this.id = this.journal.header.id;
    this.schemes = new SchemeRegistry(options.schemes);
    this.live = new LiveView(() => ({ state: this.#state, model: this.profile.model, leaf_id: this.journal.leaf }));
    this.events = new EventHub({
      sessionId: this.id,
      now: this.deps.now,
      snapshot: () => this.live.snapshot(),
      ...(options.agentId === undefined ? {} : { agentId: options.agentId }),
    });
    this.events.listen((event) => this.live.follow(event));
    if (options.onEvent) this.events.listen(options.onEvent);
    const pendingActions = new PendingActions({
      isOffered: () => this.tools.hasDeferrable,
      force: (choice) => {
        if (!this.profile.modelInfo?.refusesForcedTools) this.nextToolChoice = choice;
      },
      guard: (middleware) => void this.seams.add(middleware),
      warn: (message) => this.warn(message, "callback_failed"),
    });
    this.events.listen(({ kind }) => {
      if (kind === "processing_end") pendingActions.endInput();
    });
    const { services, facts } = buildServices(this, pendingActions);
    this.services = services;
    this.facts = facts;
    this.seams = new Seams({
      deps: this.deps,
      middleware: options.middleware ?? [],
      context: (signal) => seamContext(this, signal),
      hookTimeoutMs: () => this.config.hookTimeoutMs,
      warn: (message, code) => this.warn(message, code),
    });
    this.tools = new SessionTools({
      profile: this.profile,
      tools: options.tools ?? [],
      providers: [...(options.toolProviders ?? []), pendingActions],
      lacks: (tool) => (tool.needs ?? []).filter((need) => this.services[need] === undefined),
      warn: (message) => this.warn(message, "tool_refused"),
    });
    this.prefix = new SessionPrefix(this.journal);
    this.meter = new ContextMeter(this);
  }

  get state(): SessionState {
    return this.#state;
  }

  setState(to: SessionState): void {
    const from = this.#state;
    if (from === to) return;
    if (!EDGES[from].includes(to)) throw new Error(`a session cannot go from ${from} to ${to}`);
    this.#state = to;
    // session_end is the last event and carries the final state itself.
    if (to !== "closed") this.emit("state_changed", { from, to });
  }

  /** The artifacts of this session. Its children take their numbers from the same store. */
  get artifacts(): ArtifactStore {
    const { folder } = this.journal;
    if (this.#artifacts !== undefined) return this.#artifacts;
    const { artifacts, redactor } = this.options;
    const store = artifacts ?? (folder === undefined ? new MemoryArtifacts() : new FileArtifacts(folder));
    this.#artifacts = redactor === undefined ? store : redactedArtifacts(store, redactor);
    return this.#artifacts;
  }

  emit<K extends EventKind>(kind: K, data: EventData[K]): void {
    this.events.emit(kind, FROM_OUTSIDE.has(kind) ? this.redact(data) : data);
  }

  /**
   * Returns the value without known secrets. The model's own text is not redacted: the model has not seen any secret,
   * and parts of its text are signed.
   */
  redact<T>(value: T): T {
    return this.options.redactor?.value(value) ?? value;
  }

  warn(message: string, code: string): void {
    this.emit("warning", { message, code });
  }

  /** Writes the entry first, then announces it. */
  append(entry: NewEntry): TreeEntry {
    const isAnswer = entry.type === "message" && entry.message.role === "assistant";
    const appended = this.journal.append(isAnswer ? entry : this.redact(entry));
    if (appended.type === "message") this.meter.addMessage(appended.message);
    this.emit("entry", { id: appended.id, type: appended.type });
    return appended;
  }

  account(usage: Usage, provider: string, cost: number): void {
    const comparable = comparableUsage(usage, provider);
    this.ledger.request(comparable, cost);
    this.accountInput(comparable, cost);
  }

  accountInput(usage: Usage, cost: number): void {
    if (!this.input) return;
    this.input.usage = addUsage(this.input.usage, usage);
    this.input.cost += cost;
  }

  messages(): readonly Message[] {
    return this.prefix.head.concat(this.journal.context.messages);
  }

  elapsedMs(): number {
    return this.input ? this.deps.now() - this.input.startedAt : 0;
  }

  awaitInput(awaited: AwaitedInput): void {
    if (this.input) this.input.awaits = awaited;
  }

  endInput(): void {
    if (this.input) this.input.isDone = true;
  }

  recordAnswer(text: string, finish: string): void {
    if (this.input) Object.assign(this.input, { text, finish });
  }

  /** Begins the next input. Sets the state unless it is already set. */
  startRun(): InputRun {
    const controller = abortController();
    this.input = {
      entryId: "",
      rounds: 0,
      usage: NO_USAGE,
      cost: 0,
      controller,
      signal: controller.signal,
      startedAt: this.deps.now(),
      text: "",
      finish: "",
      awaits: undefined,
      failures: new FailureStreak(),
      sameRounds: new SameRounds(),
      isDone: false,
      refusedCalls: false,
      output: undefined,
    };
    this.setState("processing");
    return this.input;
  }
}

/** An earlier process may have ended before the first message. */
function holdsSomething(journal: Journal): boolean {
  return journal.leaf !== null || journal.input !== undefined || journal.outside("host").next().done === false;
}
