// A run: from options to workspace, model, journal and session, and then to the chosen mode.

import type { InputContent } from "@lathe/agent";
import type { Workspace } from "../config/workspace/workspace.ts";
import { isInteractive, maxTimeOf } from "../conversation/session-request.ts";
import type { SessionWorkspace } from "../conversation/session-workspace.ts";
import { promptsOf } from "../hosts/headless/prompts.ts";
import { readPiped } from "../hosts/headless/stdin.ts";
import type { StartTiming } from "../hosts/interactive/start-timing.ts";
import { Run } from "../hosts/run.ts";
import type { ExtensionFlag } from "../platform/extension-api/api.ts";
import type { Machine } from "../platform/machine/machine.ts";
import { type CliOptions, OPTIONS } from "../platform/options/option-table.ts";
import { type ParsedArgs, parseArgs, UnknownOption } from "../platform/options/parse.ts";
import { withProvider } from "../platform/options/provider.ts";
import { EXIT, type ExitCode, usageError } from "../platform/usage/exit.ts";
import { journalFor, SessionHeld } from "../sessions/which-journal.ts";

export async function launch(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const run = new Run(machine);
  const { args, end } = await parseWithExtensions(argv, run);
  try {
    if (!(await confirmPrompt(args, argv, machine))) return EXIT.usage;
    return await start(withProvider(args), argv, run);
  } finally {
    await end?.();
  }
}

/**
 * Words after options that form a command are not sent as a prompt, because that would cost money. Words after `-p` or
 * `--` always are a prompt.
 */
async function confirmPrompt(
  { words, options }: ParsedArgs,
  argv: readonly string[],
  machine: Machine,
): Promise<boolean> {
  const isPlain = /^[a-z]+$/.test(words[0] ?? "") && words[0] !== argv[0];
  if (!isPlain || options.print !== undefined || argv.includes("--")) return true;
  const { lateCommand, sendsCommandWord } = await import("./usage-hint.ts");
  const late = lateCommand(words);
  if (late) throw late;
  return sendsCommandWord(words, machine);
}

async function start(parsed: ParsedArgs, argv: readonly string[], run: Run): Promise<ExitCode> {
  const { machine } = run;
  if (parsed.options.help) {
    const { helpText } = await import("./help.ts");
    const { isTTY, columns } = machine.stdout;
    machine.stdout.write(helpText(await addedFlags(run, parsed.options), isTTY ? columns : undefined));
    return EXIT.done;
  }
  if (parsed.options.version) {
    machine.stdout.write(`${LATHE_VERSION}\n`);
    return EXIT.done;
  }
  if (parsed.options.mode === "acp") {
    const { acpMode } = await import("../doors/acp/mode.ts");
    return acpMode(machine, parsed);
  }
  if (parsed.options.mode === "bridge") {
    const { bridgeMode } = await import("./commands/serve/bridge.ts");
    return bridgeMode(parsed, machine);
  }
  if (startsInTmux(parsed, machine)) return (await import("./tmux/launch.ts")).launchInTmux(parsed, argv, machine);
  const report = await reportFor(machine);
  if (
    isInteractive(parsed, machine) &&
    parsed.options["list-models"] === undefined &&
    parsed.options.export === undefined
  ) {
    refuseMisplaced(parsed.options);
    const { interactiveMode } = await import("../hosts/interactive/index.ts");
    const { sessionOpener } = await import("./session-opener.ts");
    run.opensSessions = (person) => sessionOpener(machine, person, parsed.options);
    try {
      return await interactiveMode(parsed, run, report);
    } catch (error) {
      if (!(error instanceof SessionHeld)) throw error;
      return (await import("./join-held.ts")).joinHeld(error, machine, parsed.words);
    }
  }
  const workspace = await report.phase("workspace", () => run.open(parsed.options));
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  if (parsed.options["list-models"] !== undefined) {
    const { listModels } = await import("./commands/models.ts");
    return listModels(workspace, parsed.options["list-models"]);
  }
  if (parsed.options.export !== undefined) {
    const { exportTo } = await import("./commands/sessions/export.ts");
    return exportTo(workspace, parsed.options.export);
  }
  const { worktree } = parsed.options;
  if (worktree === undefined) return startIn(workspace, parsed, run, report);
  return (await import("../hosts/worktree/run-in-view.ts")).inView(
    workspace,
    worktree,
    (view) => startIn({ ...workspace, view }, parsed, run, report),
    parsed.options.mode !== "rpc",
  );
}

/** A pane created for this session does not start tmux again. */
function startsInTmux(parsed: ParsedArgs, machine: Machine): boolean {
  if (machine.paneStarter) return false;
  if (parsed.options.tmux) return true;
  const { LATHE_LAUNCH_POLICY: policy = "", TMUX: around = "" } = machine.env;
  // Inside tmux the user has already chosen where to work.
  return policy !== "" && policy !== "direct" && around === "" && isInteractive(parsed, machine);
}

