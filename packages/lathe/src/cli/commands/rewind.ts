// `lathe rewind`: takes the conversation and files of a session that is not running back, or forward again.

import { JournalError } from "@lathe/agent";
import type { RewindRequest } from "@lathe/agent/files";
import { quoteShell } from "@lathe/agent/world";
import {
  canBeForced,
  doneLine,
  isComplete,
  leftLines,
  type ReportedRewind,
  startLine,
} from "../../changes/rewind/report.ts";
import { Conversation } from "../../conversation/conversation.ts";
import { rewindPoints } from "../../conversation/rewind-session.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { Run } from "../../hosts/run.ts";
import { fixedAnswers } from "../../models/practice/fixed-answers.ts";
import { withEntryHint } from "../../platform/usage/entry-hint.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { findSession, idOf, sessionToContinue } from "../../sessions/find.ts";
import { existingJournal } from "../../sessions/journals/journal-files.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

/** No model is called here. */
const NO_MODEL = { provider: "stand-in", id: "none" };

export const rewindCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    {
      session: { type: "string", short: "s" },
      files: { type: "boolean" },
      conversation: { type: "boolean" },
      force: { type: "boolean" },
      undo: { type: "boolean" },
      redo: { type: "boolean" },
    },
    "rewind",
  );
  const [entryId, extra] = positionals;
  if (extra !== undefined) throw usageError(`Give only one entry. Leave out: ${extra}`);
  if ([entryId !== undefined, values.undo, values.redo].filter(Boolean).length > 1)
    throw usageError("Give one of these: an entry, --undo, --redo. See: lathe rewind --help");
  const narrowing = (["files", "conversation"] as const).find((name) => values[name]);
  if (values.redo && narrowing) throw usageError(`--redo undoes the whole last rewind. Leave out: --${narrowing}`);
  const isList = entryId === undefined && !values.undo && !values.redo;
  const unused = narrowing ?? (values.force ? "force" : undefined);
  if (isList && unused) throw usageError(`--${unused} needs an entry, or --undo. To list the entries: lathe rewind`);
  const workspace = await new Run(machine).open({});
  const path = sessionFile(workspace, values.session);
  const parts = values.files === values.conversation ? "both" : values.files ? "files" : "conversation";
  const onPlan = (files: number): void => {
    const line = startLine(files);
    if (line !== undefined) machine.stderr.write(`lathe: ${line}\n`);
  };
  const options = { parts, force: values.force ?? false, onPlan } as const;
  return inSession(workspace, path, async (conversation) => {
    if (isList) return list(conversation, path);
    const done = await carryOut(conversation, { entryId, redo: values.redo ?? false }, options);
    report(workspace, done);
    if (!options.force && canBeForced(done.result.left)) {
      const which = done.entryId === undefined ? "--redo" : `${done.entryId} --files`;
      const where = values.session === undefined ? "" : ` --session ${quoteShell(values.session)}`;
      machine.stderr.write(`lathe: To overwrite them as well: lathe rewind ${which} --force${where}\n`);
    }
    // Files that were not restored count as a failure for scripts, which cannot read the reason.
    return isComplete(done.result) ? EXIT.done : EXIT.failed;
  });
};

function sessionFile(workspace: SessionWorkspace, value: string | undefined): string {
  if (value === undefined) {
    const path = sessionToContinue(workspace);
    if (path === undefined) throw usageError("There is no session in this directory. See: lathe sessions list --all");
    return path;
  }
  const { path, otherCwd } = findSession(workspace, value);
  if (otherCwd !== undefined) throw usageError(`That session belongs to ${otherCwd}. Run lathe rewind there.`);
  return path;
}

async function inSession(
  workspace: SessionWorkspace,
  path: string,
  work: (conversation: Conversation) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const requestFor = async (opened: ReturnType<typeof existingJournal>) => ({
      model: NO_MODEL,
      adapter: fixedAnswers(NO_MODEL.provider, []),
      opened,
      profile: "minimal" as const,
      limits: {},
    });
    const conversation = await Conversation.start({ workspace, requestFor }, existingJournal(workspace, path));
    const warnings = printWarnings(conversation, workspace);
    try {
      return await work(conversation);
    } finally {
      await conversation.close();
      await warnings;
    }
  } catch (error) {
    // A journal error is about the user's file, not a bug of ours, and says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
}

async function printWarnings({ session }: Conversation, { machine }: SessionWorkspace): Promise<void> {
  for await (const event of session.events())
    if (event.kind === "warning") machine.stderr.write(`lathe: ${event.data.message}\n`);
}

async function list(conversation: Conversation, path: string): Promise<ExitCode> {
  const { stdout } = conversation.workspace.machine;
  const points = await rewindPoints(conversation.open);
  if (points.length === 0) throw usageError("There is nothing to rewind in that session.");
  stdout.write(`Session ${idOf(path)}. To go back to before a message: lathe rewind <entry>\n`);
  for (const { id, text, changes } of points) stdout.write(`  ${id}  ${text}  (${changes})\n`);
  return EXIT.done;
}

function carryOut(
  conversation: Conversation,
  what: { readonly entryId: string | undefined; readonly redo: boolean },
  options: Omit<RewindRequest, "to">,
): Promise<ReportedRewind> {
  const { entryId } = what;
  if (what.redo) return conversation.redo(options);
  if (entryId === undefined) return conversation.undo(options);
  return withEntryHint("See: lathe rewind", () => conversation.rewind(entryId, options));
}

function report({ machine, cwd }: SessionWorkspace, done: ReportedRewind): void {
  machine.stdout.write(`${doneLine(done)}\n`);
  for (const line of leftLines(done.result, cwd)) machine.stderr.write(`lathe: ${line}\n`);
}
