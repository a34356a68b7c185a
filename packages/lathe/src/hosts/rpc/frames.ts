// The frames of RPC mode besides commands: what the agent sends, and what a host replies to the agent's requests.

import {
  anyObject,
  anything,
  choice,
  exactly,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  type Static,
  text,
} from "@lathe/llm/schema";
import { workflowGate } from "../../conversation/gates/gate.ts";
import { previewLine } from "../wire/card.ts";

export const PROTOCOL_VERSION = 2;

/** Refusals with a code, which programs can distinguish. */
const errorObject = object({
  code: text(),
  message: text(),
  /** Set for `scope_denied` and `budget_exhausted`: the refused command, and the scope it needs. */
  command: optional(text()),
  scope: optional(text()),
});

export const responseError = oneOf(text(), errorObject);

const eventEnvelope = object({
  type: exactly("event"),
  protocol_version: exactly(PROTOCOL_VERSION),
  session_id: text(),
  /** Counts from 1 in each session, without gaps. */
  seq: integer(),
  frame_id: text(),
  /** The last entry of the active branch at that time; null if there was none. */
  entry_id: orNull(text()),
  payload: object({ event_type: text(), event: anyObject() }),
});

const uiFields = {
  type: exactly("extension_ui_request"),
  id: text(),
  title: optional(text()),
  message: optional(text()),
  /** Milliseconds after which the agent continues without an answer. */
  timeout: optional(integer()),
};

/** Set if the question is about a call. */
const about = {
  toolCallId: optional(text()),
  toolName: optional(text()),
  arguments: optional(anyObject()),
  /** The agent that wants to make the call; `message` begins with its assignment. Absent: the session itself. */
  agentId: optional(text()),
  /** Everything the call would do, with file changes as diff lines. `message` is the same as one text. */
  preview: optional(listOf(previewLine)),
  /** Why the call is asked about. */
  reason: optional(text()),
  /** Answers that go beyond this call: return the width as `remember` with `confirmed: true`. */
  remember: optional(
    listOf(
      object({
        width: choice(["pattern", "tool"]),
        rules: listOf(text()),
        label: text("The answer in words, with how long it holds."),
      }),
    ),
  ),
};

const uiRequest = oneOf(
  object({
    ...uiFields,
    method: exactly("select"),
    options: listOf(text()),
    multi: optional(flag()),
    recommended: optional(integer()),
  }),
  object({ ...uiFields, method: exactly("confirm"), ...about }),
  object({ ...uiFields, method: exactly("input"), placeholder: optional(text()) }),
  object({ ...uiFields, method: exactly("editor"), prefill: optional(text()) }),
  /**
   * The remaining methods need no answer. `setTitle`: the session's title, only with LATHE_RPC_EMIT_TITLE, or an
   * extension's.
   */
  object({ ...uiFields, method: exactly("setTitle"), title: text() }),
  object({ ...uiFields, method: exactly("notify"), message: text(), notifyType: choice(["info", "warning", "error"]) }),
  /** Without a text, the status is removed. */
  object({ ...uiFields, method: exactly("setStatus"), statusKey: text(), statusText: optional(text()) }),
  object({ ...uiFields, method: exactly("setWidget"), widgetKey: text(), widgetLines: optional(listOf(text())) }),
  object({ ...uiFields, method: exactly("set_editor_text"), text: text() }),
  /** The question was answered, so close the dialog. `by`: who answered, if known; `deadline` if its time was up. */
  object({ ...uiFields, method: exactly("cancel"), targetId: text(), by: optional(text()) }),
);
/** A dialog that the agent asks the host to show. */
export type UiRequest = Static<typeof uiRequest>;

const hostToolCall = object({
  type: exactly("host_tool_call"),
  id: text(),
  toolCallId: text(),
  toolName: text(),
  arguments: anyObject(),
});
const hostUriRequest = object({
  type: exactly("host_uri_request"),
  id: text(),
  operation: choice(["read", "write"]),
  url: text(),
  content: optional(text()),
});
const cancel = { id: text(), targetId: text() };

/** Frames that the agent sends, except replies. */
export const OUTBOUND = {
  ready: object({ type: exactly("ready") }),
  event: eventEnvelope,
  /** A question of a workflow, answered with `workflow_gate_response`; the same question follows as a dialog. */
  workflow_gate: workflowGate,
  extension_ui_request: uiRequest,
  /** The answer to a dialog is in the journal, if it belongs there, and is not asked for again. */
  extension_ui_taken: object({ type: exactly("extension_ui_taken"), targetId: text() }),
  /** Code of an extension failed; `event` is what was called. */
  extension_error: object({ type: exactly("extension_error"), extensionPath: text(), event: text(), error: text() }),
  host_tool_call: hostToolCall,
  host_tool_cancel: object({ type: exactly("host_tool_cancel"), ...cancel }),
  host_uri_request: hostUriRequest,
  host_uri_cancel: object({ type: exactly("host_uri_cancel"), ...cancel }),
} as const;

const block = oneOf(
  object({ type: exactly("text"), text: text() }),
  object({ type: exactly("image"), data: text(), mediaType: text() }),
);
const result = object({ content: listOf(block), details: optional(anything()) });

/** Answers to the agent's requests. */
export const INBOUND = {
  extension_ui_response: object({
    type: exactly("extension_ui_response"),
    id: text(),
    value: optional(oneOf(text(), listOf(text()))),
    confirmed: optional(flag()),
    /** One of the widths that the question offered. */
    remember: optional(choice(["pattern", "tool"])),
    /** Who answered, if the host asks several users. */
    by: optional(text()),
    cancelled: optional(flag()),
    timedOut: optional(flag()),
  }),
  host_tool_update: object({ type: exactly("host_tool_update"), id: text(), partialResult: result }),
  host_tool_result: object({ type: exactly("host_tool_result"), id: text(), result, isError: optional(flag()) }),
  host_uri_result: object({
    type: exactly("host_uri_result"),
    id: text(),
    content: optional(text()),
    contentType: optional(text()),
    notes: optional(listOf(text())),
    immutable: optional(flag()),
    isError: optional(flag()),
    error: optional(text()),
  }),
} as const;

export type InboundName = keyof typeof INBOUND;
/** The answer to a dialog. */
export type UiResponse = Static<typeof INBOUND.extension_ui_response>;
export type HostToolUpdate = Static<typeof INBOUND.host_tool_update>;
/** The result of a host's tool. */
export type HostToolResult = Static<typeof INBOUND.host_tool_result>;
export type HostUriResult = Static<typeof INBOUND.host_uri_result>;
/** Why a command was refused: a sentence, or one with a code. */
export type ResponseError = Static<typeof responseError>;

export const isInbound = (type: unknown): type is InboundName =>
  typeof type === "string" && Object.hasOwn(INBOUND, type);
