// `--worktree`: a whole run works in a view of the project. Without a user its changes are applied at the end; if that
// fails, they are kept as a patch, and the result says so.

import { isSafeId, takenBranch } from "@lathe/agent/files";
import { messageOf } from "@lathe/llm";
import { conflictLines, isRefused, type RunView, type Settled } from "../../config/workspace/run-view.ts";
import { hostOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { landingPermit } from "../../conversation/landing-permit.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { RunResult } from "../headless/result.ts";
import { OpenRunView } from "./run-view.ts";

/**
 * Runs `work` in a view of the workspace. Changes that were not applied, exported or discarded are kept. `endsInBranch`:
 * a run with a name ends in a branch, without a choice of the user or host.
 */
export async function inView<T>(
  workspace: Workspace,
  name: string | true,
  work: (view: RunView) => Promise<T>,
  endsInBranch = true,
): Promise<T> {
  const tell = teller(workspace);
  if (name !== true && endsInBranch) await refuseTakenBranch(workspace, name);
  const view = await OpenRunView.open(workspace, name, tell);
  try {
    return await work(view);
  } finally {
    const kept = await view.leave();
    if (kept !== undefined) tell(`${kept} Continue with: ${view.toContinue}`);
  }
}

/** Otherwise the run would be paid for before its end says so. */
async function refuseTakenBranch(workspace: Workspace, name: string): Promise<void> {
  if (!isSafeId(name)) return; // refused when it is opened
  const branch = await takenBranch(
    workspace.cwd,
    name,
    hostOptions(workspace, () => {}),
  );
  if (branch === undefined) return;
  throw usageError(
    `--worktree ${name}: the run would end in the branch ${branch}, which already exists. Choose another name, or rename the branch: git branch -m ${branch} <new name>`,
  );
}

const teller =
  ({ machine }: Workspace) =>
  (line: string): void =>
    void machine.stderr.write(`lathe: ${line}\n`);

/**
 * Applies the changes of a run without a user and adds that to its result. Without a view the result stays unchanged.
 */
export async function landResult(conversation: Conversation, result: RunResult): Promise<RunResult> {
  const { view } = conversation.workspace;
  if (!view) return result;
  try {
    return await landIn(view, conversation, result);
  } catch (error) {
    // For instance because files change whenever git reads them, or the disk is full. The view is kept when the run
    // leaves it.
    const message = `Nothing was applied: ${messageOf(error)}`;
    if (result.exitCode === EXIT.done) return { ...result, status: "failed", exitCode: EXIT.failed, error: message };
    teller(conversation.workspace)(message);
    return result;
  }
}

async function landIn(view: RunView, { workspace, open }: Conversation, result: RunResult): Promise<RunResult> {
  const permit = landingPermit(open, view.id);
  const tell = teller(workspace);
  const { files, leftOutLine } = await view.changes();
  if (leftOutLine !== undefined) tell(leftOutLine);
  if (files.length === 0) {
    tell("Nothing was changed.");
    return result;
  }
  if (result.exitCode !== EXIT.done) {
    const kept = await view.settle("patch", permit);
    tell(`The run did not finish, so nothing was applied. ${kept.message}`);
    return { ...result, worktree: facts(view, kept) };
  }
  const settled = await view.settle(view.isNamed ? "branch" : "land", permit);
  if (!isRefused(settled)) {
    tell(settled.message);
    return { ...result, worktree: facts(view, settled) };
  }
  const { patch, message } = await view.settle("patch", permit);
  const why = [settled.message, ...conflictLines(settled).map((line) => line.replace(/[.!?]?$/, "."))].join(" ");
  const worktree = facts(view, patch === undefined ? settled : { ...settled, patch });
  return { ...result, status: "failed", exitCode: EXIT.failed, error: `${why} ${message}`, worktree };
}

function facts(
  { id }: RunView,
  { message: _message, how: _how, ...rest }: Settled,
): NonNullable<RunResult["worktree"]> {
  return { id, ...rest };
}
