// `lathe review [range] [--json]`: reviewers read a change, and the confirmed findings are printed. Exit code 1 if
// there are any.

import type { Session } from "@lathe/agent";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { Conversation } from "../../conversation/conversation.ts";
import type { RequestFor } from "../../conversation/next-session.ts";
import { changeOf } from "../../conversation/review/change.ts";
import {
  changeLine,
  costLine,
  exitCodeOf,
  nothingLine,
  nothingToReview,
  reviewReport,
  reviewText,
} from "../../conversation/review/report.ts";
import { review } from "../../conversation/review/review.ts";
import type { Change, Review } from "../../conversation/review/types.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { interruptedOutcome, joinLines, TIME_IS_UP } from "../../hosts/headless/outcome.ts";
import { REPEATED_AT_END } from "../../hosts/headless/warning-codes.ts";
import { Run } from "../../hosts/run.ts";
import { onSignals } from "../../platform/machine/signals.ts";
import { parseArgs } from "../../platform/options/parse.ts";
import { withProvider } from "../../platform/options/provider.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { rememberForTerminal } from "../../sessions/breadcrumb.ts";
import { commandToContinue } from "../../sessions/command-to-continue.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { journalFor } from "../../sessions/which-journal.ts";
import type { Command } from "./command.ts";

export const reviewCommand: Command = async (argv, machine) => {
  const { options, words } = withProvider(parseArgs(argv, machine.userHome));
  const [range, ...more] = words;
  if (more.length > 0)
    throw usageError(`lathe review takes one range, such as main...HEAD. Leave out: ${more.join(" ")}`);
  const run = new Run(machine);
  const workspace = await run.open(options);
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  const isJson = options.mode === "json";
  const print = (value: object): void => void machine.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  const change = await changeOf(workspace, range);
  if (change.note !== undefined) machine.stderr.write(`lathe: ${change.note}\n`);
  if (change.files.length === 0) {
    if (isJson) print(reviewReport(nothingToReview(change), null));
    else machine.stdout.write(`${nothingLine(change)}\n`);
    return EXIT.done;
  }
  const done = await reviewInSession(
    workspace,
    journalFor(workspace, options),
    run.requestFor(workspace, options),
    change,
  );
  if (isJson) print(reviewReport(done.review, done.sessionId));
  else machine.stdout.write(reviewText(done.review, machine.stdout.isTTY ? machine.stdout.columns : undefined));
  machine.stderr.write(`lathe: ${costLine(done.review)}\n`);
  if (!isJson && done.review.findings.length > 0 && done.sessionId !== null)
    machine.stderr.write(`lathe: To have findings fixed: ${done.command} "fix 1 and 2"\n`);
  return exitCodeOf(done.review);
};

interface Done {
  readonly review: Review;
  readonly sessionId: string | null;
  /** The command that continues the session. */
  readonly command?: string | undefined;
}

async function reviewInSession(
  workspace: SessionWorkspace,
  journal: OpenedJournal,
  requestFor: RequestFor,
  change: Change,
): Promise<Done> {
  const { machine } = workspace;
  const tell = (line: string): void => void machine.stderr.write(`lathe: ${joinLines(line)}\n`);
  const conversation = await Conversation.start({ workspace, requestFor, staysInSession: true }, journal);
  const { open } = conversation;
  const told = tellWarnings(open.session, tell);
  const signals = onSignals(() => void open.session.interrupt());
  try {
    tell(`Reviewing ${changeLine(change)}.`);
    const found = await withinTime(workspace, open, () =>
      review({ workspace, session: open.session, permissions: open.permissions, tell }, change),
    );
    if (!found) throw new CliError(EXIT.interrupted, interruptedOutcome({ kept: false }).message ?? "");
    // A user who continues the session refers to findings by number.
    open.session.appendCustomMessage("review", reviewText(found), { display: true });
    const { journal: kept } = open.session;
    if (kept.title === undefined) kept.setTitle(`Review of ${change.title}`, "auto");
    rememberForTerminal(workspace, journal.path);
    const { path } = journal;
    if (path === undefined) return { review: found, sessionId: null };
    const { id } = open.session;
    return { review: found, sessionId: id, command: commandToContinue(workspace, { path, id }) };
  } finally {
    await conversation.close();
    signals.stopListening();
    await told;
  }
}

async function tellWarnings(session: Session, tell: (line: string) => void): Promise<void> {
  for await (const event of session.events())
    if (event.kind === "warning" && !REPEATED_AT_END.has(event.data.code)) tell(event.data.message);
}

async function withinTime<T>(
  { machine }: Workspace,
  { session, limits }: OpenSession,
  work: () => Promise<T | undefined>,
): Promise<T | undefined> {
  if (limits.maxTimeMs === undefined) return work();
  let isOver = false;
  const timer = machine.deps.setTimer(() => {
    isOver = true;
    void session.interrupt();
  }, limits.maxTimeMs);
  try {
    const done = await work();
    if (done === undefined && isOver)
      throw new CliError(EXIT.budget, `${TIME_IS_UP} Run it again with a higher limit.`);
    return done;
  } finally {
    timer.cancel();
  }
}
