// The coordinator's contract, independent of the transport: the server's name, its tools with their parameters, and
// which of them change something.

import {
  anything,
  choice,
  type Fields,
  flag,
  integer,
  listOf,
  object,
  optional,
  type Schema,
  text,
} from "@lathe/llm/schema";

export const SERVER_NAME = "lathe-coordinator-mcp";
/** Version of replies and of the event journal. */
export const SCHEMA_VERSION = 1;
const PREFIX = "lathe_coordinator_";
/** The longest that a call may wait. */
export const LONGEST_WAIT_MS = 30_000;
export const MOST_EVENTS = 100;

/** The kinds of changes that an operator can allow. */
export const MUTATIONS = ["sessions", "questions", "reports"] as const;
export type Mutation = (typeof MUTATIONS)[number];

/** The ends of a turn that can be reported. */
export const REPORTED = ["completed", "failed", "cancelled"] as const;

const sessionId = text({ description: "Name of a session of this coordinator.", maxLength: 64 });
const turnId = text({ description: "turn-<uuid>, from send_prompt.", maxLength: 64 });
const timeout = optional(integer(`How long to wait, in ms; at most ${LONGEST_WAIT_MS}.`));
const ALLOW = { allow_mutation: optional(flag("Must be true: this call changes something.")) };

function tool<F extends Fields>(description: string, params: F, needs?: Mutation) {
  return { description, params: object(params), needs } as const;
}

/** Tools by short name; on the wire, the names begin with `lathe_coordinator_`. */
export const TOOLS = {
  list_sessions: tool("Sessions of this coordinator's namespace.", {}),
  read_status: tool("One session: whether it is alive, its active turn, its queued turns.", { session_id: sessionId }),
  read_tail: tool("The last lines of a session, from its journal.", {
    session_id: sessionId,
    lines: optional(integer("At most 200; default 40.")),
  }),
  list_questions: tool("Questions that wait for an answer, of one session or of all.", {
    session_id: optional(sessionId),
  }),
  list_artifacts: tool("Files that a session has changed, and complete outputs of its tools.", {
    session_id: sessionId,
  }),
  read_artifact: tool("Bytes of a file below the allowed folders, or of an output that list_artifacts names.", {
    session_id: optional(sessionId),
    path: text("Absolute, or relative to the session's folder; an output as artifact://<name>."),
    offset: optional(integer("In bytes.")),
  }),
  read_coordination_status: tool("The namespace: sessions, active and queued turns, open questions, last events.", {}),
  read_turn: tool("A turn: status, final response, evidence, error.", {
    turn_id: turnId,
    session_id: optional(sessionId),
  }),
  await_turn: tool("Like read_turn, once the turn has ended or the time is over.", {
    turn_id: turnId,
    session_id: optional(sessionId),
    timeout_ms: timeout,
  }),
  watch_events: tool(
    "Events after a number: returns at once if there are any, otherwise when one arrives or the time is over.",
    {
      after_seq: optional(integer("The last number seen; default 0.")),
      session_id: optional(sessionId),
      event_types: optional(listOf(text(), "Kinds, such as turn.completed; all if empty or missing.")),
      timeout_ms: timeout,
      limit: optional(integer(`At most ${MOST_EVENTS}.`)),
    },
  ),
  start_session: tool(
    "Starts a session in a tmux pane, in a folder below the allowed ones. With session_id: restarts one whose process has ended; its turn continues.",
    { cwd: optional(text("Absolute path of the project.")), session_id: optional(sessionId), ...ALLOW },
    "sessions",
  ),
  register_session: tool(
    "Adopts an existing tmux pane with a Lathe session in it.",
    {
      session_id: text({ description: "The name to give it here.", maxLength: 64 }),
      pane: text({ description: "Of tmux, such as %3.", maxLength: 16 }),
      ...ALLOW,
    },
    "sessions",
  ),
  send_prompt: tool(
    "Starts a turn. Refused while another turn of the session is active, unless it is queued or forced.",
    {
      session_id: sessionId,
      prompt: text(),
      queue: optional(flag("Wait for the end of the active turn.")),
      force: optional(flag("Supersede the active turn and interrupt its work.")),
      ...ALLOW,
    },
    "sessions",
  ),
  submit_question_answer: tool(
    "Answers a question of list_questions. The first valid answer counts.",
    {
      session_id: sessionId,
      question_id: text({ maxLength: 160 }),
      turn_id: optional(turnId),
      answer: anything("A text, several texts, true or false, as the question says; for a gate, as its schema says."),
      ...ALLOW,
    },
    "questions",
  ),
  report_status: tool(
    "Reports how a turn ended. The session's process keeps running; cancelled work is interrupted.",
    {
      session_id: sessionId,
      turn_id: turnId,
      status: choice(REPORTED),
      blocker: optional(text({ description: "Why it failed.", maxLength: 4_000 })),
      summary: optional(text({ maxLength: 4_000 })),
      evidence: optional(listOf(text({ maxLength: 1_000 }), { maxItems: 50 })),
      ...ALLOW,
    },
    "reports",
  ),
} as const;

export type ToolName = keyof typeof TOOLS;
export type ToolParams<K extends ToolName> = (typeof TOOLS)[K]["params"] extends Schema<infer P> ? P : never;

export const TOOL_NAMES = Object.keys(TOOLS) as readonly ToolName[];
export const wireName = (name: ToolName): string => PREFIX + name;

export function toolNamed(name: string): ToolName | undefined {
  const short = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
  return Object.hasOwn(TOOLS, short) ? (short as ToolName) : undefined;
}

/** The summary that `--check` and `lathe coordinator` print. */
export function contractSummary(version: string): object {
  const names = (isChange: boolean): string[] =>
    TOOL_NAMES.filter((name) => (TOOLS[name].needs !== undefined) === isChange).map(wireName);
  return {
    schema_version: SCHEMA_VERSION,
    server: { name: SERVER_NAME, version },
    transport: "stdio",
    tools: { read: names(false), mutating: names(true) },
  };
}

/** A refusal with a code for programs. */
export class CoordinatorRefusal extends Error {
  readonly code: string;
  /** Additional facts for the reply. */
  readonly more: Readonly<Record<string, unknown>>;
  constructor(code: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "CoordinatorRefusal";
    this.code = code;
    this.more = more;
  }
}
