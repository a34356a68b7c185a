// The names of the extension events, as a value.

import type { ExtensionEventName } from "./events.ts";

export const EXTENSION_EVENTS: Readonly<Record<ExtensionEventName, true>> = {
  session_start: true,
  session_before_switch: true,
  session_switch: true,
  session_before_branch: true,
  session_branch: true,
  session_before_tree: true,
  session_tree: true,
  session_before_compact: true,
  "session.compacting": true,
  session_compact: true,
  session_shutdown: true,
  input: true,
  before_agent_start: true,
  agent_start: true,
  agent_end: true,
  stop: true,
  turn_start: true,
  turn_end: true,
  message_update: true,
  message_end: true,
  context: true,
  tool_call: true,
  tool_result: true,
  auto_compaction_start: true,
  auto_compaction_end: true,
  auto_retry_start: true,
  auto_retry_end: true,
  warning: true,
};