async function startIn(
  workspace: SessionWorkspace,
  parsed: ParsedArgs,
  run: Run,
  report: StartTiming,
): Promise<ExitCode> {
  const { machine, view } = workspace;
  const args = parsed.options.resume === undefined ? parsed : await withSession(workspace, parsed);
  const { options } = args;
  const requestFor = run.requestFor(workspace, options, report);
  const toCome = takesPromptsLater(args);
  // An RPC host may pass --unattended too: the declaration covers the prompts it sends later.
  const { unattended: _declared, ...others } = options;
  if (toCome) refuseMisplaced(options.mode === "rpc" ? others : options);
  if (options.mode === "rpc") {
    const { rpcMode } = await import("../hosts/rpc/mode.ts");
    return runOrJoin(machine, options, [], () =>
      rpcMode(workspace, args, requestFor, (cwd) => run.openAt(cwd, options)),
    );
  }
  if (toCome) {
    const { jsonCommandMode } = await import("../hosts/json.ts");
    return jsonCommandMode(workspace, journalFor(workspace, options), requestFor, options.require !== undefined);
  }
  const piped = await report.phase("stdin", () => readPiped(machine, maxTimeOf(options)));
  const prompts = await report.phase("prompts", () => promptsOf(args, { machine, files: view?.env }, piped));
  if (prompts.length === 0 && !continues(options))
    throw usageError('There is nothing to do. Give a prompt: lathe "<prompt>"');
  const { startHeadless } = await import("../hosts/start-headless.ts");
  const code = await report.phase("run", () =>
    runOrJoin(machine, options, prompts, () =>
      startHeadless(workspace, options, prompts, { requestFor, at: (place) => run.at(place), phase: report.phase }),
    ),
  );
  report.print();
  return code;
}

/** Starts the run. If another process has the session open, the run happens there instead. */
async function runOrJoin(
  machine: Machine,
  options: CliOptions,
  prompts: readonly InputContent[],
  start: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SessionHeld)) throw error;
    return (await import("./join-held.ts")).runInHeld(error, machine, options, prompts);
  }
}

interface Understood {
  readonly args: ParsedArgs;
  readonly end?: () => Promise<void>;
}

/** An unknown option may belong to an extension, so the extensions are loaded only in that case. */
async function parseWithExtensions(argv: readonly string[], run: Run): Promise<Understood> {
  const { machine } = run;
  try {
    return { args: parseArgs(argv, machine.userHome) };
  } catch (error) {
    if (!(error instanceof UnknownOption)) throw error;
    const { options } = parseArgs(argv, machine.userHome, { isLenient: true });
    const { flagsForRun } = await import("../additions/extensions/flags.ts");
    const { flags, end } = await flagsForRun(run, options, argv);
    const types = Object.entries(flags).map(([name, { type }]) => [name, type] as const);
    try {
      return { args: parseArgs(argv, machine.userHome, { flags: Object.fromEntries(types) }), end };
    } catch (wrong) {
      await end();
      throw wrong;
    }
  }
}

/** Help must be shown even if something else is broken here. */
async function addedFlags(run: Run, options: CliOptions): Promise<Readonly<Record<string, ExtensionFlag>>> {
  const { flagsForHelp } = await import("../additions/extensions/flags.ts");
  return flagsForHelp(run, options).catch(() => ({}));
}

async function reportFor({ env }: Machine): Promise<StartTiming> {
  if (!env["LATHE_TIMING"] && !env["LATHE_DEBUG_STARTUP"]) return NO_REPORT;
  const { startupReport } = await import("./startup-report.ts");
  return startupReport(env, () => performance.now());
}

const NO_REPORT: StartTiming = { phase: async (_name, work) => work(), print: () => {}, leavesWhenReady: false };

async function withSession(workspace: Workspace, args: ParsedArgs): Promise<ParsedArgs> {
  const { withChosenSession } = await import("../sessions/choose.ts");
  return { ...args, options: await withChosenSession(workspace, args.options) };
}

/** Whether the run continues an earlier session, which may be unfinished: then it uses that session's prompt. */
const continues = ({ continue: last, resume, session }: CliOptions): boolean =>
  last === true || resume !== undefined || session !== undefined;

/** These options concern one run from its prompt to its result. */
const NEED_A_PROMPT = ["record", "run-id", "output-schema", "unattended"] as const;

function refuseMisplaced(options: CliOptions): void {
  const misplaced = NEED_A_PROMPT.find((name) => options[name] !== undefined);
  if (misplaced !== undefined)
    throw usageError(
      `--${misplaced} works with a prompt only: lathe --${misplaced} <${OPTIONS[misplaced].value}> -p <prompt>`,
    );
}

/** Whether the prompts arrive on stdin: in RPC mode and as JSON commands. */
function takesPromptsLater({ options, words }: ParsedArgs): boolean {
  if (options.mode === "rpc") return true;
  return options.mode === "json" && words.length === 0 && (options.print ?? []).length === 0;
}
