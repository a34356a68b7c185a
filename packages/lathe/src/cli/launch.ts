// A run: options to workspace, model, journal and session, then the chosen mode.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { FamilyName, InputContent } from "@lathe/agent";
import type { HeadlessRun } from "../run/headless.ts";
import { existingJournal, newJournal, type OpenedJournal } from "../run/journal-files.ts";
import type { Machine } from "../run/machine.ts";
import { chooseModel, type ModelChoice } from "../run/model.ts";
import { openSession, type SessionRequest } from "../run/open-session.ts";
import { promptsOf, readPiped } from "../run/prompts.ts";
import type { RunResult } from "../run/result.ts";
import { journalFor } from "../run/which-journal.ts";
import { openWorkspace, type Workspace } from "../run/workspace.ts";
import { leaveBreadcrumb, terminalId } from "../sessions/breadcrumb.ts";
import { EXIT, type ExitCode, usageError } from "./exit.ts";
import type { CliOptions } from "./option-table.ts";
import { type ParsedArgs, parseArgs } from "./parse.ts";
import { commaList, duration, money, positiveInteger } from "./values.ts";

export async function launch(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const parsed = parseArgs(argv);
  if (parsed.options.help) {
    const { helpText } = await import("./help.ts");
    machine.stdout.write(helpText());
    return EXIT.done;
  }
  if (parsed.options.version) {
    machine.stdout.write(`${LATHE_VERSION}\n`);
    return EXIT.done;
  }
  const workspace = await openWorkspace(machine, parsed.options);
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  if (parsed.options.export !== undefined) {
    const { exportTo } = await import("../sessions/verbs/export.ts");
    return exportTo(workspace, parsed.options.export);
  }
  const args = parsed.options.resume === undefined ? parsed : await withSession(workspace, parsed);
  const { options } = args;
  const requestFor = (opened: OpenedJournal): Promise<SessionRequest> => sessionRequest(workspace, options, opened);
  if (isInteractive(options, machine)) {
    const { lineMode } = await import("../modes/line/index.ts");
    return lineMode(workspace, args, requestFor);
  }
  if (options.mode === "rpc") {
    const { rpcMode } = await import("../modes/rpc/mode.ts");
    return rpcMode(workspace, args, requestFor);
  }
  if (options.mode === "json" && args.words.length === 0 && (options.print ?? []).length === 0) {
    const { jsonCommandMode } = await import("../modes/json.ts");
    return jsonCommandMode(workspace, journalFor(workspace, options), requestFor);
  }
  const prompts = await promptsOf(args, machine, await readPiped(machine));
  if (prompts.length === 0) throw usageError('There is nothing to do. Give a prompt: lathe "<prompt>"');
  return headless(workspace, args, prompts);
}

async function withSession(workspace: Workspace, args: ParsedArgs): Promise<ParsedArgs> {
  const { withChosenSession } = await import("../sessions/choose.ts");
  return { ...args, options: await withChosenSession(workspace, args.options) };
}

/** A person at both ends, and nothing that asks for output only. */
function isInteractive(options: CliOptions, { stdin, stdout }: Machine): boolean {
  return Boolean(stdin.isTTY && stdout.isTTY) && options.print === undefined && options.mode === undefined;
}

