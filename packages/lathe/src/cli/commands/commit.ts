// `lathe commit`: proposes a message for the staged changes, or several commits, and creates them when the user agrees.

import { messageOf } from "@lathe/llm";
import { isTrusted } from "../../config/trust/trust.ts";
import { type CommitHost, type CommitResult, commit } from "../../conversation/commit/commit.ts";
import { type CommitModel, commitModel } from "../../conversation/commit/commit-model.ts";
import { COMMIT_FLAGS, parseCommitOptions } from "../../conversation/commit/commit-options.ts";
import { CommitGit } from "../../conversation/commit/git.ts";
import { CommitRefused } from "../../conversation/commit/make-commits.ts";
import { commitReport, costLine, exitCodeOf, madeLines, proposalText } from "../../conversation/commit/report.ts";
import { Conversation } from "../../conversation/conversation.ts";
import { keyFiles } from "../../conversation/key-files.ts";
import { maxTimeOf } from "../../conversation/session-request.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { TIME_IS_UP } from "../../hosts/headless/outcome.ts";
import { Run } from "../../hosts/run.ts";
import { PRACTICE_PROVIDER } from "../../models/practice/name.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { onSignals } from "../../platform/machine/signals.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { parseArgs, UnknownOption } from "../../platform/options/parse.ts";
import { withProvider } from "../../platform/options/provider.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { COMMIT_JOURNAL } from "../../sessions/find.ts";
import { closedOnFailure, newJournal, type OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { journalFor } from "../../sessions/which-journal.ts";
import type { Command } from "./command.ts";
import { terminalUser } from "./commit/terminal-user.ts";

export const commitCommand: Command = async (argv, machine) => {
  const { wishes, rest } = parseCommitOptions(argv);
  const { options, words } = withProvider(runOptions(rest, machine));
  if (words.length > 0)
    throw usageError(
      `lathe commit takes no file names or messages, but got "${words[0]}". Stage files with git add; say what the model should know with --context.`,
    );
  if (options.worktree !== undefined)
    throw usageError("lathe commit works in the project itself. Leave out: --worktree");
  const run = new Run(machine);
  const workspace = await run.open(options);
  const isJson = options.mode === "json";
  const notes: string[] = [];
  const tell = (line: string): void => {
    notes.push(line);
    if (!isJson) machine.stderr.write(`lathe: ${line}\n`);
  };
  for (const warning of workspace.warnings) tell(warning);
  const limit = new TimeLimit(machine, options);
  const signals = onSignals(() => limit.stop("signal"));
  const git = new CommitGit({ env: machine.env, cwd: workspace.cwd, signal: limit.signal });
  const session = new CommitSession(run, workspace, options, limit.signal);
  const isFolderTrusted = () => isTrusted(workspace.paths.trust, workspace.cwd, machine.userHome);
  let hookOutput = "";
  const host: CommitHost = {
    tell,
    warn: tell,
    output: (text) => {
      hookOutput += text;
      if (!isJson) machine.stderr.write(text);
    },
    show: (prepared, proposal) => void (isJson || machine.stdout.write(proposalText(prepared, proposal))),
    ...(machine.stdin.isTTY && !isJson ? terminalUser(machine, git, isFolderTrusted) : {}),
  };
  const print = (value: object): void => void machine.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  try {
    const model = (): Promise<CommitModel> => session.model();
    const { redactor } = workspace;
    const work = { git, wishes, host, redactor, holdsKeys: keyFiles(workspace), env: machine.env, model };
    const result = await commit(work);
    if (isJson) print({ ...commitReport(result, session.spent, notes), hookOutput });
    else showResult(machine, result, wishes.dryRun);
    return exitCodeOf(result, wishes);
  } catch (error) {
    const said = limit.reason ?? error;
    if (isJson)
      print({
        status: said instanceof CommitRefused ? "refused" : "failed",
        error: messageOf(said),
        notes,
        hookOutput,
      });
    if (said instanceof CommitRefused && hookOutput !== "" && !hookOutput.endsWith("\n") && !isJson)
      machine.stderr.write("\n");
    throw said;
  } finally {
    const line = costLine(session.spent);
    if (line !== undefined && !isJson) machine.stderr.write(`lathe: ${line}\n`);
    await session.close();
    await git.close();
    signals.stopListening();
    limit.end();
  }
};

/** These options come from `git commit -m`; on its own, `-m` would choose a model. */
const MESSAGE = /^(?:-a?m|--message(?:=|$))/;
/** Options of a run that also apply to a commit. */
const RUN_OPTIONS = ["model", "max-cost", "max-time", "no-session", "json", "mode"];

function runOptions(rest: readonly string[], { userHome }: Machine): ReturnType<typeof parseArgs> {
  const given = rest.find((word) => MESSAGE.test(word));
  if (given !== undefined)
    throw usageError(
      `lathe commit writes the message itself and takes no ${given.split("=")[0]}. Say what the model should know with --context "<text>"; choose a model with --model.`,
    );
  try {
    return parseArgs(rest, userHome);
  } catch (error) {
    if (!(error instanceof UnknownOption)) throw error;
    const word = error.word.replace(/^-+/, "");
    const guess = nearest(word, [...COMMIT_FLAGS.map((flag) => flag.slice(2)), "context", ...RUN_OPTIONS]);
    throw usageError(
      `Unknown option ${error.word}.${guess ? ` Did you mean --${guess}?` : ""} See lathe commit --help.`,
    );
  }
}

function showResult({ stdout, stderr }: Machine, result: CommitResult, dryRun: boolean): void {
  const { status, made, prepared, proposal, repository } = result;
  if (status === "committed") stdout.write(`${madeLines(repository.branch, made).join("\n")}\n`);
  if (status === "cancelled") stderr.write("lathe: Nothing was committed.\n");
  if (status !== "proposed" || !prepared || !proposal) return;
  if (dryRun) stdout.write(proposalText(prepared, proposal));
  else
    stderr.write(
      "lathe: Nothing was committed, because no user can be asked here. To accept the first proposal: --yes\n",
    );
}

/** Ends the work when the time is up. */
class TimeLimit {
  readonly #end = new AbortController();
  readonly #timer: { cancel(): void } | undefined;
  reason: CliError | undefined;

  constructor({ deps }: Machine, options: CliOptions) {
    const ms = maxTimeOf(options);
    if (ms !== undefined) this.#timer = deps.setTimer(() => this.stop("time"), ms);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  stop(why: "signal" | "time"): void {
    this.reason ??=
      why === "time"
        ? new CliError(EXIT.budget, `${TIME_IS_UP} Nothing was committed.`)
        : new CliError(EXIT.interrupted, "Interrupted: nothing was committed.");
    this.#end.abort(this.reason);
  }

  end(): void {
    this.#timer?.cancel();
  }
}

/** The session that asks the model; it is opened on first use. */
class CommitSession {
  readonly #parts: readonly [Run, SessionWorkspace, CliOptions, AbortSignal];
  #opened: Promise<{ readonly conversation: Conversation; readonly model: CommitModel }> | undefined;
  #model: CommitModel | undefined;

  constructor(...parts: readonly [Run, SessionWorkspace, CliOptions, AbortSignal]) {
    this.#parts = parts;
  }

  get spent() {
    return this.#model?.spent;
  }

  async model(): Promise<CommitModel> {
    this.#opened ??= this.#open();
    const { model } = await this.#opened;
    this.#model = model;
    return model;
  }

  async #open() {
    const [run, workspace, options, signal] = this.#parts;
    const journal = journalOf(workspace, options);
    const requestFor = run.requestFor(workspace, options, {
      additions: { mcpServers: [], delaysLanguageServers: true },
    });
    const conversation = await closedOnFailure(journal, () =>
      Conversation.start({ workspace, requestFor, staysInSession: true }, journal),
    );
    if (conversation.model.provider === PRACTICE_PROVIDER) {
      await conversation.close();
      throw new CliError(EXIT.provider, "the practice model cannot write commit messages");
    }
    return { conversation, model: commitModel(conversation.open, signal) };
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.conversation.close();
  }
}

/** The requests are kept in a journal so that their cost is counted, but the user cannot resume it. */
function journalOf(workspace: SessionWorkspace, options: CliOptions): OpenedJournal {
  const isChosen = options["no-session"] || options.continue || options.resume || options.session;
  return isChosen ? journalFor(workspace, options) : newJournal(workspace, { title: COMMIT_JOURNAL });
}
