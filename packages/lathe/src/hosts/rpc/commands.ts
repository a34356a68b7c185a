// Every command a host can give, defined once: its parameters and the data of a successful reply. The published
// schemas, the client's types and the check of incoming commands all come from here.

import { OWNER_KINDS } from "@lathe/agent/context";
import {
  anyObject,
  anything,
  choice,
  exactly,
  type Fields,
  flag,
  integer,
  listOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Schema,
  type Static,
  type StaticFields,
  text,
} from "@lathe/llm/schema";
import { gateAccepted, gateRejected, workflowGate } from "../../conversation/gates/gate.ts";
import { declarationShape, type UnattendedScope } from "../../conversation/unattended/declaration.ts";
import { agentRow } from "../wire/agent-row.ts";
import { wireImage, wireMessage } from "../wire/message.ts";
import { settledFields, worktreeState } from "../wire/worktree.ts";
import { DISPLAY_COMMANDS } from "./display-commands.ts";

export const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const level = choice(LEVELS);
const permissionMode = choice(["read-only", "ask", "auto-edit", "full", "plan"]);
const queueMode = choice(["all", "one-at-a-time"]);

const modelName = object({ provider: text(), id: text() });
export const modelRow = object({
  provider: text(),
  id: text(),
  name: text(),
  /** 0 if unknown. */
  contextWindow: integer(),
  maxOutput: optional(integer()),
  reasoning: flag(),
  /** In dollars per million tokens. */
  cost: optional(object({ input: number(), output: number(), cacheRead: number(), cacheWrite: number() })),
});
/** A model that the user can choose. */
export type ModelRow = Static<typeof modelRow>;

const task = {
  id: optional(text()),
  content: text(),
  status: choice(["pending", "in_progress", "completed", "abandoned"]),
  notes: optional(listOf(text())),
};
const phasesInput = listOf(object({ id: optional(text()), name: text(), tasks: listOf(object(task)) }));
const phases = listOf(object({ id: text(), name: text(), tasks: listOf(object({ ...task, id: text() })) }));
export type TodoPhases = Static<typeof phases>;

const message = { message: text(), images: optional(listOf(wireImage)) };
/** `cancelled`: a hook objected, or the work was interrupted; nothing has changed. */
const sessionFields = { sessionId: text(), sessionFile: orNull(text()), cancelled: flag(), reason: optional(text()) };
const sessionRef = object(sessionFields);
const treeRow = object({
  entryId: text(),
  /** The nearest ancestor that is in the list. */
  parentId: orNull(text()),
  type: text(),
  role: optional(text()),
  /** A single line. */
  text: text(),
  timestamp: text(),
  label: optional(text()),
  /** Number of ancestors at which the entry's branch is one of several. */
  depth: integer(),
  /** Whether the entry is on the active branch. */
  active: flag(),
});
const toolRow = object({ name: text(), description: text(), parameters: anyObject() });

export const sessionState = object({
  model: modelName,
  thinkingLevel: level,
  isStreaming: flag(),
  isCompacting: flag(),
  steeringMode: queueMode,
  followUpMode: queueMode,
  interruptMode: choice(["immediate", "wait"]),
  /** Null for a session in memory. */
  sessionFile: orNull(text()),
  sessionId: text(),
  sessionName: orNull(text()),
  /** The name in lists: the session's name or its first words; null before its first message. */
  title: orNull(text()),
  cwd: text(),
  /** The last entry of the active branch; null if it is empty. */
  leafId: orNull(text()),
  /** The last input was interrupted, or the message that should follow it is still queued. `continue` finishes it. */
  unfinishedInput: flag(),
  autoCompactionEnabled: flag(),
  autoRetryEnabled: flag(),
  permissionMode,
  messageCount: integer(),
  queuedMessageCount: integer(),
  todoPhases: phases,
  /** Absent: the session is in no workflow. `gate` is the question that the workflow waits for. */
  workflow: optional(object({ name: text(), state: text(), gate: optional(workflowGate) })),
  /** Window and percent are null if the model's window is unknown. */
  contextUsage: object({ tokens: integer(), contextWindow: orNull(integer()), percent: orNull(number()) }),
  dumpTools: optional(listOf(toolRow)),
  systemPrompt: optional(listOf(text())),
});

