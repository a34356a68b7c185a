// JSON lines: the session's header, one event per line, and the result last. With a prompt this runs the prompt;
// without one it reads messages and interrupts from stdin, handles them in order, and ends with its input.

import type { SessionEvent } from "@lathe/agent";
import { parseJson } from "@lathe/llm";
import { Conversation } from "../conversation/conversation.ts";
import { expandInput } from "../conversation/expand-input.ts";
import type { RequestFor } from "../conversation/next-session.ts";
import type { SessionWorkspace } from "../conversation/session-workspace.ts";
import type { Machine } from "../platform/machine/machine.ts";
import { onSignals } from "../platform/machine/signals.ts";
import { type ExitCode, usageError } from "../platform/usage/exit.ts";
import { rememberForTerminal } from "../sessions/breadcrumb.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import { continueFacts, type HeadlessRun, runHeadless } from "./headless/headless.ts";
import { openWorkflow } from "./headless/open-workflow.ts";
import { interruptedOutcome, outcomeOf } from "./headless/outcome.ts";
import { type RunResult, resultOf } from "./headless/result.ts";
import { RunDriver } from "./headless/run-prompts.ts";
import { type Line, linesOf } from "./wire/lines.ts";
import { toWireEvents } from "./wire/map-events.ts";
import { LineWriter } from "./wire/writer.ts";

export async function jsonMode(machine: Machine, run: HeadlessRun): Promise<RunResult> {
  const writer = new LineWriter(machine.stdout);
  writer.write(run.conversation.session.journal.header);
  const result = await runHeadless(run, eventLines(writer), machine.stdout);
  writer.writeLast(result);
  writeError(machine, result);
  return result;
}

export function jsonResult(machine: Machine, result: RunResult): void {
  new LineWriter(machine.stdout).write(result);
  writeError(machine, result);
}

/** Errors also go to stderr, which people read in every mode. */
function writeError({ stderr }: Machine, { error }: RunResult): void {
  if (error !== undefined) stderr.write(`lathe: ${error}\n`);
}

export async function jsonCommandMode(
  workspace: SessionWorkspace,
  opened: OpenedJournal,
  requestFor: RequestFor,
  mustBeVerified = false,
): Promise<ExitCode> {
  const { stdin, stdout } = workspace.machine;
  const conversation = await Conversation.start({ workspace, requestFor, staysInSession: true }, opened);
  const { session } = conversation;
  const signals = onSignals(() => void session.interrupt(), stdout);
  try {
    rememberForTerminal(workspace, opened.path);
    const writer = new LineWriter(stdout);
    writer.write(session.journal.header);
    const answered = await followCommands(conversation, untilAborted(linesOf(stdin), signals.asked), writer, {
      now: workspace.machine.deps.now,
      stop: signals.asked,
      mustBeVerified,
    });
    const result = workspace.view
      ? await (await import("./worktree/run-in-view.ts")).landResult(conversation, answered)
      : answered;
    writer.writeLast(result);
    writeError(workspace.machine, result);
    return result.exitCode as ExitCode;
  } finally {
    await conversation.close();
    signals.stopListening();
    // The process that sent the signal may keep our stdin open, and we would wait for it.
    if (signals.asked.aborted) stdin.destroy();
  }
}

async function* untilAborted<T>(items: AsyncIterator<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  for (;;) {
    const next = await Promise.race([items.next(), aborted]);
    if (next === undefined || next.done) return;
    yield next.value;
  }
}

function eventLines(writer: LineWriter): (event: SessionEvent) => Promise<void> | undefined {
  const map = toWireEvents();
  return (event) => {
    for (const wire of map(event)) writer.write({ ...wire, timestamp: event.timestamp });
    return writer.ready;
  };
}

async function followCommands(
  conversation: Conversation,
  lines: AsyncIterable<Line>,
  writer: LineWriter,
  {
    now,
    stop,
    mustBeVerified,
  }: { readonly now: () => number; readonly stop: AbortSignal; readonly mustBeVerified: boolean },
): Promise<RunResult> {
  const { session, journal } = conversation.open;
  const driver = new RunDriver(conversation, eventLines(writer));
  const fail = (message: string): void => writer.write({ type: "error", message, timestamp: now() });
  let queue: Promise<void> = Promise.resolve();
  let asked = 0;
  let interrupted = false;
  const submit = async (message: string): Promise<void> => {
    if (stop.aborted) return;
    interrupted = false;
    const content = await expandInput(message, conversation.open);
    if (content !== undefined) await driver.submit(content);
    if (interrupted) writer.write({ type: "interrupted", timestamp: now() });
  };
  for await (const line of lines) {
    const command = readCommand(line);
    if (command === undefined) continue;
    if ("problem" in command) {
      fail(command.problem);
    } else if ("message" in command) {
      asked++;
      queue = queue.then(() => submit(command.message)).catch((error: Error) => fail(error.message));
    } else {
      // A message read just before is about to start.
      await new Promise(setImmediate);
      if (session.state !== "processing") {
        fail("Nothing is running.");
        continue;
      }
      interrupted = true;
      void session.interrupt();
    }
  }
  await queue;
  if (asked === 0 && !stop.aborted) {
    throw usageError('There is nothing to do. Give a prompt, or on stdin: {"type":"message","content":"<prompt>"}');
  }
  const command = continueFacts(conversation.workspace, journal, session);
  const report = { ...driver.report(), mustBeVerified, kept: journal.path !== undefined, ...command };
  const facts = { ...report, ...openWorkflow(conversation.open) };
  const outcome = stop.aborted ? interruptedOutcome(report) : outcomeOf(facts);
  return resultOf(outcome, report, report.kept ? session.id : null);
}

type Command = { readonly message: string } | { readonly interrupt: true } | { readonly problem: string };

function readCommand(line: Line): Command | undefined {
  if ("tooLong" in line) return { problem: `A line of ${line.tooLong} bytes is too long.` };
  if (line.text.trim() === "") return undefined;
  const value = parseJson(line.text);
  if (value === undefined) return { problem: "This line is not JSON. Send one JSON object per line." };
  const { type, content } = (value ?? {}) as { type?: unknown; content?: unknown };
  if (type === "interrupt") return { interrupt: true };
  if (type !== "message") return { problem: 'Unknown command. Send {"type":"message"} or {"type":"interrupt"}.' };
  if (typeof content !== "string" || content === "") return { problem: "A message needs its text in `content`." };
  return { message: content };
}