async function headless(
  workspace: Workspace,
  { options }: ParsedArgs,
  prompts: readonly InputContent[],
): Promise<ExitCode> {
  const { machine } = workspace;
  const runId = options["run-id"];
  const named = runId === undefined ? undefined : await import("../run/run-id.ts");
  const run = named && runId !== undefined ? await named.lookUpRun(workspace, runId, prompts) : undefined;
  const mode = await outputMode(options.mode);
  if (run?.state === "finished") {
    mode.tell(machine, run.result);
    return run.result.exitCode as ExitCode;
  }
  let opened: OpenedJournal;
  try {
    if (run?.state === "cut") opened = existingJournal(workspace, run.path);
    else if (run) opened = newJournal(workspace, { id: run.sessionId, runId: runId ?? "", runDigest: run.digest });
    else opened = journalFor(workspace, options);
  } catch (error) {
    if (named && runId !== undefined) named.refuseLiveRun(error, runId);
    throw error;
  }
  const schema = options["output-schema"];
  const open = await openSession(workspace, await sessionRequest(workspace, options, opened));
  const { interruptOnSignals, endQuietlyOnBrokenPipe } = await import("../run/signals.ts");
  const stopListening = interruptOnSignals(open.session);
  endQuietlyOnBrokenPipe(machine.stdout);
  try {
    if (opened.path) {
      const terminal = terminalId(machine.env);
      if (terminal) leaveBreadcrumb(workspace.paths.terminalSessions, terminal, workspace.cwd, opened.path);
    }
    const whole: HeadlessRun = {
      open,
      prompts: run?.state === "cut" && open.session.wasCut ? [] : prompts,
      continueFirst: run?.state === "cut",
      keepResult: run !== undefined,
      ...(schema === undefined
        ? {}
        : { schema: await (await import("../run/output-schema.ts")).readSchema(machine.cwd, schema) }),
    };
    return (await mode.run(machine, whole)).exitCode as ExitCode;
  } finally {
    await open.close();
    stopListening();
  }
}

interface OutputMode {
  run(machine: Machine, run: HeadlessRun): Promise<RunResult>;
  /** A result that an earlier run has left. */
  tell(machine: Machine, result: RunResult): void;
}

async function outputMode(mode: string | undefined): Promise<OutputMode> {
  if (mode === "json") {
    const { jsonMode, jsonResult } = await import("../modes/json.ts");
    return { run: jsonMode, tell: jsonResult };
  }
  const { printMode, printResult } = await import("../modes/print.ts");
  return { run: printMode, tell: printResult };
}

/** The one that was named; else what the session, the settings and the credentials come to. */
async function modelOf(workspace: Workspace, options: CliOptions, { journal }: OpenedJournal): Promise<ModelChoice> {
  if (options.model !== undefined) return chooseModel(workspace, options.model);
  const [{ chooseInitialModel }, { modelFor }] = await Promise.all([
    import("../run/initial-model.ts"),
    import("@lathe/agent"),
  ]);
  const resumed = modelFor(journal.context.state, "default");
  return chooseInitialModel(workspace, {
    interactive: isInteractive(options, workspace.machine),
    ...(resumed === undefined ? {} : { resumed }),
  });
}

export async function sessionRequest(
  workspace: Workspace,
  options: CliOptions,
  opened: OpenedJournal,
): Promise<SessionRequest> {
  const { machine } = workspace;
  const textOrFile = async (value: string): Promise<string> =>
    readFile(resolve(machine.cwd, value), "utf8").catch(() => value);
  const limits = {
    ...(options["max-turns"] === undefined ? {} : { maxTurns: positiveInteger("max-turns", options["max-turns"]) }),
    ...(options["max-cost"] === undefined ? {} : { maxCost: money("max-cost", options["max-cost"]) }),
    ...(options["max-time"] === undefined ? {} : { maxTimeMs: duration("max-time", options["max-time"]) }),
  };
  return {
    model: await modelOf(workspace, options, opened),
    opened,
    limits,
    overrides: {
      ...(options["api-key"] === undefined ? {} : { apiKey: options["api-key"] }),
      ...(options["base-url"] === undefined ? {} : { baseUrl: options["base-url"] }),
    },
    ...(options.profile === undefined ? {} : { profile: options.profile as FamilyName }),
    ...(options.tools === undefined ? {} : { tools: commaList(options.tools) }),
    ...(options["system-prompt"] === undefined ? {} : { systemPrompt: await textOrFile(options["system-prompt"]) }),
    ...(options["append-system-prompt"] === undefined
      ? {}
      : { userInstructions: await textOrFile(options["append-system-prompt"]) }),
  };
}
