// Git's uncommitted changes in the repository that a session works in. Unless the user trusts the folder, nothing that
// the repository configures runs.

import type { ExecutionEnvironment } from "@lathe/agent";
import { visibleLine } from "@lathe/agent/base";
import {
  type FilterChoice,
  INERT_DIFF,
  INERT_GIT_COMMAND,
  LIST_SETTINGS,
  quoteShell,
  withoutFilters,
} from "@lathe/agent/world";
import { isTrusted } from "../config/trust/trust.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import { usageError } from "../platform/usage/exit.ts";
import { filtersOffLine, stuckFilterLine } from "./filters-off.ts";

const TIMEOUT_MS = 20_000;

export interface WorkingDiff {
  /** False: there is no commit yet, and the diff is against the empty tree. */
  readonly hasCommit: boolean;
  readonly diff: string;
  /** New files that git does not track yet. */
  readonly untracked: readonly string[];
  /** Says that filters of the repository did not run, so that their files may show other changes. */
  readonly note?: string;
}

interface Asking {
  readonly session: { readonly env: ExecutionEnvironment };
  readonly workspace: Pick<Workspace, "paths" | "cwd" | "machine">;
}

export async function workingDiff({
  session: { env },
  workspace: { paths, cwd, machine },
}: Asking): Promise<WorkingDiff> {
  const trusts = isTrusted(paths.trust, cwd, machine.userHome);
  const run = (command: string) => env.execCommand(command, TIMEOUT_MS, { internal: true });
  const inert = trusts ? undefined : await filterChoice(run);
  if (inert?.stuck !== undefined) throw usageError(stuckFilterLine(inert.stuck));
  const words = inert ? [INERT_GIT_COMMAND, ...inert.options.map(quoteShell)] : ["git --no-pager"];
  const ask = (command: string) => run(`${words.join(" ")} ${command}`);
  const git = async (command: string): Promise<string> => {
    const { output, exitCode } = await ask(command);
    if (exitCode === 0) return output.trimEnd();
    throw usageError(`git diff failed: ${visibleLine(output) || `exit ${exitCode}`}.`);
  };
  const at = await ask("rev-parse --quiet --verify HEAD");
  if (/not a git repository/i.test(at.output)) throw usageError("Not a git repository.");
  const hasCommit = at.exitCode === 0;
  // Before the first commit everything in the index is new, so the diff is against the empty tree.
  const base = hasCommit ? "HEAD" : await git("hash-object -t tree /dev/null");
  const options = inert ? INERT_DIFF : ["--no-ext-diff"];
  const diff = await git(`diff --no-color ${options.join(" ")} ${base} -- .`);
  const added = await git("ls-files --others --exclude-standard");
  const note = inert && diff !== "" ? filtersOffLine(inert.off) : undefined;
  const untracked = added === "" ? [] : added.split("\n");
  return { hasCommit, diff, untracked, ...(note === undefined ? {} : { note }) };
}

type Run = (command: string) => ReturnType<ExecutionEnvironment["execCommand"]>;

async function filterChoice(run: Run): Promise<FilterChoice> {
  const { stdout, output, exitCode, truncated } = await run(`${INERT_GIT_COMMAND} ${LIST_SETTINGS.join(" ")}`);
  if (exitCode === 0 && !truncated) return withoutFilters(stdout);
  throw usageError(`git's settings could not be read: ${visibleLine(truncated ? "they are too long" : output)}.`);
}
