// Commands that show something of the session and change nothing.

import { visibleLine } from "@lathe/agent/base";
import { sessionCosts } from "@lathe/agent/session";
import { withheldVariables } from "../../config/workspace/withheld-variables.ts";
import { readEditCounts } from "../../models/edit-record.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { costText, countOf, tokens } from "../../sessions/numbers.ts";
import { listing, type Named } from "../../sessions/tables/listing.ts";
import type { Conversation } from "../conversation.ts";
import type { OpenSession } from "../session-contract.ts";
import { workingDiff } from "../working-diff.ts";
import type { SlashCommand } from "./command.ts";
import { listJobs } from "./jobs.ts";

const SINCE_COMMIT = "Changes since the last commit";
const BEFORE_COMMIT = "New files; there is no commit yet";

const status: SlashCommand = {
  name: "status",
  description: "show model, permissions, session and context",
  whileWorking: true,
  run: (conversation, _argument, view) => {
    const { model, session, open, permissions, workspace } = conversation;
    const window = session.profile.contextWindowSize;
    const share = window > 0 ? ` of ${tokens(window)} (${Math.round((100 * session.contextTokens) / window)} %)` : "";
    const { usage } = session;
    const rows: Named[] = [
      ["version", LATHE_VERSION],
      ["model", `${model.provider}/${model.id}`],
      ...accountRow(open.accounts, model.provider),
      ["thinking", session.config.reasoningEffort ?? "default"],
      ["edits", editsRow(conversation)],
      ["permissions", permissions.mode],
      ["sandbox", sandboxText(workspace.settings["sandbox.network"], session.env.isSandboxed)],
      ["folder", workspace.roots.join(", ")],
      ["session", session.journal.title?.title ?? session.id],
      ["file", open.journal.path ?? "not saved"],
      ["context", `${tokens(session.contextTokens)} tokens${share}`],
      ["cost", costRow(sessionCosts(session.journal).total, usage.turns)],
      ["jobs", String(listJobs(conversation).filter(({ isRunning }) => isRunning).length)],
    ];
    const withheld = withheldVariables(workspace);
    if (withheld.length > 0)
      rows.push([
        "hidden",
        `${withheld.join(", ")}: commands do not see these environment variables, which look like secrets. To pass some: lathe config set shell.env.pass <name>,<name>`,
      ]);
    view.line(listing(rows, view.columns));
  },
};

/** Only for a provider with several accounts. */
function accountRow(accounts: OpenSession["accounts"], provider: string): Named[] {
  const account = accounts.current(provider);
  return account ? [["account", account.identity ? `${account.name} (${account.identity})` : account.name]] : [];
}

/** The edit format in use and its results over all sessions with this model. */
function editsRow({ model, open, workspace }: Pick<Conversation, "model" | "open" | "workspace">): string {
  const { editVariant, learnedVariant } = open;
  const counts = readEditCounts(workspace.paths.cache)[`${model.provider}/${model.id}`]?.[editVariant];
  const result = counts ? `, ${counts.applied} of ${counts.applied + counts.refused} applied` : "";
  return `${editVariant}${learnedVariant ? " (learned)" : ""}${result}`;
}

function costRow(total: Parameters<typeof costText>[0], turns: number): string {
  const isUnknown = total.cost === 0 && total.unpriced > 0;
  return `${isUnknown ? "unknown (the model has no price)," : costText(total)} ${isUnknown ? "" : "in "}${countOf(turns, "turn")}`;
}

function sandboxText(hosts: readonly string[], isOn = false): string {
  if (!isOn) return "off; --sandbox confines commands to this folder";
  return `on: commands write only in this folder and reach ${hosts.length === 0 ? "no network" : `only ${hosts.join(", ")}`}`;
}

const tools: SlashCommand = {
  name: "tools",
  description: "list the model's tools",
  whileWorking: true,
  run: ({ session }, _argument, view) => {
    const rows = session.profile.tools().map(({ name, description }): Named => [name, firstSentence(description)]);
    view.line(listing(rows, view.columns));
  },
};

const firstSentence = (text: string): string => visibleLine(/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text);

const diff: SlashCommand = {
  name: "diff",
  description: "show what has changed in the repository since the last commit",
  whileWorking: true,
  run: async (conversation, _argument, view) => {
    const { hasCommit, diff: changes, untracked, note } = await workingDiff(conversation);
    if (note !== undefined) view.line(note, "dim");
    if (untracked.length > 0) view.line(`New files that git does not track yet:\n${untracked.join("\n")}`, "dim");
    if (changes === "") {
      const nothing = hasCommit ? "Nothing has changed since the last commit." : "There is no commit and no file yet.";
      if (untracked.length === 0) view.line(nothing, "dim");
    } else if (view.pageDiff) view.pageDiff(hasCommit ? SINCE_COMMIT : BEFORE_COMMIT, changes);
    else view.line(changes);
  },
};

const copy: SlashCommand = {
  name: "copy",
  description: "copy the last answer",
  whileWorking: true,
  run: ({ session }, _argument, view) => {
    const text = session.lastText();
    if (text === "") throw usageError("There is no answer to copy yet.");
    if (!view.copy) throw usageError("Copying is not possible here.");
    view.copy(text);
    view.line("Copied the last answer.", "dim");
  },
};

export const reportCommands: readonly SlashCommand[] = [status, tools, diff, copy];
