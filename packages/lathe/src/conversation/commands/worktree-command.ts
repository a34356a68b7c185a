// `/worktree`: shows the changes in the isolated copy of the run, applies or discards them; and the question before the user
// leaves while some are neither.

import {
  conflictLines,
  isRefused,
  type RunView,
  SETTLE_WAYS,
  type Settled,
  type SettleWay,
} from "../../config/workspace/run-view.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import { landingPermit } from "../landing-permit.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

const VERBS = [...SETTLE_WAYS, "diff"] as const;
const MOST_FILES = 20;
const SIGNS = { added: "A", changed: "M", deleted: "D" } as const;

export const worktreeCommand: SlashCommand = {
  name: "worktree",
  arguments: "[land|branch|patch|discard|diff]",
  description: "show, apply or discard the changes of this isolated copy (--worktree)",
  whileWorking: true,
  complete: (_conversation, typed) => VERBS.filter((verb) => verb.startsWith(typed)),
  run: async (conversation, argument, host) => {
    const { view } = conversation.workspace;
    if (!view)
      throw usageError(
        "This run works in the project itself. To work in an isolated copy of it, start with: lathe --worktree",
      );
    if (argument === "") return overview(view, host);
    if (argument === "diff") return showDiff(view, host);
    const how = SETTLE_WAYS.find((way) => way === argument);
    if (how === undefined) throw usageError(`Use: /worktree, or /worktree ${VERBS.join("|")}.`);
    if (conversation.isBusy) throw usageError("The agent is working. Interrupt it first, then try again.");
    if (how === "discard" && !(await isSure(view, host))) return;
    const settled = await settle(conversation, view, how, host);
    if (isRefused(settled))
      throw new CliError(
        EXIT.failed,
        `Everything is still in the isolated copy. To keep it: ${how === "land" ? "/worktree branch, or " : ""}/worktree patch`,
      );
  },
};

async function overview(view: RunView, host: CommandView): Promise<void> {
  const { files, leftOutLine, isSettled } = await view.changes();
  const what =
    files.length === 0 ? "nothing was changed" : `${files.length === 1 ? "1 file" : `${files.length} files`} changed`;
  host.line(`Isolated copy ${view.id} (${view.kind}): ${what}${isSettled ? ", kept in a branch or patch" : ""}.`);
  for (const { path, change } of files.slice(0, MOST_FILES)) host.line(`  ${SIGNS[change]} ${path}`);
  if (files.length > MOST_FILES) host.line(`  and ${files.length - MOST_FILES} more`, "dim");
  if (leftOutLine !== undefined) host.line(leftOutLine, "dim");
  if (files.length > 0)
    host.line("Apply or drop: /worktree land, branch, patch or discard. Review: /worktree diff", "dim");
}

async function showDiff(view: RunView, host: CommandView): Promise<void> {
  const diff = await view.diff();
  if (diff === "") host.line("Nothing was changed.", "dim");
  else if (host.pageDiff) host.pageDiff(`Isolated copy ${view.id}`, diff);
  else host.line(diff.trimEnd());
}

async function isSure(view: RunView, host: CommandView): Promise<boolean> {
  const { files } = await view.changes();
  if (files.length === 0) return true;
  const title = `Discard the changes of ${files.length === 1 ? "1 file" : `${files.length} files`}? They cannot be restored.`;
  const items = [
    { value: false, label: "Keep them" },
    { value: true, label: "Discard them" },
  ];
  return (await chooseFrom(host, { title, items })) === true;
}

async function settle(
  { session, open }: Pick<Conversation, "session" | "open">,
  view: RunView,
  how: SettleWay,
  host: Pick<CommandView, "line">,
): Promise<Settled> {
  const settled = await view.settle(how, landingPermit(open, view.id));
  for (const line of conflictLines(settled)) host.line(line, "yellow");
  host.line(settled.message, isRefused(settled) ? "yellow" : "dim");
  const news = NEWS[settled.outcome];
  if (news !== undefined && session.state !== "closed") session.appendCustomMessage("worktree", news);
  return settled;
}

/** Tells the model that its files are different now. */
const NEWS: Partial<Record<Settled["outcome"], string>> = {
  landed:
    "The user has taken your changes over into the project. Your files now also have what was changed there meanwhile.",
  discarded: "The user has discarded all of your changes. The files are as the project has them now.",
};

/** False: the user stays. Answering nothing loses nothing. */
export async function settleBeforeLeaving(
  conversation: Pick<Conversation, "session" | "open">,
  view: RunView,
  host: Pick<CommandView, "line" | "ask" | "choose">,
): Promise<boolean> {
  for (;;) {
    const { files, isSettled } = await view.changes();
    if (files.length === 0 || isSettled) return true;
    const title = `${files.length === 1 ? "1 file was" : `${files.length} files were`} changed in the isolated copy and not applied.`;
    const how = await chooseFrom(host, { title, items: leavingItems(view) });
    if (how === undefined) return false;
    if (how === "keep") return true;
    if (!isRefused(await settle(conversation, view, how, host))) return true;
  }
}

const leavingItems = ({ id }: RunView) =>
  [
    { value: "keep", label: "Keep the changes in the isolated copy", detail: `lathe --worktree ${id} continues` },
    { value: "land", label: "Apply them", detail: "to the files of the project" },
    { value: "branch", label: "Make a branch", detail: `lathe/task/${id}` },
    { value: "patch", label: "Write a patch", detail: "for git apply" },
    { value: "discard", label: "Discard them", detail: "they cannot be restored" },
  ] as const;
