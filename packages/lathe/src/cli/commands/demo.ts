// `lathe demo`: the practice model on a copy of the bundled sample project, which shows the agent at work without a
// key. At a terminal the conversation opens with the request in the composer; elsewhere the request runs and its output
// is printed.

import { cp, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Conversation } from "../../conversation/conversation.ts";
import { withGit } from "../../conversation/review/git.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import { outcomeOf } from "../../hosts/headless/outcome.ts";
import { RunDriver } from "../../hosts/headless/run-prompts.ts";
import { LinePrinter } from "../../hosts/interactive/plain/printer.ts";
import { Run } from "../../hosts/run.ts";
import { chooseModel } from "../../models/connect.ts";
import { PRACTICE } from "../../models/models.ts";
import { packageFolder } from "../../platform/home/package-folder.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { parseArgs } from "../../platform/options/parse.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { memoryJournal, type OpenedJournal } from "../../sessions/journals/journal-files.ts";
import type { Command } from "./command.ts";

const TASK = "fix the failing test";

export const demoCommand: Command = async (argv, machine) => {
  if (argv.length > 0) throw usageError("lathe demo takes no arguments. See: lathe demo --help");
  const { terminal: stdout } = machine;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lathe-demo-")));
  await cp(packageFolder("sample"), folder, { recursive: true });
  await commitAll(folder, machine);
  if (machine.stdin.isTTY && machine.stdout.isTTY) return demoAtTerminal(folder, machine);
  const workspace = await new Run({ ...machine, cwd: folder }).open({ "permission-mode": "full" });
  const printer = new LinePrinter(stdout, {
    color: stdout.isTTY === true && machine.env["NO_COLOR"] === undefined,
    columns: () => stdout.columns ?? 100,
  });
  printer.line(`Created a small project with a failing test in ${folder}.`);
  printer.line(`› ${TASK}`, "bold");
  const requestFor = async (opened: OpenedJournal): Promise<SessionRequest> => ({
    model: await chooseModel(workspace, PRACTICE),
    opened,
    limits: {},
  });
  const conversation = await Conversation.start({ workspace, requestFor }, memoryJournal(workspace));
  try {
    const driver = new RunDriver(conversation, (event) => printer.event(event));
    await driver.submit(TASK);
    const { exitCode } = outcomeOf(driver.report());
    const tests = await conversation.session.env.execCommand(
      "npm test --silent 2>&1 | grep -E '^# (pass|fail)'",
      60_000,
    );
    printer.line(`\nThe tests now:\n${tests.output.trim()}`);
    printer.line(`\nThat was the practice model, a script. ${nextStep(machine.env)}`, "dim");
    return tests.output.includes("# fail 0") ? exitCode : EXIT.failed;
  } finally {
    await conversation.close();
  }
};

const ARGUMENTS = ["--model", PRACTICE];
/** The demo does not report its startup times. */
const UNTIMED = {
  phase: <T>(_name: string, work: () => Promise<T> | T) => Promise.resolve(work()),
  print() {},
  leavesWhenReady: false,
};

async function demoAtTerminal(folder: string, machine: Machine): Promise<ExitCode> {
  const { interactiveMode } = await import("../../hosts/interactive/index.ts");
  machine.stdout.write(
    `A small project with a failing test is in ${folder}.\nThe model is the practice model, a script; the rest is real. Press Enter.\n\n`,
  );
  return interactiveMode(parseArgs(ARGUMENTS, machine.userHome), new Run({ ...machine, cwd: folder }), UNTIMED, TASK);
}

const AUTHOR = ["-c", "user.name=Lathe demo", "-c", "user.email=demo@localhost"];
const UNCONFIGURED = ["-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null", "-c", "init.defaultBranch=main"];

/**
 * `/diff` compares with this commit. Without git the rest of the demo still works; it must never commit to the user's
 * own `GIT_DIR`.
 */
async function commitAll(folder: string, { env }: Machine): Promise<void> {
  const place = { env: { PATH: env["PATH"], HOME: env["HOME"] } };
  await withGit(place, folder, async (git) => {
    for (const args of [["init"], ["add", "."], [...AUTHOR, "commit", "-m", "The sample project"]])
      await git.ask([...UNCONFIGURED, ...args]);
  }).catch(() => undefined);
}

/** A user who ran `npm start` has a clone, not an installed command. */
function nextStep(env: Machine["env"]): string {
  const run = 'With a key or a local model: lathe "<your request>"';
  return env["npm_lifecycle_event"] === "start" ? `Install the command next: see README.md. ${run}` : run;
}