const hostTool = object({
  name: text(),
  label: optional(text()),
  description: text(),
  /** JSON Schema of the arguments; its root is an object. */
  parameters: anyObject(),
  /** The permission tier of a call; exec by default. */
  tier: optional(choice(["read", "write", "exec", "network"])),
  /** Its calls run one at a time. */
  exclusive: optional(flag()),
});
const uriScheme = object({
  scheme: text(),
  description: optional(text()),
  writable: optional(flag()),
  immutable: optional(flag()),
});

const ownerKind = choice(OWNER_KINDS);
const LEFT_REASONS = [
  "changed",
  "unsure",
  "uncovered",
  "lost",
  "obstructed",
  "full",
  "blocked",
  "repository",
  "editor",
] as const;
const rewindOptions = {
  /** Both by default. */
  parts: optional(choice(["both", "files", "conversation"])),
  /** Also restores files that were changed outside the session. */
  force: optional(flag()),
};
const rewound = object({
  /** The chosen entry; null for a redo. To restore skipped files: rewind to it with `parts: "files"` and `force`. */
  entryId: orNull(text()),
  /** The user's message at that entry; null for other entries. */
  text: orNull(text()),
  /** The last entry of the conversation now; null if it is empty. */
  leafId: orNull(text()),
  restored: listOf(text()),
  left: listOf(object({ path: text(), why: choice(LEFT_REASONS) })),
  /** Why the file changes of an undone message are unknown; null if they are known. */
  unrecorded: orNull(text()),
});

const nothing: Schema<undefined> = { not: {} };

/**
 * The id of the message in the journal. A known id is not sent again, so a host that missed the reply can repeat the
 * command.
 */
const ownEntryId = {
  entryId: optional(text({ pattern: "^[A-Za-z0-9_-]{8,64}$", expects: "8 to 64 plain characters" })),
};

