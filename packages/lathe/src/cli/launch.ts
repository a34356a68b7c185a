// A run: options to workspace, model, journal and session, then the chosen mode.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { FamilyName } from "@lathe/agent";
import type { OpenedJournal } from "../run/journal-files.ts";
import type { Machine } from "../run/machine.ts";
import { chooseModel, type ModelChoice } from "../run/model.ts";
import type { SessionRequest } from "../run/open-session.ts";
import { promptsOf } from "../run/prompts.ts";
import { readPiped } from "../run/stdin.ts";
import { journalFor } from "../run/which-journal.ts";
import { openWorkspace, type Workspace } from "../run/workspace.ts";
import { EXIT, type ExitCode, usageError } from "./exit.ts";
import { type CliOptions, OPTIONS } from "./option-table.ts";
import { type ParsedArgs, parseArgs } from "./parse.ts";
import { commaList, duration, httpUrl, money, positiveInteger } from "./values.ts";

export async function launch(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const parsed = parseArgs(argv, machine.userHome);
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
  if (parsed.options["list-models"] !== undefined) {
    const { listModels } = await import("../commands/models.ts");
    return listModels(workspace, parsed.options["list-models"]);
  }
  if (parsed.options.export !== undefined) {
    const { exportTo } = await import("../sessions/verbs/export.ts");
    return exportTo(workspace, parsed.options.export);
  }
  const args = parsed.options.resume === undefined ? parsed : await withSession(workspace, parsed);
  const { options } = args;
  const requestFor = (opened: OpenedJournal): Promise<SessionRequest> => sessionRequest(workspace, options, opened);
  const toCome = takesPromptsLater(args, machine);
  const misplaced = toCome ? NEED_A_PROMPT.find((name) => options[name] !== undefined) : undefined;
  if (misplaced !== undefined)
    throw usageError(
      `--${misplaced} works with a prompt only: lathe --${misplaced} <${OPTIONS[misplaced].value}> -p <prompt>`,
    );
  if (isInteractive(options, machine)) {
    const { lineMode } = await import("../modes/line/index.ts");
    return lineMode(workspace, args, requestFor);
  }
  if (options.mode === "rpc") {
    const { rpcMode } = await import("../modes/rpc/mode.ts");
    return rpcMode(workspace, args, requestFor);
  }
  if (toCome) {
    const { jsonCommandMode } = await import("../modes/json.ts");
    return jsonCommandMode(workspace, journalFor(workspace, options), requestFor);
  }
  const prompts = await promptsOf(args, machine, await readPiped(machine, maxTimeOf(options)));
  if (prompts.length === 0 && !continues(options))
    throw usageError('There is nothing to do. Give a prompt: lathe "<prompt>"');
  const { startHeadless } = await import("../run/start-headless.ts");
  return startHeadless(workspace, options, prompts, requestFor);
}

async function withSession(workspace: Workspace, args: ParsedArgs): Promise<ParsedArgs> {
  const { withChosenSession } = await import("../sessions/choose.ts");
  return { ...args, options: await withChosenSession(workspace, args.options) };
}

/** A person at both ends, and nothing that asks for output only. */
function isInteractive(options: CliOptions, machine: Machine): boolean {
  if (options.print !== undefined || options.mode !== undefined) return false;
  return Boolean(machine.stdin.isTTY && machine.stdout.isTTY);
}

/** An earlier session, which may have been cut or interrupted: its own prompt is the one to go on with. */
const continues = ({ continue: last, resume, session }: CliOptions): boolean =>
  last === true || resume !== undefined || session !== undefined;

/** They are about one run from its prompt to its result. */
const NEED_A_PROMPT = ["record", "run-id", "output-schema"] as const;

/** The prompts are typed, or come on stdin: line mode, RPC, JSON commands. */
function takesPromptsLater({ options, words }: ParsedArgs, machine: Machine): boolean {
  if (options.mode === "rpc" || isInteractive(options, machine)) return true;
  return options.mode === "json" && words.length === 0 && (options.print ?? []).length === 0;
}

/** The one that was named; else what the session, the settings and the credentials come to. */
async function modelOf(workspace: Workspace, options: CliOptions, { journal }: OpenedJournal): Promise<ModelChoice> {
  if (options.model !== undefined) return chooseModel(workspace, options.model);
  const { chooseInitialModel, modelOfSession } = await import("../run/initial-model.ts");
  const resumed = modelOfSession(journal, workspace);
  return chooseInitialModel(workspace, {
    interactive: isInteractive(options, workspace.machine),
    hasKey: options["api-key"] !== undefined,
    ...(resumed === undefined ? {} : { resumed }),
  });
}

export async function sessionRequest(
  workspace: Workspace,
  options: CliOptions,
  opened: OpenedJournal,
): Promise<SessionRequest> {
  const { machine } = workspace;
  const maxTimeMs = maxTimeOf(options);
  const limits = {
    ...(options["max-turns"] === undefined ? {} : { maxTurns: positiveInteger("max-turns", options["max-turns"]) }),
    ...(options["max-cost"] === undefined ? {} : { maxCost: money("max-cost", options["max-cost"]) }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
  };
  const request: SessionRequest = {
    model: await modelOf(workspace, options, opened),
    opened,
    limits,
    overrides: {
      ...(options["api-key"] === undefined ? {} : { apiKey: options["api-key"] }),
      ...(options["base-url"] === undefined ? {} : { baseUrl: httpUrl("base-url", options["base-url"]) }),
    },
    ...(options.profile === undefined ? {} : { profile: options.profile as FamilyName }),
    ...(options.tools === undefined ? {} : { tools: commaList(options.tools) }),
    ...(options["system-prompt"] === undefined
      ? {}
      : { systemPrompt: await textOrFile(machine, options["system-prompt"]) }),
    ...(options["append-system-prompt"] === undefined
      ? {}
      : { userInstructions: await textOrFile(machine, options["append-system-prompt"]) }),
  };
  if (options["api-key"] !== undefined) machine.stderr.write(KEY_IN_SIGHT);
  return request;
}

const KEY_IN_SIGHT =
  "lathe: A key given with --api-key shows in the process list and in your shell's history. Prefer lathe login, or a variable.\n";

const maxTimeOf = (options: CliOptions): number | undefined =>
  options["max-time"] === undefined ? undefined : duration("max-time", options["max-time"]);

async function textOrFile(machine: Machine, value: string): Promise<string> {
  try {
    return await readFile(resolve(machine.cwd, value), "utf8");
  } catch {
    // What can only be meant as a file must be one: its name makes no prompt.
    if (/^\S+\.(md|txt)$/.test(value))
      throw usageError(`${value} cannot be read. Give a text file, or the text itself.`);
    return value;
  }
}
