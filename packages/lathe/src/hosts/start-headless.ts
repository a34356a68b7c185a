// Starts a run without a user: chooses the journal, recording and run id, then the mode that shows the run.

import type { InputContent } from "@lathe/agent";
import { isJsonObject } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";
import { Conversation } from "../conversation/conversation.ts";
import type { RequestFor } from "../conversation/next-session.ts";
import type { SessionWorkspace } from "../conversation/session-workspace.ts";
import { onFirstRequest } from "../platform/launcher/first-request.ts";
import type { Machine } from "../platform/machine/machine.ts";
import type { CliOptions } from "../platform/options/option-table.ts";
import { type ExitCode, usageError } from "../platform/usage/exit.ts";
import { rememberForTerminal } from "../sessions/breadcrumb.ts";
import { commandToContinue } from "../sessions/command-to-continue.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import { journalFor, refusal } from "../sessions/which-journal.ts";
import { type HeadlessRun, hasUndoneWork } from "./headless/headless.ts";
import { openWorkflow } from "./headless/open-workflow.ts";
import type { RunResult } from "./headless/result.ts";
import type { Recording } from "./record/recording.ts";

/** What a run without a user needs of its process. */
export interface HeadlessStart {
  readonly requestFor: RequestFor;
  /** Makes a workspace with its own models and files, for a recording. */
  at(workspace: Workspace): SessionWorkspace;
  readonly phase: NonNullable<HeadlessRun["phase"]>;
}

export async function startHeadless(
  workspace: SessionWorkspace,
  options: CliOptions,
  prompts: readonly InputContent[],
  { requestFor, at, phase }: HeadlessStart,
): Promise<ExitCode> {
  const { machine } = workspace;
  const runId = options["run-id"];
  const named = runId === undefined ? undefined : await import("./headless/run-id.ts");
  const run =
    named &&
    (await named.lookUpRun(workspace, options, prompts).catch((error: unknown) => {
      throw refusal(error, runId);
    }));
  const mode = await outputMode(options.mode);
  if (run?.state === "finished") {
    mode.tell(machine, run.result);
    return run.result.exitCode as ExitCode;
  }
  const schemaFile = options["output-schema"];
  const schema =
    schemaFile === undefined
      ? undefined
      : await (await import("./headless/output-schema.ts")).readSchema(machine.cwd, schemaFile);
  const recording =
    options.record === undefined
      ? undefined
      : new (await import("./record/recording.ts")).Recording(workspace, options.record, at);
  const choose = (where: Workspace): OpenedJournal =>
    run && named ? named.journalOf(where, run) : journalFor(where, options);
  const opened = await openJournal(workspace, choose, { recording, runId });
  const conversation = await startConversation(workspace, opened, requestFor, {
    recording,
    wholeSession: run !== undefined,
  });
  let remembered = false;
  const remember = (): void => {
    if (!remembered) rememberForTerminal(workspace, opened.path);
    remembered = true;
  };
  const unrecordable = recording && workflowRefusal(conversation);
  // Remembered only after the first request was sent, because the user waits for that request.
  const stopListening = onFirstRequest(remember);
  try {
    if (unrecordable) throw unrecordable;
    if (prompts.length === 0 && !hasUndoneWork(conversation.session) && !conversation.open.gates.open)
      throw usageError(`This session has nothing left to do. Give a prompt: ${commandFor(conversation)} "<prompt>"`);
    const declared = options.unattended;
    const unattended =
      declared === undefined
        ? undefined
        : await (await import("./unattended-file.ts")).beginUnattended(conversation, machine, declared);
    const maxTimeMs = Math.min(conversation.open.limits.maxTimeMs ?? Infinity, unattended?.maxTimeMs ?? Infinity);
    const whole: HeadlessRun = {
      conversation,
      prompts: run?.state === "unfinished" ? prompts.slice(run.begun) : prompts,
      keepResult: run !== undefined,
      ...(run?.state === "unfinished" ? { earlier: { denied: run.denied } } : {}),
      ...(schema === undefined ? {} : { schema }),
      ...(maxTimeMs === Infinity ? {} : { timeLimit: { ms: maxTimeMs, setTimer: machine.deps.setTimer } }),
      phase,
      ...(options.require === undefined && !hasOpenGoal(conversation) ? {} : { mustBeVerified: true }),
      ...(recording ? { tape: recording } : {}),
      ...(workspace.view ? { finish: (result) => applyView(conversation, result) } : {}),
    };
    return (await mode.run(machine, whole)).exitCode as ExitCode;
  } finally {
    stopListening();
    remember();
    await conversation.close();
    // Closing is recorded too.
    if (unrecordable) recording?.discard();
  }
}

/** A recorded run cannot have workflows: it would take an answer for a message, and run what an interview refuses. */
function workflowRefusal(conversation: Conversation): Error | undefined {
  const { workflow } = openWorkflow(conversation.open);
  if (!workflow) return undefined;
  return usageError(
    `--record: this session is in the workflow ${workflow.name}, which cannot be recorded. Finish it without --record, or end it: ${commandFor(conversation)} "/workflow stop"`,
  );
}

function commandFor({ workspace, open: { journal, session } }: Conversation): string {
  const { path } = journal;
  return path === undefined ? "lathe -c" : commandToContinue(workspace, { path, id: session.id });
}

/** A run that works on a goal fails unless it reaches it. */
function hasOpenGoal({ session }: Conversation): boolean {
  const goal = session.facts.read("goal");
  return isJsonObject(goal) && (goal["state"] === "active" || goal["state"] === "stopped");
}

async function applyView(conversation: Conversation, result: RunResult): Promise<RunResult> {
  const { landResult } = await import("./worktree/run-in-view.ts");
  return landResult(conversation, result);
}

/** If the session cannot be set up, nothing stays locked, and no partial recording is left. */
async function startConversation(
  workspace: SessionWorkspace,
  journal: OpenedJournal,
  requestFor: RequestFor,
  { recording, wholeSession }: { recording: Recording | undefined; wholeSession: boolean },
): Promise<Conversation> {
  const requestForRun: RequestFor = async (opened) => {
    const wanted = await requestFor(opened);
    const request = wholeSession ? { ...wanted, limits: { ...wanted.limits, ofSession: true } } : wanted;
    return recording ? recording.recordRequest(request) : { ...request, promptFollows: true };
  };
  try {
    return await Conversation.start(
      { workspace: recording?.workspace ?? workspace, requestFor: requestForRun, staysInSession: true },
      journal,
    );
  } catch (error) {
    recording?.discard();
    throw error;
  }
}

async function openJournal(
  workspace: Workspace,
  choose: (where: Workspace) => OpenedJournal,
  { recording, runId }: { recording: Recording | undefined; runId: string | undefined },
): Promise<OpenedJournal> {
  try {
    return recording ? await recording.openJournal(choose) : choose(workspace);
  } catch (error) {
    recording?.discard();
    throw refusal(error, runId);
  }
}

interface OutputMode {
  run(machine: Machine, run: HeadlessRun): Promise<RunResult>;
  /** Shows a result that an earlier run left. */
  tell(machine: Machine, result: RunResult): void;
}

async function outputMode(mode: string | undefined): Promise<OutputMode> {
  if (mode === "json") {
    const { jsonMode, jsonResult } = await import("./json.ts");
    return { run: jsonMode, tell: jsonResult };
  }
  const { printMode, printResult } = await import("./print.ts");
  return { run: printMode, tell: printResult };
}
