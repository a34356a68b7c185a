// `/commit [--all] [--split] [context]`: commits the staged changes with a message by the model and tells the
// conversation about it.

import type { Session } from "@lathe/agent";
import { PRACTICE_PROVIDER } from "../../models/practice/name.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Answer, CommitHost } from "../commit/commit.ts";
import type { Prepared, Proposal } from "../commit/propose.ts";
import type { Conversation } from "../conversation.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

export const commitCommand: SlashCommand = {
  name: "commit",
  // Many users already have a command with this name.
  yields: true,
  arguments: "[--all] [--split] [context]",
  description: "commit staged or all changes with a message by the model",
  complete: async (_conversation, typed) => {
    const { COMMIT_FLAGS } = await import("../commit/commit-options.ts");
    return COMMIT_FLAGS.filter((flag) => flag.startsWith(typed));
  },
  run: async (conversation, argument, view) => {
    const { COMMIT_FLAGS, parseCommitOptions } = await import("../commit/commit-options.ts");
    const { wishes: flags, rest } = parseCommitOptions(argument.split(/\s+/).filter((word) => word !== ""));
    const unknown = rest.find((word) => /^--[a-z]/.test(word));
    if (unknown !== undefined)
      throw usageError(
        `/commit has no option ${unknown}. It takes: ${COMMIT_FLAGS.join(", ")}, or words about the change.`,
      );
    const context = [flags.context, ...rest].filter((word) => word !== undefined).join(" ");
    if (conversation.workspace.view)
      throw usageError(
        "This session works in an isolated copy. Apply its changes first: /worktree land, then /commit.",
      );
    const wishes = context === "" ? flags : { ...flags, context };
    await commitIn(conversation, wishes, view);
  },
};

async function commitIn(
  conversation: Conversation,
  wishes: Parameters<typeof import("../commit/commit.ts").commit>[0]["wishes"],
  view: CommandView,
): Promise<void> {
  const { commitModel } = await import("../commit/commit-model.ts");
  const { commit } = await import("../commit/commit.ts");
  const { CommitGit } = await import("../commit/git.ts");
  const { costLine, madeLines, proposalText } = await import("../commit/report.ts");
  const { keyFiles } = await import("../key-files.ts");
  const { workspace, open, session } = conversation;
  const { env } = workspace.machine;
  const { signal, during } = interruptible(session);
  const git = new CommitGit({ env, cwd: workspace.cwd, signal });
  const model = commitModel(open, signal);
  let output = "";
  const host: CommitHost = {
    during,
    tell: (line) => view.line(line, "dim"),
    warn: (line) => view.line(line, "yellow"),
    output: (text) => {
      output += text;
    },
    show: (prepared, proposal) => view.line(proposalText(prepared, proposal).trimEnd()),
    decide: (prepared, proposal) => decide(view, prepared, proposal),
    stageAll: async (files) => {
      const title = `Nothing is staged. Stage ${files === 1 ? "1 changed file" : `${files} changed files`}?`;
      const items = [
        { value: true, label: "Stage all and continue" },
        { value: false, label: "Commit nothing" },
      ];
      return (await chooseFrom(view, { title, items })) === true;
    },
  };
  try {
    const { status, made, repository, prepared, proposal } = await commit({
      git,
      wishes,
      host,
      redactor: workspace.redactor,
      holdsKeys: keyFiles(workspace),
      env,
      model: async () => {
        if (conversation.model.provider !== PRACTICE_PROVIDER) return model;
        throw new CliError(EXIT.provider, "the practice model cannot write commit messages");
      },
    });
    if (output.trim() !== "") view.line(output.trimEnd(), "dim");
    if (status === "proposed" && prepared && proposal) view.line(proposalText(prepared, proposal).trimEnd());
    if (status === "cancelled") view.line("Nothing was committed.", "dim");
    for (const line of madeLines(repository.branch, made)) view.line(line);
    const cost = costLine(model.spent);
    if (cost !== undefined) view.line(cost, "dim");
    // The user's next message may refer to these commits.
    if (made.length > 0)
      session.appendCustomMessage("commit", `The user committed:\n${madeLines(repository.branch, made).join("\n")}`);
  } catch (error) {
    if (output.trim() !== "") view.line(output.trimEnd());
    if (!signal.aborted) throw error;
    view.line("Interrupted: nothing was committed.", "dim");
  } finally {
    await git.close();
  }
}

/** Lets the user interrupt the commit like an answer; the session is not busy while a question is open. */
function interruptible(session: Session): Required<Pick<CommitHost, "during">> & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    during: async (work) => {
      const done = await session.maintain(async (signal) => {
        signal.addEventListener("abort", () => stop.abort(signal.reason), { once: true });
        return { value: await work() };
      });
      if (done) return done.value;
      throw new Error("The commit was interrupted.");
    },
  };
}

async function decide(view: CommandView, prepared: Prepared, { commits }: Proposal): Promise<Answer> {
  const { messagesIn, messagesText } = await import("../commit/messages-text.ts");
  const parts = prepared.change.files.reduce((sum, file) => sum + file.parts.length, 0);
  const items: { readonly value: Answer["kind"]; readonly label: string }[] = [
    { value: "accept", label: commits.length > 1 ? `Make these ${commits.length} commits` : "Commit" },
    { value: "edit", label: "Edit the message" },
    { value: "regenerate", label: "Write another message" },
    ...(commits.length > 1 ? [{ value: "join" as const, label: "Make one commit" }] : []),
    ...(commits.length === 1 && parts > 1 ? [{ value: "split" as const, label: "Split into several commits" }] : []),
    { value: "cancel", label: "Commit nothing" },
  ];
  for (;;) {
    const kind = (await chooseFrom(view, { title: "Commit this?", items })) ?? "cancel";
    if (kind !== "edit") return { kind };
    const text = messagesText(commits.map(({ message }) => message));
    const edited = view.edit
      ? await view.edit("commit message", text)
      : commits.length === 1
        ? await view.ask("Message: ")
        : undefined;
    const messages = edited === undefined ? undefined : messagesIn(edited, commits.length);
    if (messages) return { kind, messages };
    view.line("The message was not changed.", "dim");
  }
}
