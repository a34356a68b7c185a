// The parameters of `debug`. One schema for all actions; which of them an action needs is checked when it runs.

import { anyObject, choice, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";

const DEBUG_ACTIONS = [
  "launch",
  "attach",
  "trace",
  "set_breakpoint",
  "remove_breakpoint",
  "set_instruction_breakpoint",
  "remove_instruction_breakpoint",
  "data_breakpoint_info",
  "set_data_breakpoint",
  "remove_data_breakpoint",
  "continue",
  "step_over",
  "step_in",
  "step_out",
  "pause",
  "evaluate",
  "stack_trace",
  "threads",
  "scopes",
  "variables",
  "disassemble",
  "read_memory",
  "write_memory",
  "modules",
  "loaded_sources",
  "custom_request",
  "output",
  "terminate",
  "sessions",
] as const;

/** The actions of a debugger. */
export type DebugAction = (typeof DEBUG_ACTIONS)[number];

const whole = (description: string, minimum = 0) => optional(integer({ description, minimum }));

const params = {
  action: choice(DEBUG_ACTIONS, "What to do"),
  program: optional(text("launch, trace: what to run")),
  args: optional(listOf(text(), "launch, trace: its arguments")),
  cwd: optional(text("launch, trace: where it runs")),
  adapter: optional(
    choice(["debugpy", "node", "delve", "gdb", "lldb-dap"], "Which debugger; found by itself otherwise"),
  ),
  name: optional(text("Which program, when several are debugged")),
  at: optional(text("trace: `file:line`")),
  show: optional(listOf(text(), "trace: expressions")),
  hits: optional(integer({ description: "trace: rows at most, 20 when absent", minimum: 1, maximum: 1000 })),
  pid: whole("attach: a process", 1),
  port: whole("attach: where the program waits for a debugger", 1),
  file: optional(text("Breakpoints, attach: the file")),
  line: whole("Breakpoints, attach: the line, from 1", 1),
  function: optional(text("Breakpoints: a function, instead of file and line")),
  condition: optional(text("Breakpoints: stop only when this is true")),
  hit_condition: optional(text("Breakpoints: stop at this hit only")),
  expression: optional(text("evaluate: in the frame where the program has stopped")),
  context: optional(choice(["repl", "watch", "hover", "variables"], "evaluate: `repl` when absent")),
  frame_id: whole("From stack_trace; the top one when absent"),
  thread_id: whole("From threads; the one that stopped when absent"),
  scope_id: whole("variables: from scopes; all local ones when neither this nor variable_ref is given"),
  variable_ref: whole("variables: what is inside a value"),
  levels: whole("stack_trace: frames at most", 1),
  memory_reference: optional(text("An address, or one from variables")),
  instruction_reference: optional(text("An address of an instruction")),
  instruction_count: whole("disassemble", 1),
  offset: optional(integer("Bytes from the reference")),
  count: whole("read_memory: bytes", 1),
  data: optional(text("write_memory: bytes in base64")),
  data_id: optional(text("Data breakpoints: from data_breakpoint_info")),
  variable: optional(text("data_breakpoint_info: the variable")),
  access_type: optional(choice(["read", "write", "readWrite"], "set_data_breakpoint")),
  command: optional(text("custom_request: a request of the Debug Adapter Protocol")),
  arguments: optional(anyObject("custom_request: its arguments. launch, attach: more for the adapter")),
  timeout: optional(integer("Seconds to wait, 5 to 300; 30 when absent")),
};

export const schema = object(params);

/** The arguments of a call. */
export type DebugArgs = StaticFields<typeof params>;