/** `scope` is what the host of an unattended session must have been granted. */
export const COMMANDS = {
  /** With `expandPromptTemplates` false, the message is sent unchanged, even if it names a command. */
  prompt: {
    scope: "prompt",
    params: {
      ...message,
      ...ownEntryId,
      streamingBehavior: optional(choice(["steer", "followUp"])),
      expandPromptTemplates: optional(flag()),
    },
    data: nothing,
  },
  steer: { scope: "prompt", params: message, data: nothing },
  follow_up: { scope: "prompt", params: message, data: nothing },
  /** Finishes the interrupted input; refused if there is none. */
  continue: { scope: "prompt", params: {}, data: nothing },
  abort: { scope: "control", params: {}, data: nothing },
  abort_and_prompt: { scope: "prompt", params: { ...message, ...ownEntryId }, data: nothing },
  new_session: { scope: "session", params: { parentSession: optional(text()) }, data: sessionRef },

  get_state: {
    scope: "message:read",
    params: { include: optional(listOf(choice(["tools", "dumpTools", "systemPrompt"]))) },
    data: sessionState,
  },
  get_context: {
    scope: "message:read",
    params: {},
    data: object({
      model: modelName,
      /** Tokens of the next request: an estimate, scaled by what the vendor last counted. */
      tokens: integer(),
      bytes: integer(),
      /** Null if the model's window is unknown. */
      contextWindow: orNull(integer()),
      freeTokens: orNull(integer()),
      /** Older messages are summarized above this; null if that is not automatic. */
      compactionThreshold: orNull(integer()),
      groups: listOf(object({ kind: ownerKind, count: integer(), tokens: integer(), bytes: integer() })),
      /** The owners in the order of the request; together they make up all of it. */
      owners: listOf(
        object({ kind: ownerKind, name: text(), entryId: optional(text()), tokens: integer(), bytes: integer() }),
      ),
    }),
  },
  set_todos: { scope: "prompt", params: { phases: phasesInput }, data: object({ todoPhases: phases }) },

  set_model: { scope: "model", params: { provider: text(), modelId: text() }, data: modelRow },
  cycle_model: {
    scope: "model",
    params: {},
    /** Null if there is no other model. */
    data: orNull(object({ model: modelRow, thinkingLevel: level, isScoped: flag() })),
  },
  get_available_models: { scope: "model", params: {}, data: object({ models: listOf(modelRow) }) },
  set_thinking_level: { scope: "model", params: { level }, data: object({ level }) },
  cycle_thinking_level: { scope: "model", params: {}, data: orNull(object({ level })) },

  set_permission_mode: { scope: "admin", params: { mode: permissionMode }, data: nothing },
  set_steering_mode: { scope: "control", params: { mode: queueMode }, data: nothing },
  set_follow_up_mode: { scope: "control", params: { mode: queueMode }, data: nothing },
  set_interrupt_mode: { scope: "control", params: { mode: choice(["immediate", "wait"]) }, data: nothing },

  compact: {
    scope: "control",
    params: { customInstructions: optional(text()) },
    data: object({ summary: text(), tokensBefore: integer() }),
  },
  set_auto_compaction: { scope: "control", params: { enabled: flag() }, data: nothing },
  set_auto_retry: { scope: "control", params: { enabled: flag() }, data: nothing },
  abort_retry: { scope: "control", params: {}, data: object({ aborted: flag() }) },

  bash: {
    scope: "bash",
    params: { command: text(), excludeFromContext: optional(flag()) },
    data: object({
      stdout: text(),
      stderr: text(),
      /** Both streams in the order of their output. */
      output: text(),
      exitCode: orNull(integer()),
      cancelled: flag(),
      timedOut: flag(),
      truncated: flag(),
      durationMs: integer(),
    }),
  },
  abort_bash: { scope: "bash", params: {}, data: object({ aborted: flag() }) },

  get_session_stats: {
    scope: "message:read",
    params: {},
    data: object({
      sessionId: text(),
      sessionFile: orNull(text()),
      userMessages: integer(),
      assistantMessages: integer(),
      toolCalls: integer(),
      toolResults: integer(),
      totalMessages: integer(),
      tokens: object({
        input: integer(),
        output: integer(),
        cacheRead: integer(),
        cacheWrite: integer(),
        total: integer(),
      }),
      /** In US dollars. */
      cost: number(),
    }),
  },
  export_html: { scope: "export", params: { outputPath: optional(text()) }, data: object({ path: text() }) },
  switch_session: { scope: "session", params: { sessionPath: text() }, data: sessionRef },
  fork: { scope: "session", params: {}, data: sessionRef },
  /** Continues in a new session with the history before a message of the user; `text` is that message. */
  branch: { scope: "session", params: { entryId: text() }, data: object({ ...sessionFields, text: text() }) },
  get_branch_messages: {
    scope: "message:read",
    params: {},
    data: object({ messages: listOf(object({ entryId: text(), text: text() })) }),
  },
  get_tree: {
    scope: "message:read",
    params: { filter: optional(choice(["default", "no-tools", "user-only", "labeled-only", "all"])) },
    /** Top to bottom; at a branching the active branch comes first, the others by age. */
    data: object({ leafId: orNull(text()), entries: listOf(treeRow) }),
  },
  /** Without `summarize`, the settings decide. `text` is the chosen user message, to be edited and sent again. */
  navigate_tree: {
    scope: "session",
    params: { entryId: orNull(text()), summarize: optional(flag()), customInstructions: optional(text()) },
    data: object({
      leafId: orNull(text()),
      text: orNull(text()),
      summaryEntryId: orNull(text()),
      cancelled: flag(),
      reason: optional(text()),
    }),
  },
  /** Without `label`, the label is removed. */
  set_label: {
    scope: "session",
    params: { entryId: text(), label: optional(text()) },
    data: object({ entryId: text(), label: orNull(text()) }),
  },
  move_session: { scope: "session", params: { directory: text() }, data: object({ ...sessionFields, cwd: text() }) },
  /** Rewinds the user's last message and everything that followed. */
  undo: { scope: "session", params: rewindOptions, data: rewound },
  redo: { scope: "session", params: { force: optional(flag()) }, data: rewound },
  /** Rewinds to before a message of the user, or to the end of any other entry. */
  rewind: { scope: "session", params: { entryId: text(), ...rewindOptions }, data: rewound },
  /** Agents as a tree: each agent is followed by those it started. */
  get_agents: { scope: "message:read", params: {}, data: object({ agents: listOf(agentRow) }) },
  /** A running agent is steered; any other agent gets a new input, even if it is parked. */
  agent_send: {
    scope: "prompt",
    params: { agentId: text(), message: text() },
    data: object({ how: choice(["steered", "continued", "revived"]), agent: agentRow }),
  },
  /** Interrupts the agent's present input; the reply comes when it has ended. */
  agent_stop: { scope: "control", params: { agentId: text() }, data: object({ agent: agentRow, output: text() }) },
  /** Null if the run works in the project itself. */
  get_worktree: { scope: "message:read", params: {}, data: object({ worktree: orNull(worktreeState) }) },
  /** The run continues in the view in any case. */
  settle_worktree: {
    scope: "admin",
    params: { how: choice(["land", "branch", "patch", "discard"]) },
    data: object({ ...settledFields, message: text() }),
  },
  get_last_assistant_text: { scope: "message:read", params: {}, data: object({ text: orNull(text()) }) },
  set_session_name: { scope: "session", params: { name: text() }, data: nothing },
  get_messages: { scope: "message:read", params: {}, data: object({ messages: listOf(wireMessage) }) },
  ...DISPLAY_COMMANDS,

  /** `toolNames` are offered to the model; `refused` are not. */
  set_host_tools: {
    scope: "host_tools",
    params: { tools: listOf(hostTool) },
    data: object({ toolNames: listOf(text()), refused: optional(listOf(object({ name: text(), reason: text() }))) }),
  },
  set_host_uri_schemes: {
    scope: "host_uri",
    params: { schemes: listOf(uriScheme) },
    data: object({ schemes: listOf(text()) }),
  },
  workflow_gate_response: {
    scope: "admin",
    params: {
      gate_id: text(),
      answer: anything(),
      idempotency_key: optional(text({ minLength: 1, maxLength: 200 })),
      /** Who answers, if the host acts for several users. */
      by: optional(text({ maxLength: 200 })),
    },
    /** `rejected`: the answer does not fit the gate's schema, and the gate stays open. */
    data: oneOf(gateAccepted, gateRejected),
  },
  negotiate_unattended: {
    scope: "admin",
    params: { declaration: anyObject() },
    data: object({ accepted: exactly(true), declaration: declarationShape }),
  },
} as const satisfies Record<
  string,
  { readonly scope: UnattendedScope; readonly params: Fields; readonly data: Schema<unknown> }
>;

/** The commands of RPC mode. */
export type CommandName = keyof typeof COMMANDS;
/** The parameters of a command. */
export type CommandParams<K extends CommandName> = StaticFields<(typeof COMMANDS)[K]["params"]>;
/** The data of a command's reply. */
export type CommandData<K extends CommandName> = Static<(typeof COMMANDS)[K]["data"]>;

/** A host's tool as described to the agent. */
export type HostToolSpec = Static<typeof hostTool>;
/** A host's URL scheme as described to the agent. */
export type UriSchemeSpec = Static<typeof uriScheme>;
/** The data of `get_state`. */
export type RpcSessionState = Static<typeof sessionState>;

export const isCommand = (type: unknown): type is CommandName =>
  typeof type === "string" && Object.hasOwn(COMMANDS, type);
