// A run without a user: all prompts, an optional schema for the answer, and one result at the end. A named run keeps
// the result in its journal.

import type { Writable } from "node:stream";
import type { InputContent, Session } from "@lathe/agent";
import type { ClientDeps, JsonSchema, JsonValue } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { expandInput } from "../../conversation/expand-input.ts";
import { isLeftOpen } from "../../conversation/gates/open-question.ts";
import goOn from "../../conversation/go-on.md";
import type { RecordingTape } from "../../conversation/tape.ts";
import type { DeniedCall } from "../../found/permissions/permissions.ts";
import { onSignals } from "../../platform/machine/signals.ts";
import { EXIT } from "../../platform/usage/exit.ts";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import { commandToContinue } from "../../sessions/command-to-continue.ts";
import { printableLine, shorten } from "../../sessions/list.ts";
import { openWorkflow } from "./open-workflow.ts";
import {
  interruptedOutcome,
  joinLines,
  limitOutcome,
  outcomeOf,
  type RunFacts,
  type RunOutcome,
  TIME_IS_UP,
} from "./outcome.ts";
import { type RunResult, resultOf } from "./result.ts";
import { RESULT_ENTRY } from "./run-id.ts";
import { type EventListener, RunDriver, type RunReport } from "./run-prompts.ts";

export interface HeadlessRun {
  readonly conversation: Conversation;
  /** Prompts that have not begun yet. If there are none, the run finishes what the session left undone. */
  readonly prompts: readonly InputContent[];
  readonly schema?: JsonSchema;
  /** Keeps the result for a caller that asks for the same run again. */
  readonly keepResult?: boolean;
  /** An earlier process began this run; what it left comes first. */
  readonly earlier?: { readonly denied: readonly DeniedCall[] };
  readonly timeLimit?: { readonly ms: number; readonly setTimer: ClientDeps["setTimer"] };
  readonly tape?: RecordingTape;
  /** The run fails unless checks have proven its work. */
  readonly mustBeVerified?: boolean;
  /** Measures how long each prompt takes. */
  readonly phase?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Work after all prompts were answered; it may change the result. */
  readonly finish?: (result: RunResult) => Promise<RunResult>;
}

/** Outcomes with an outside cause: when started again, the run continues. */
const UNFINISHED: ReadonlySet<number> = new Set([EXIT.provider, EXIT.internal, EXIT.interrupted]);

/** `stdout` is where the events go. If its reader goes away, the run is interrupted. */
export async function runHeadless(run: HeadlessRun, onEvent: EventListener, stdout?: Writable): Promise<RunResult> {
  const { session } = run.conversation;
  const driver = new RunDriver(run.conversation, onEvent, run.tape);
  const signals = onSignals(() => void driver.interrupt(), stdout);
  const stop = new AbortController();
  const timer = run.timeLimit?.setTimer(() => {
    stop.abort();
    driver.stopAtLimit(TIME_IS_UP);
  }, run.timeLimit.ms);
  try {
    const { whole, isHandled } = await submitAll(run, driver, () => signals.asked.aborted || stop.signal.aborted);
    warnAboutJobs(session);
    const { open, workspace } = run.conversation;
    const facts = {
      ...reportOf(run, driver),
      ...openWorkflow(open),
      ...continueFacts(workspace, open.journal, session),
    };
    const outcome: RunOutcome = isHandled
      ? { status: "done", exitCode: EXIT.done }
      : whole
        ? outcomeOf(facts)
        : signals.asked.aborted
          ? interruptedOutcome(facts)
          : limitOutcome(TIME_IS_UP, facts);
    const answered = finalResult(run, driver, outcome);
    run.tape?.finish(answered);
    const result = run.finish ? await finishRun(run, run.finish, answered) : answered;
    if (run.keepResult && !UNFINISHED.has(outcome.exitCode) && session.state !== "closed")
      session.appendCustom(RESULT_ENTRY, result as unknown as JsonValue);
    return result;
  } finally {
    timer?.cancel();
    signals.stopListening();
  }
}

/** The command that continues the session, for the last line of the run. */
export const continueFacts = (
  workspace: Pick<Workspace, "paths" | "cwd">,
  { path }: { readonly path?: string | undefined },
  { id }: { readonly id: string },
): Pick<RunFacts, "command"> => (path === undefined ? {} : { command: commandToContinue(workspace, { path, id }) });

/** Background jobs are stopped first, so that they change no files afterwards. */
async function finishRun(
  { conversation }: HeadlessRun,
  finish: NonNullable<HeadlessRun["finish"]>,
  result: RunResult,
): Promise<RunResult> {
  const jobs = conversation.session.beside.jobs?.runningJobs() ?? [];
  await Promise.all(jobs.map(({ handle }) => handle.stop()));
  return finish(result);
}

