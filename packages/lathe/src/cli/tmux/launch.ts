// `lathe --tmux`: runs the session inside a tmux session and attaches this terminal to it. Without a terminal it only
// starts the session.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, resolve } from "node:path";
import { checkLaunchPolicy, sessionNameFrom } from "../../doors/tmux/profile.ts";
import { attachCommand, type StartedSession, startSession } from "../../doors/tmux/start-session.ts";
import { Tmux } from "../../doors/tmux/tmux.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { within } from "../../platform/machine/within.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import type { ParsedArgs } from "../../platform/options/parse.ts";
import { CliError, EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { currentBranch } from "./current-branch.ts";

/** Runs with these options end by themselves and do not draw a screen. */
const WITHOUT_A_SCREEN = ["print", "mode", "export", "list-models"] as const satisfies readonly (keyof CliOptions)[];

export async function launchInTmux(
  { options }: ParsedArgs,
  argv: readonly string[],
  machine: Machine,
): Promise<ExitCode> {
  const { env, stdin, stdout, userHome, pid } = machine;
  checkLaunchPolicy(env);
  const screenless = WITHOUT_A_SCREEN.find((name) => options[name] !== undefined);
  if (screenless !== undefined)
    throw usageError(`--tmux is for sessions at a terminal. Leave out --${screenless}, or --tmux.`);
  const tmux = new Tmux(env);
  const project = resolve(machine.cwd, options.cwd ?? ".");
  const isAtTerminal = Boolean(stdin.isTTY && stdout.isTTY);
  const isInside = Boolean(env["TMUX"]) && !env["LATHE_TMUX_SOCKET"];
  const name = sessionNameFrom(env) ?? freeName(project, machine);
  const session = await startSession(
    { tmux, pid, doors: homePaths(env, userHome).doors },
    {
      ...{ name, env, args: withoutTmux(argv), endsWithStarter: false, cwd: machine.cwd },
      tags: { owner: "terminal", project, branch: await currentBranch(project, env) },
      ...(isAtTerminal && stdout.columns ? { columns: stdout.columns, rows: stdout.rows } : {}),
      returnsClient: isInside && isAtTerminal,
    },
  );
  if (!isAtTerminal || (isInside && !(await switchTerminal(session, tmux))))
    return printStarted(session, tmux, machine);
  if (isInside) {
    await waitUntilOpened(session);
    session.release();
    return EXIT.done;
  }
  return attachTerminal(session, tmux, machine);
}

/** Removes only the option itself: words after `--` are a prompt. */
function withoutTmux(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.filter((word, at) => word !== "--tmux" || (end >= 0 && at > end));
}

function freeName(project: string, { deps }: Machine): string {
  const folder = basename(project)
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .slice(0, 40);
  return `lathe-${folder.replace(/^-+|-+$/g, "") || "session"}-${deps.uuid().slice(-4)}`;
}

/** Attaches this terminal until the session ends or the user detaches. */
async function attachTerminal(session: StartedSession, tmux: Tmux, { stderr, stdout }: Machine): Promise<ExitCode> {
  const args = [...tmux.server, "attach-session", "-t", session.id];
  const client = spawn(tmux.program, ["-u", ...args], { stdio: "inherit", env: tmux.env as NodeJS.ProcessEnv });
  await once(client, "exit");
  const isThere = (await tmux.ask(["has-session", "-t", session.id])).code === 0;
  if (isThere) {
    session.release();
    stdout.write(`The session continues in tmux. To return: ${attachCommand(tmux, session.name)}\n`);
    return EXIT.done;
  }
  const end = await within(session.ended, LAST_WORDS_MS);
  session.release();
  if (end?.said) stderr.write(end.said);
  return end?.code ?? EXIT.failed;
}

const LAST_WORDS_MS = 2_000;
const OPENS_WITHIN_MS = 60_000;

/** Switches the terminal of this process to the session. */
async function switchTerminal({ id }: StartedSession, tmux: Tmux): Promise<boolean> {
  return (await tmux.ask(["switch-client", "-t", id])).code === 0;
}

async function waitUntilOpened(session: StartedSession): Promise<void> {
  // Errors are already on the screen that the user sees.
  await within(
    session.opened(OPENS_WITHIN_MS).catch(() => undefined),
    OPENS_WITHIN_MS,
  );
}

/** Prints a line for scripts: the name in tmux, and the id of the session that others can join. */
async function printStarted(session: StartedSession, tmux: Tmux, { stdout, stderr }: Machine): Promise<ExitCode> {
  const first = await Promise.race([session.opened(OPENS_WITHIN_MS), within(session.ended, OPENS_WITHIN_MS)]).catch(
    (error: unknown) => error as CliError,
  );
  if (typeof first === "string") {
    session.release();
    stdout.write(`${session.name} ${first}\n`);
    stderr.write(`To attach: ${attachCommand(tmux, session.name)}\n`);
    return EXIT.done;
  }
  const end = await within(session.ended, LAST_WORDS_MS);
  session.release();
  if (end) throw new CliError(end.code, end.said.trim().replace(/^lathe: /, "") || "The session ended at once.");
  throw first instanceof CliError ? first : new CliError(EXIT.failed, "The session ended at once.");
}
