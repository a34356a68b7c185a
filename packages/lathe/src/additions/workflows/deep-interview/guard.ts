// During an interview, only calls that are known not to change files may run: this is a list of tools, not a judgement
// of each call.

import type { ProposedCall } from "@lathe/agent";
import type { ToolDef } from "@lathe/agent/contract";
import guard from "./guard.md";
import useInterview from "./use-interview.md";

/** Tools that only read, or that change only state of the session. */
const LOOKING: ReadonlySet<string> = new Set([
  ...["read", "read_file", "read_many_files", "list_dir", "find", "glob", "grep", "search", "ast_grep", "repo_map"],
  ...["inspect_image", "recall", "web_fetch", "web_search", "job_output", "wait"],
  ...["todo", "interview"],
]);
/** These are refused because every question of an interview must be a gate. */
const ASKING: ReadonlySet<string> = new Set(["ask", "ask_user", "exit_plan_mode"]);

/** Why the call may not run; undefined if it cannot change a file. `builtIn`: whether the tool is Lathe's own. */
export function refusalInInterview(
  { tool, tier }: Pick<ProposedCall, "tool" | "tier">,
  builtIn: (tool: ToolDef) => boolean,
): string | undefined {
  if (ASKING.has(tool.name) && builtIn(tool)) return useInterview.trim();
  // An added tool may have any name.
  const isLooking = LOOKING.has(tool.name) && builtIn(tool) && (tier === "read" || tier === "network");
  return isLooking ? undefined : guard.trim();
}