/** Warns about jobs that end with the run, such as a server started for the user. */
function warnAboutJobs(session: Session): void {
  const { beside, state } = session;
  const running = beside.jobs?.runningJobs() ?? [];
  if (running.length === 0 || state === "closed") return;
  const names = running.map(({ handle }) => joinLines(handle.command)).join("; ");
  session.warn(`Stopped when the run ended: ${names}`, "jobs_stopped");
}

/**
 * `whole` is false if the run was stopped before all prompts were sent; `isHandled` is true if all prompts were
 * commands without an answer.
 */
async function submitAll(
  run: HeadlessRun,
  driver: RunDriver,
  stopped: () => boolean,
): Promise<{ readonly whole: boolean; readonly isHandled?: boolean }> {
  let isHandled = run.prompts.length > 0 && !run.earlier;
  let good = run.earlier || run.prompts.length === 0 ? await finishEarlier(run, driver) : true;
  for (const [i, prompt] of run.prompts.entries()) {
    if (!good) return { whole: true };
    if (stopped()) return { whole: false };
    const content = await expandInput(prompt, run.conversation.open);
    if (content === undefined) continue;
    isHandled = false;
    const { session } = run.conversation;
    const schema = i === run.prompts.length - 1 ? run.schema : undefined;
    session.outputSchema = schema;
    const submit = () => driver.submit(content);
    await (run.phase?.(`print:prompt:${i === 0 ? "initial" : "next"}`, submit) ?? submit());
    // Not on tape: a recording must have the same lines as its replay.
    if (schema && !run.tape) nameAfterPrompt(session.journal, content);
    good = canContinue(run, driver);
  }
  return { whole: true, isHandled };
}

const TITLE_LENGTH = 50;

/** Without a title, lists would show the request's text about the schema. */
function nameAfterPrompt(journal: Session["journal"], content: InputContent): void {
  const words = printableLine(typeof content === "string" ? content : wordsAndAttachments(content).words);
  if (journal.title === undefined && words !== "")
    journal.setTitle(`${shorten(words, TITLE_LENGTH)} (as JSON)`, "auto");
}

/**
 * Finishes what an earlier process of this run left: continues an unfinished input, or asks the model to continue an
 * interrupted one.
 */
async function finishEarlier(run: HeadlessRun, driver: RunDriver): Promise<boolean> {
  const { session, open } = run.conversation;
  const { input } = session.journal;
  const schema = run.prompts.length === 0 ? run.schema : undefined;
  session.outputSchema = schema;
  if (session.hasUnfinishedInput) await driver.continue();
  // An open question is answered before anything is sent, however the run that asked it ended.
  else if (isLeftOpen(open)) await driver.restoreOutcome(schema, (await open.gates.dialog())?.question);
  else if (input?.state === "end" && isUndone(input.reason, run)) await driver.submit(goOn.trim());
  else if (input !== undefined) await driver.restoreOutcome(schema);
  else return true;
  return canContinue(run, driver);
}

/** A named run that hit a limit is over; `--continue` without a prompt resumes the work. */
function isUndone(reason: string | undefined, { earlier }: HeadlessRun): boolean {
  return earlier ? reason === "interrupted" || reason === "error" : reason !== "completed";
}

/** Whether a run without a prompt has something to do. */
export function hasUndoneWork({ hasUnfinishedInput, journal: { input } }: Session): boolean {
  return hasUnfinishedInput || (input?.state === "end" && input.reason !== "completed");
}

/** The next prompt only makes sense after one that was answered. */
function canContinue(run: HeadlessRun, driver: RunDriver): boolean {
  const { exitCode } = outcomeOf(reportOf(run, driver));
  return exitCode === EXIT.done || exitCode === EXIT.denied;
}

function reportOf({ earlier, mustBeVerified, conversation: { open } }: HeadlessRun, driver: RunDriver): RunReport {
  const must = mustBeVerified ? { mustBeVerified } : {};
  const now = { ...driver.report(), ...must, kept: open.journal.path !== undefined };
  return earlier ? { ...now, denied: [...earlier.denied, ...now.denied] } : now;
}

function finalResult(run: HeadlessRun, driver: RunDriver, outcome: RunOutcome): RunResult {
  const { session, journal } = run.conversation.open;
  // The cost of a run over several processes is that of its session.
  const spent = run.earlier ? { usage: session.usage.usage, cost: session.usage.cost } : {};
  return resultOf(outcome, { ...reportOf(run, driver), ...spent }, journal.path ? session.id : null);
}
