// RPC over stdio: one JSON object per line both ways. Here the process side: start, end of input, signals, exit.

import { type ExitCode, usageError } from "../../cli/exit.ts";
import type { ParsedArgs } from "../../cli/parse.ts";
import type { OpenedJournal } from "../../run/journal-files.ts";
import type { SessionRequest } from "../../run/open-session.ts";
import type { Workspace } from "../../run/workspace.ts";

export async function rpcMode(
  _workspace: Workspace,
  { words }: ParsedArgs,
  _requestFor: (opened: OpenedJournal) => Promise<SessionRequest>,
): Promise<ExitCode> {
  throw usageError(`--mode rpc takes its prompts from stdin, not from the command line: ${words.join(" ")}`);
}
