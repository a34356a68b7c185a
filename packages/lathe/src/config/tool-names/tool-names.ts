// Hooks, extensions and agents written for another agent use that agent's tool names. Each of our tools is presented to
// them as the tool that does the same work there.

/** Whose names and arguments a hook or extension knows. */
export type Dialect = "lathe" | "claude" | "gemini" | "cursor" | "copilot" | "pi";

/** The kind of work a call does, as far as guards distinguish it. */
export type Work = "shell" | "read" | "edit" | "write";

interface ToolRow {
  readonly work?: Work;
  readonly claude: string;
  readonly gemini?: string;
  readonly cursor?: string;
  readonly copilot?: string;
  readonly pi?: string;
  /** Other tools of ours for the same work, which a vendor's models know. */
  readonly also?: readonly string[];
}

const ROWS: Readonly<Record<string, ToolRow>> = {
  shell: {
    work: "shell",
    claude: "Bash",
    gemini: "run_shell_command",
    cursor: "Shell",
    copilot: "bash",
    pi: "bash",
    also: ["exec_command", "shell_command"],
  },
  read_file: { work: "read", claude: "Read", gemini: "read_file", copilot: "view", pi: "read" },
  edit_file: {
    work: "edit",
    claude: "Edit",
    gemini: "replace",
    cursor: "Write",
    copilot: "edit",
    pi: "edit",
    also: ["apply_patch", "MultiEdit"],
  },
  write_file: { work: "write", claude: "Write", gemini: "write_file", copilot: "create", pi: "write" },
  read_many_files: { work: "read", claude: "Read", gemini: "read_many_files", copilot: "view", pi: "read" },
  inspect_image: { work: "read", claude: "Read", copilot: "view", pi: "read", also: ["view_image"] },
  grep: { claude: "Grep", gemini: "grep_search", pi: "grep", also: ["search"] },
  glob: { claude: "Glob", gemini: "glob", pi: "find" },
  list_dir: { claude: "LS", gemini: "list_directory", pi: "ls" },
  web_fetch: { claude: "WebFetch", gemini: "web_fetch" },
  web_search: { claude: "WebSearch", gemini: "google_web_search" },
  spawn_agent: { claude: "Task", also: ["Agent", "task"] },
  todo: { claude: "TodoWrite", gemini: "write_todos", also: ["update_plan"] },
  ask_user: { claude: "AskUserQuestion", also: ["request_user_input", "ask"] },
  exit_plan_mode: { claude: "ExitPlanMode" },
};

/** Every name that a matcher may use for a tool, its own name first. */
export function namesOf(tool: string): readonly string[] {
  const [ours, row] = rowOf(tool) ?? [];
  if (ours === undefined || row === undefined) return [tool];
  return [...new Set([tool, ours, ...foreignNames(row)])];
}

/** The name that the author of a hook in this dialect knows for the tool. */
export function nameFor(dialect: Dialect, tool: string): string {
  const [, row] = rowOf(tool) ?? [];
  if (dialect === "lathe" || !row) return tool;
  if (dialect === "claude") return row.claude;
  return row[dialect] ?? (dialect === "cursor" ? row.claude : tool);
}

/** Undefined if the tool neither runs commands nor touches file contents. */
export const workOf = (tool: string): Work | undefined => rowOf(tool)?.[1].work;

/** Whether some other agent has a tool for the same work. */
export const isNamedElsewhere = (tool: string): boolean => rowOf(tool) !== undefined;

const foreignNames = ({ claude, gemini, cursor, pi, also = [] }: ToolRow): readonly string[] =>
  [claude, gemini, cursor, pi, ...also].filter((name) => name !== undefined);

function rowOf(tool: string): readonly [string, ToolRow] | undefined {
  const row = ROWS[tool];
  if (row && Object.hasOwn(ROWS, tool)) return [tool, row];
  return Object.entries(ROWS).find(([, other]) => foreignNames(other).includes(tool));
}
