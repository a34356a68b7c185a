// The types for opening a session: what is requested, what its parts are, and what a host gets. They refer to each
// other, so they share a file.

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
import type { CallAnswers } from "./call-answers.ts";
import type { ActingCommand, CommandHead } from "./commands/command-view.ts";
import type { SessionCompaction } from "./compaction.ts";
import type { WorkflowGate } from "./gates/gate.ts";
import type { SessionGates } from "./gates/session-gates.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import type { SwitchableClient } from "./switchable-client.ts";
import type { Tape } from "./tape.ts";

export interface SessionRequest {
  readonly model: ModelChoice;
  readonly overrides?: ModelOverrides;
  /** Answers instead of the model, for commands that preview a request or run a single call. */
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
  /** Commands that prove the work; absent: none. */
  readonly checks?: readonly Check[];
  /** The session works until this command passes. */
  readonly goal?: { readonly text: string; readonly until: string };
  /**
   * A prompt follows at once, so git runs and the connection opens during setup. Absent: the user may take long to
   * type.
   */
  readonly promptFollows?: boolean;
  /** Set when the run is recorded or replayed. */
  readonly tape?: Tape;
  /** How questions and approvals reach the user; absent when no user is present. */
  readonly person?: Person;
  /** A program that answers approval questions. */
  readonly permissionCommand?: string;
  /** Tools that the host can add and remove. */
  readonly toolProviders?: readonly ToolProvider[];
  /** The environment of the tools; absent: this machine. */
  readonly environment?: (workspace: Workspace, warn: (message: string, code: string) => void) => ExecutionEnvironment;
  /**
   * Wraps this machine's environment, for a host that holds files or runs commands itself. Unlike with `environment`,
   * the session still works on this machine: it can be rewound, and its agents can have isolated copies.
   */
  readonly aroundMachine?: (env: ExecutionEnvironment) => ExecutionEnvironment;
  /** Parts of the product that can add to the session. */
  readonly additions?: readonly AdditionEntry[];
  /** Called for each event as it happens; must not throw. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Called when the user approves a plan. */
  readonly onPlan?: (plan: string) => void;
}

interface RunLimits {
  readonly maxTurns?: number;
  /** The most tool calls. */
  readonly maxCalls?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  /** The limits count what earlier processes of this session spent. */
  readonly ofSession?: boolean;
}

export interface Person {
  /** Dialogs and widgets of extensions. */
  readonly extensionUi?: ExtensionScreen;
  /** Absent: calls that need approval are denied. */
  readonly approve?: Approver;
  /**
   * A host calls `touched` when the user starts to answer. A host that confirms each answer first keeps it in `given`.
   */
  readonly answer?: (
    questions: readonly Question[],
    signal: AbortSignal,
    touched?: () => void,
    given?: CallAnswers,
  ) => Promise<readonly Answer[] | undefined>;
  readonly decidePlan?: (plan: string, signal: AbortSignal, given?: CallAnswers) => Promise<PlanVerdict | undefined>;
  /**
   * For hosts with programs that can answer gates: they get the gate as well as the question. Absent: it is asked like
   * any question.
   */
  readonly decideGate?: (
    asked: { readonly gate: WorkflowGate; readonly question: Question },
    signal: AbortSignal,
    given: CallAnswers,
  ) => Promise<readonly Answer[] | undefined>;
  /** Shows the terminal of a command for the user to type in. Returns how to remove it. */
  readonly showTerminal?: (terminal: RunningTerminal) => () => void;
  /** The size the terminal would have. */
  readonly terminalSize?: () => TerminalSize;
}

export interface OpenSession {
  readonly session: Session;
  readonly client: SwitchableClient;
  /** Which account of a provider is in use, if there are several. */
  readonly accounts: AccountChoices;
  readonly permissions: Permissions;
  readonly compaction: SessionCompaction;
  /** Commands that calls wait for, including calls of child agents. */
  readonly runningCommands: RunningCommands;
  readonly journal: OpenedJournal;
  /** Questions of workflows that programs can answer. */
  readonly gates: SessionGates;
  readonly limits: RunLimits;
  /** A change takes effect with the next request. */
  readonly model: ModelChoice;
  /** The edit format of the model; `learnedVariant` is set if earlier edits led to it. */
  readonly editVariant: LearnableVariant;
  readonly learnedVariant: LearnableVariant | undefined;
  /** Tokens of the context window, or of that of the larger model that may take over when it is full. */
  largestWindow(): number;
  /** Switches to another model inside the session. */
  switchModel(selector: string): Promise<ModelChoice>;
  rewinder(): Promise<Rewinder>;
  /** The built-in parts and those of skills, servers and extensions. */
  readonly parts: OpenParts;
  close(): Promise<void>;
}

/** How a session became the present one. */
export interface Arrival {
  readonly reason: "start" | "new" | "resume" | "fork" | "branch" | "move";
  readonly workspace: SessionWorkspace;
  readonly previousSessionFile?: string;
}

/** Sets a goal for the session: from then on, the model must prove that it is done. */
export interface GoalKeeper {
  /** `parts`: the steps that the user approved. */
  begin(goal: ProvenBy, parts: readonly ProvenBy[]): Promise<void>;
}

