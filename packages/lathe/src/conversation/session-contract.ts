// What a session is asked for with, what it is made of, and what a host gets: the types that name each other, in one place.

import type {
  Answer,
  ExecutionEnvironment,
  FamilyName,
  InputContent,
  Middleware,
  Question,
  Session,
  SessionEvent,
  SessionOptions,
  ToolProvider,
} from "@lathe/agent";
import type { ArrangePrompt } from "@lathe/agent/context";
import type { SchemeResolver } from "@lathe/agent/contract";
import type { Rewinder } from "@lathe/agent/files";
import type { PlanVerdict, RunningCommands, RunningTerminal } from "@lathe/agent/tools";
import type { Check } from "@lathe/agent/verify";
import type { TerminalSize } from "@lathe/agent/world";
import type { ProviderAdapter } from "@lathe/llm";
import type { AccountChoices } from "../config/credentials/accounts/choices.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import type { ItemKind } from "../found/discovery/types.ts";
import type { Permissions } from "../found/permissions/permissions.ts";
import type { ModelChoice, ModelOverrides } from "../models/connect.ts";
import type { LearnableVariant } from "../models/edit-record.ts";
import type { ExtensionScreen } from "../platform/extension-api/screen.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import type { Approver } from "./approvals.ts";
import type { ActingCommand, CommandHead } from "./commands/command-view.ts";
import type { SessionCompaction } from "./compaction.ts";
import type { WorkflowGate } from "./gates/gate.ts";
import type { SessionGates } from "./gates/session-gates.ts";
import type { GivenAnswers } from "./given-answers.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import type { SwitchableClient } from "./switchable-client.ts";
import type { Tape } from "./tape.ts";

export interface SessionRequest {
  readonly model: ModelChoice;
  readonly overrides?: ModelOverrides;
  /** Answers instead of the model: for commands that look at a request or run one call. */
  readonly adapter?: ProviderAdapter;
  readonly opened: OpenedJournal;
  readonly profile?: FamilyName;
  readonly tools?: readonly string[];
  /** Discoverable tools that are offered without a search. */
  readonly loadedTools?: readonly string[];
  readonly systemPrompt?: string;
  readonly arrangePrompt?: ArrangePrompt;
  readonly userInstructions?: string;
  readonly limits: RunLimits;
  /** Commands that prove work; none when absent. */
  readonly checks?: readonly Check[];
  /** The session works until this command passes. */
  readonly goal?: { readonly text: string; readonly until: string };
  /** Runs git and opens the connection while the session is being set up. Absent: a person may take long to type. */
  readonly promptFollows?: boolean;
  /** Set when the run is recorded or replayed. */
  readonly tape?: Tape;
  /** How questions and approvals reach a person; absent when none is present. */
  readonly person?: Person;
  /** A program that answers questions about calls. */
  readonly permissionCommand?: string;
  /** Tools that the host may add and remove. */
  readonly toolProviders?: readonly ToolProvider[];
  /** Where tools work; this machine when absent. */
  readonly environment?: (workspace: Workspace, warn: (message: string, code: string) => void) => ExecutionEnvironment;
  /**
   * Put around the environment of this machine, by a host that holds files or runs commands itself. Other than with `environment`, the
   * session still works on this machine: it can be rewound, and its agents can have isolated copies.
   */
  readonly aroundMachine?: (env: ExecutionEnvironment) => ExecutionEnvironment;
  /** Parts of the product that may add to the session. */
  readonly additions?: readonly AdditionEntry[];
  /** Called with each event as it happens; must not throw. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** A person approved this plan. */
  readonly onPlan?: (plan: string) => void;
}

interface RunLimits {
  readonly maxTurns?: number;
  /** Tool calls. */
  readonly maxCalls?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  /** The run is the whole session: what its earlier processes spent is included. */
  readonly ofSession?: boolean;
}

export interface Person {
  /** Dialogs and signs of extensions. */
  readonly extensionUi?: ExtensionScreen;
  /** Absent: calls that need approval are denied. */
  readonly approve?: Approver;
  /** `touched`: the person has begun to answer. `given`: by question; where a host confirms answers, it keeps them there before. */
  readonly answer?: (
    questions: readonly Question[],
    signal: AbortSignal,
    touched?: () => void,
    given?: GivenAnswers,
  ) => Promise<readonly Answer[] | undefined>;
  readonly decidePlan?: (plan: string, signal: AbortSignal, given?: GivenAnswers) => Promise<PlanVerdict | undefined>;
  /** Where programs can answer: the gate goes to them besides the question. Absent: it is asked like any question. */
  readonly decideGate?: (
    asked: { readonly gate: WorkflowGate; readonly question: Question },
    signal: AbortSignal,
    given: GivenAnswers,
  ) => Promise<readonly Answer[] | undefined>;
  /** Shows the terminal of a command, to type in. Returns how to take it away. */
  readonly showTerminal?: (terminal: RunningTerminal) => () => void;
  /** How large it would be. */
  readonly terminalSize?: () => TerminalSize;
}

export interface OpenSession {
  readonly session: Session;
  readonly client: SwitchableClient;
  /** Which of several accounts of a provider answer. */
  readonly accounts: AccountChoices;
  readonly permissions: Permissions;
  readonly compaction: SessionCompaction;
  /** Commands that calls wait for, also those of subagents. */
  readonly runningCommands: RunningCommands;
  readonly journal: OpenedJournal;
  /** Questions of workflows that programs can answer. */
  readonly gates: SessionGates;
  readonly limits: RunLimits;
  /** Takes effect with the next request. */
  readonly model: ModelChoice;
  /** How the model edits; `learnedVariant`: because of what its earlier edits came to. */
  readonly editVariant: LearnableVariant;
  readonly learnedVariant: LearnableVariant | undefined;
  /** Profile and adapter for another model, for a switch inside the session. */
  switchModel(selector: string): Promise<ModelChoice>;
  rewinder(): Promise<Rewinder>;
  /** What is built in, and what skills, servers, extensions and the like have brought. */
  readonly parts: OpenParts;
  close(): Promise<void>;
}

