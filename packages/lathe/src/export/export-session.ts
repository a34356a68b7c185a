import type { Workspace } from "../run/workspace.ts";

/** Writes the session as one HTML page beside the working directory and gives its path. */
export async function exportSession(_workspace: Workspace, path: string): Promise<string> {
  throw new Error(`cannot export ${path}`);
}
