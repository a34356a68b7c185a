// Output limits that several tools share.

import type { OutputLimit } from "../../base/truncate/limits.ts";
import type { ToolDef } from "../../contract/tool.ts";

export const READ_OUTPUT: OutputLimit = { chars: 50_000, mode: "head_tail" };
export const EDIT_OUTPUT: OutputLimit = { chars: 10_000, mode: "tail" };
export const SHELL_OUTPUT: OutputLimit = { chars: 30_000, mode: "head_tail", lines: 256 };
export const SEARCH_OUTPUT: OutputLimit = { chars: 20_000, mode: "tail", lines: 200 };
export const LISTING_OUTPUT: OutputLimit = { chars: 20_000, mode: "tail", lines: 500 };
export const AGENT_OUTPUT: OutputLimit = { chars: 20_000, mode: "head_tail" };

/** Listings begin with the newest files, so we cut the end, not the head. */
export function keepHead<Tool extends Pick<ToolDef<never>, "output">>(tool: Tool): Tool {
  return tool.output ? { ...tool, output: { ...tool.output, mode: "head" } } : tool;
}
