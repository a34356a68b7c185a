// How much of each tool's output the model sees, unless the session's configuration says otherwise.

export type TruncationMode = "head_tail" | "tail" | "head";

export interface OutputLimit {
  readonly chars: number;
  readonly mode: TruncationMode;
  /** No line limit when absent. */
  readonly lines?: number;
}

const OTHER: OutputLimit = { chars: 30_000, mode: "head_tail" };

const EDIT: OutputLimit = { chars: 10_000, mode: "tail" };

const TABLE: Readonly<Record<string, OutputLimit>> = {
  read_file: { chars: 50_000, mode: "head_tail" },
  read_many_files: { chars: 50_000, mode: "head_tail" },
  shell: { chars: 30_000, mode: "head_tail", lines: 256 },
  grep: { chars: 20_000, mode: "tail", lines: 200 },
  glob: { chars: 20_000, mode: "tail", lines: 500 },
  list_dir: { chars: 20_000, mode: "tail", lines: 500 },
  edit_file: EDIT,
  apply_patch: EDIT,
  write_file: { chars: 1_000, mode: "tail" },
  spawn_agent: { chars: 20_000, mode: "head_tail" },
  wait: { chars: 20_000, mode: "head_tail" },
  edit: EDIT,
};

/** Tools under the names that other agents give them are cut like ours. */
const SAME_AS: Readonly<Record<string, string>> = {
  Read: "read_file",
  Write: "write_file",
  Edit: "edit_file",
  replace: "edit_file",
  Bash: "shell",
  BashOutput: "shell",
  exec_command: "shell",
  write_stdin: "shell",
  run_shell_command: "shell",
  Grep: "grep",
  grep_search: "grep",
  Glob: "glob",
  list_directory: "list_dir",
  Agent: "spawn_agent",
  wait_agent: "wait",
};

export interface LimitOverrides {
  readonly toolOutputLimits: Readonly<Record<string, number>>;
  readonly toolLineLimits: Readonly<Record<string, number>>;
  readonly toolOutputModes: Readonly<Record<string, TruncationMode>>;
}

export function outputLimit(tool: string, overrides?: Partial<LimitOverrides>): OutputLimit {
  const row = Object.hasOwn(SAME_AS, tool) ? SAME_AS[tool]! : tool;
  const base = Object.hasOwn(TABLE, row) ? TABLE[row]! : OTHER;
  const lines = overrides?.toolLineLimits?.[tool] ?? base.lines;
  return {
    chars: overrides?.toolOutputLimits?.[tool] ?? base.chars,
    mode: overrides?.toolOutputModes?.[tool] ?? base.mode,
    ...(lines === undefined ? {} : { lines }),
  };
}
