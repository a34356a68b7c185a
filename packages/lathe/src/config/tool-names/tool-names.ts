// Hooks that were written for another agent name that agent's tools. A tool of ours is presented to them as the tool
// that does the same work there.

import { resolve } from "node:path";
import type { JsonObject } from "@lathe/llm";

interface NamesElsewhere {
  readonly claude: string;
  readonly gemini?: string;
  /** Faces of the same work that a vendor's models know. */
  readonly also?: readonly string[];
}

const ELSEWHERE: Readonly<Record<string, NamesElsewhere>> = {
  shell: { claude: "Bash", gemini: "run_shell_command", also: ["exec_command", "shell_command"] },
  read_file: { claude: "Read", gemini: "read_file" },
  edit_file: { claude: "Edit", gemini: "replace", also: ["apply_patch", "MultiEdit"] },
  write_file: { claude: "Write", gemini: "write_file" },
  grep: { claude: "Grep", gemini: "grep_search" },
  glob: { claude: "Glob", gemini: "glob" },
  list_dir: { claude: "LS", gemini: "list_directory" },
  web_fetch: { claude: "WebFetch", gemini: "web_fetch" },
  web_search: { claude: "WebSearch", gemini: "google_web_search" },
  spawn_agent: { claude: "Task", also: ["Agent"] },
  todo: { claude: "TodoWrite", gemini: "write_todos", also: ["update_plan"] },
  ask_user: { claude: "AskUserQuestion", also: ["request_user_input"] },
  exit_plan_mode: { claude: "ExitPlanMode" },
};

/** Every name that a matcher may use for a tool: its own first. */
export function namesOf(tool: string): readonly string[] {
  const [ours, row] = rowOf(tool) ?? [];
  if (ours === undefined || row === undefined) return [tool];
  const names = [tool, ours, row.claude, row.gemini ?? ours, ...(row.also ?? [])];
  return [...new Set(names)];
}

/** As the author of a hook that `provider` brought knows the tool. */
export function nameFor(provider: string, tool: string): string {
  const [, row] = rowOf(tool) ?? [];
  if (provider.startsWith("claude")) return row?.claude ?? tool;
  return provider === "gemini" ? (row?.gemini ?? tool) : tool;
}

/** Hooks of other agents expect whole paths. */
export function inputFor(provider: string, args: JsonObject, cwd: string): JsonObject {
  const { file_path: path } = args;
  return provider === "native" || typeof path !== "string" ? args : { ...args, file_path: resolve(cwd, path) };
}

function rowOf(tool: string): readonly [string, NamesElsewhere] | undefined {
  return Object.entries(ELSEWHERE).find(
    ([ours, { claude, gemini, also = [] }]) => [ours, claude, gemini].includes(tool) || also.includes(tool),
  );
}