/** A goal, and the command that passes once it is reached. */
interface ProvenBy {
  readonly text: string;
  readonly until: string;
}

/** What a host may ask of a session's parts. */
export interface OpenParts {
  readonly goals: GoalKeeper | undefined;
  /**
   * The commands that the parts bring. `wanted` is the name of a command about to be used; a part may wait for it to
   * load.
   */
  commands(wanted?: string): Promise<readonly PartCommand[]>;
  /** Called when a part has other commands than before. */
  onCommands: (() => void) | undefined;
  /** Called when the session has become the present one. */
  opened(open: OpenSession, arrival: Arrival): void;
  /** Makes the parts read their files again. */
  reload(): Promise<void>;
}

/** What a part's command may do to the conversation it was typed in. */
interface CommandTarget {
  submit(content: InputContent): Promise<unknown>;
}

/** A command that expands to a prompt: every host sends the result instead of the line, also while the agent works. */
export interface PromptCommand<T = CommandTarget> extends CommandHead<T> {
  /** The command runs code instead of giving a text, so it cannot steer or wait in a queue. */
  readonly acts?: boolean;
  /**
   * False: with this argument the command only shows or changes something, which is also possible while a question is
   * open. Absent: it gives a text.
   */
  givesText?(argument: string): boolean;
  /** Undefined: the command has done its work, and nothing is sent. */
  expand(argument: string, open: OpenSession): Promise<InputContent | undefined> | InputContent | undefined;
}

export type PartCommand = ActingCommand<CommandTarget> | PromptCommand;

/** A section of the system prompt. */
export interface SystemPart {
  /** The name in `/context`. */
  readonly name: string;
  readonly text: string;
  /** The section stays even when a SYSTEM.md replaces the prompt. */
  readonly stays?: boolean;
}

/** Texts of the user that replace the prompt or are appended to it. */
export interface PromptTexts {
  readonly custom?: string | undefined;
  readonly appended?: string | undefined;
}

/**
 * One part of a session, built in or added; every field is optional. A field described as a slot has one owner: a
 * second part that sets it is an error.
 */
export interface SessionPart {
  /** The name in warnings and errors. */
  readonly name: string;
  readonly middleware?: readonly Middleware[];
  readonly toolProviders?: readonly ToolProvider[];
  /** Services that tools find in their context. Each name is a slot. */
  readonly services?: NonNullable<SessionOptions["services"]>;
  /** Resolvers by scheme, without `://`. Each scheme is a slot. */
  readonly schemes?: Readonly<Record<string, SchemeResolver>>;
  /** Options for the agents of the session. Each name is a slot. */
  readonly subagents?: NonNullable<SessionOptions["subagents"]>;
  readonly goals?: GoalKeeper;
  /** Hooks around calls and the end of the session. Each name is a slot. */
  readonly around?: Pick<SessionOptions, "aroundExecute" | "aroundAccess" | "aroundNested" | "beforeClose">;
  /** Called for each event as it happens; the first ones come while the session is being made. Must not throw. */
  onEvent?(event: SessionEvent): void;
  /**
   * Called when the prompt is rendered: before the first request, and again only by `/reload` or for another model. The
   * text must not be volatile.
   */
  systemParts?(prompt: PromptTexts): readonly SystemPart[] | Promise<readonly SystemPart[]>;
  /** Text for the first message, or "". Called when the prompt is rendered. */
  firstTurn?(): Promise<string>;
  /** Commands for the user besides the built-in ones. */
  commands?(wanted?: string): Promise<readonly PartCommand[]>;
  /** A part calls this when its commands have changed; the caller of `commands` sets it. */
  onCommands?: (() => void) | undefined;
  /** Undoes or removes what a killed process left, before the session is made. */
  recover?(): Promise<void>;
  /**
   * Called when the session exists, which waits for this; no host has it yet. An error keeps the session from being
   * opened.
   */
  ready?(session: Session): void | Promise<void>;
  /** Called when the session is the present one and nothing runs in it yet. The caller does not wait. */
  opened?(open: OpenSession, arrival: Arrival): void | Promise<void>;
  /** Reads its files again, for `/reload`. */
  reload?(): Promise<void>;
  /** Called when the session is about to end; it still answers. */
  closing?(): Promise<void>;
  /** Called after the session has ended. */
  close?(): Promise<void>;
}

/** Undefined: this addition has nothing for the session. Child agents share their parent's. */
export type AdditionMaker = (workspace: SessionWorkspace, request: SessionRequest) => Promise<SessionPart | undefined>;

export interface AdditionEntry {
  readonly name: string;
  /** The addition is loaded only if an item of one of these kinds was found, or `isNeeded` says so. Absent: always. */
  readonly kinds?: readonly ItemKind[];
  isNeeded?(workspace: SessionWorkspace, request: SessionRequest): boolean;
  /** A built-in tool needs its service, so a single tool call loads it too. */
  readonly servesTools?: true;
  load(): Promise<AdditionMaker>;
}