/** How a session became the present one. */
export interface Arrival {
  readonly reason: "start" | "new" | "resume" | "fork" | "branch" | "move";
  readonly workspace: SessionWorkspace;
  readonly previousSessionFile?: string;
}

/** How other parts of a session set its goal: from then on, what the model says is done has to be proven. */
export interface GoalKeeper {
  /** `parts`: the list that the user has signed off. */
  begin(goal: ProvenBy, parts: readonly ProvenBy[]): Promise<void>;
}

/** What is wanted, and the command that passes once it is there. */
interface ProvenBy {
  readonly text: string;
  readonly until: string;
}

/** What a host may ask of the parts of a session. */
export interface OpenParts {
  readonly goals: GoalKeeper | undefined;
  /** Commands for people that the parts bring. `wanted`: the name of one that is about to be used; a part may wait for it. */
  commands(wanted?: string): Promise<readonly PartCommand[]>;
  /** Called when a part has other commands than before. */
  onCommands: (() => void) | undefined;
  /** The session has become the present one. */
  opened(open: OpenSession, arrival: Arrival): void;
  /** The parts read their files again. */
  reload(): Promise<void>;
}

/** What a command of a part may do to the conversation that it is typed into. */
interface CommandTarget {
  submit(content: InputContent): Promise<unknown>;
}

/** Stands for a text: what it gives is sent in the place of the line, by every host, also while the agent works. */
export interface PromptCommand<T = CommandTarget> extends CommandHead<T> {
  /** Runs code instead of giving a text: it is no steering and cannot wait in a queue. */
  readonly acts?: boolean;
  /** False: with this argument it only shows or changes something, also while a question waits for an answer. Absent: it gives a text. */
  givesText?(argument: string): boolean;
  /** Undefined: the command has done its work, and nothing is sent. */
  expand(argument: string, open: OpenSession): Promise<InputContent | undefined> | InputContent | undefined;
}

export type PartCommand = ActingCommand<CommandTarget> | PromptCommand;

/** A section of the system prompt. */
export interface SystemPart {
  /** As `/context` shows it. */
  readonly name: string;
  readonly text: string;
  /** Is sent even when a SYSTEM.md replaces the prompt that it would be part of. */
  readonly stays?: boolean;
}

/** Texts of the user's that replace or end the prompt. */
export interface PromptTexts {
  readonly custom?: string | undefined;
  readonly appended?: string | undefined;
}

/**
 * One part of a session, built in or added: everything is optional. What is called a slot has one owner, and a second part that claims
 * it is an error.
 */
export interface SessionPart {
  /** As warnings and errors name it. */
  readonly name: string;
  readonly middleware?: readonly Middleware[];
  readonly toolProviders?: readonly ToolProvider[];
  /** What tools find in their context. A slot by name. */
  readonly services?: NonNullable<SessionOptions["services"]>;
  /** Resolvers by scheme, without `://`. Each scheme is a slot. */
  readonly schemes?: Readonly<Record<string, SchemeResolver>>;
  /** What the agents of the session are made with. A slot by name. */
  readonly subagents?: NonNullable<SessionOptions["subagents"]>;
  readonly goals?: GoalKeeper;
  /** Around calls and the end of the session. A slot by name. */
  readonly around?: Pick<SessionOptions, "aroundExecute" | "aroundAccess" | "aroundNested" | "beforeClose">;
  /** Each event as it happens, the first ones while the session is being made. Must not throw. */
  onEvent?(event: SessionEvent): void;
  /** Read when the prompt is rendered: before the first request, and again only by `/reload` or for another model. Nothing volatile. */
  systemParts?(prompt: PromptTexts): readonly SystemPart[] | Promise<readonly SystemPart[]>;
  /** What the first message says besides where the work happens; "" for nothing. Read when the prompt is rendered. */
  firstTurn?(): Promise<string>;
  /** Commands for people, besides the built-in ones. */
  commands?(wanted?: string): Promise<readonly PartCommand[]>;
  /** There are other commands now than when they were asked for; set by the caller of `commands`. */
  onCommands?: (() => void) | undefined;
  /** Undoes or removes what a killed process left, before the session is made. */
  recover?(): Promise<void>;
  /** The session exists and is waiting for this; no host has it yet. What it throws keeps the session from being opened. */
  ready?(session: Session): void | Promise<void>;
  /** The session is the present one; nothing runs in it yet. Is not waited for. */
  opened?(open: OpenSession, arrival: Arrival): void | Promise<void>;
  /** Reads its files again, for `/reload`. */
  reload?(): Promise<void>;
  /** The session is about to end; it still answers. */
  closing?(): Promise<void>;
  /** After the session has ended. */
  close?(): Promise<void>;
}

/** Undefined: there is nothing of this part here. Children share what their parent has. */
export type AdditionMaker = (workspace: SessionWorkspace, request: SessionRequest) => Promise<SessionPart | undefined>;

export interface AdditionEntry {
  readonly name: string;
  /** The part is loaded only when an item of one of these kinds was found, or `isNeeded` says so. Absent: always. */
  readonly kinds?: readonly ItemKind[];
  isNeeded?(workspace: SessionWorkspace, request: SessionRequest): boolean;
  /** A built-in tool needs its service, so a single call of a tool has it too. */
  readonly servesTools?: true;
  load(): Promise<AdditionMaker>;
}
