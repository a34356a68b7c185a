// The scope that a client of a shared session needs for each command.

import type { CommandName } from "./commands.ts";

/**
 * What a client may do: `read`; `prompt` (also steer and interrupt); `approve` (answer questions); `admin` (everything
 * else).
 */
export type Scope = "read" | "prompt" | "approve" | "admin";

/** Answers to questions other than a workflow's are frames, not commands. */
const SCOPES = {
  // The answer to a question.
  workflow_gate_response: "approve",

  prompt: "prompt",
  steer: "prompt",
  follow_up: "prompt",
  continue: "prompt",
  abort: "prompt",
  abort_and_prompt: "prompt",
  abort_retry: "prompt",
  edit_queued: "prompt",
  cancel_queued: "prompt",
  set_todos: "prompt",
  set_label: "prompt",
  set_session_name: "prompt",
  compact: "prompt",
  agent_send: "prompt",
  agent_stop: "prompt",
  stop_job: "prompt",
  // It starts git in the project.
  get_diff: "prompt",
  set_model: "prompt",
  cycle_model: "prompt",
  set_thinking_level: "prompt",
  cycle_thinking_level: "prompt",
  set_steering_mode: "prompt",
  set_follow_up_mode: "prompt",
  set_interrupt_mode: "prompt",
  navigate_tree: "prompt",
  new_session: "prompt",
  fork: "prompt",
  branch: "prompt",

  get_state: "read",
  get_context: "read",
  get_costs: "read",
  get_session_stats: "read",
  get_messages: "read",
  get_last_assistant_text: "read",
  get_entries: "read",
  get_entry: "read",
  read_artifact: "read",
  get_tree: "read",
  get_branch_messages: "read",
  get_available_models: "read",
  get_commands: "read",
  get_queue: "read",
  get_agents: "read",
  get_agent_output: "read",
  get_jobs: "read",
  get_changes: "read",
  get_worktree: "read",

  bash: "admin",
  abort_bash: "admin",
  // These restore files without asking for permission.
  undo: "admin",
  redo: "admin",
  rewind: "admin",
  // These take a path.
  switch_session: "admin",
  move_session: "admin",
  export_html: "admin",
  settle_worktree: "admin",
  set_permission_mode: "admin",
  set_auto_compaction: "admin",
  set_auto_retry: "admin",
  set_host_tools: "admin",
  set_host_uri_schemes: "admin",
  negotiate_unattended: "admin",
} as const satisfies Record<CommandName, Scope>;

/** The scope that a client needs for a command. */
export const scopeOf = (command: CommandName): Scope => SCOPES[command];
