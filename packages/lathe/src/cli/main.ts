// Entry point of the command: starts a subcommand or a run, and loads only the code it needs.

import { leaveLostTerminalsAtExit } from "../platform/machine/lost-terminal.ts";
import { type Machine, ownStderr, thisMachine } from "../platform/machine/machine.ts";
import { compileWasmOnce, compileWasmOnceInTime } from "../platform/machine/plain-wasm.ts";
import { SUBCOMMANDS } from "../platform/options/option-table.ts";
import { CliError, EXIT, type ExitCode } from "../platform/usage/exit.ts";
import { visible } from "../sessions/visible.ts";

export async function main(): Promise<void> {
  // An uncaught error is a bug or a broken stream: it prints one line and sets the matching exit code.
  process.on("uncaughtException", (error) => {
    ownStderr().write(`lathe: ${describe(error, process.env, process.argv.slice(2))}\n`);
    process.exit(error instanceof CliError ? error.exitCode : EXIT.internal);
  });
  leaveLostTerminalsAtExit();
  const argv = process.argv.slice(2);
  if (process.env["LATHE_TMUX_START"] === undefined) process.exitCode = await runCommand(argv, thisMachine());
  else process.exitCode = await (await import("./tmux/pane.ts")).runInPane(argv, runCommand);
}

/** For programs that use the package: the machine they run the command on. */
export const machineOfProcess = (): Machine => thisMachine();
/** For programs that use the package instead of running the command. */
export const library = () => import("../hosts/library/library.ts");

/** Runs the whole command on a machine, which need not be this one; errors are printed there. */
export async function runCommand(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  try {
    return await start(argv, machine);
  } catch (error) {
    const code = error instanceof CliError ? error.exitCode : EXIT.internal;
    const message = describe(error, machine.env, argv);
    machine.stderr.write(`lathe: ${message}\n`);
    if (wantsJson(argv)) {
      const { failedResult } = await import("../hosts/headless/result.ts");
      machine.stdout.write(`${JSON.stringify(failedResult(code, message))}\n`);
    }
    return code;
  }
}

async function start(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const [first = "", second] = argv;
  // `help`, alone or with the name of a command, asks for help; it is not a prompt.
  if (first === "help" && (second === undefined || Object.hasOwn(SUBCOMMANDS, second)))
    return start(second === undefined ? ["--help"] : [second, "--help"], machine);
  if (Object.hasOwn(SUBCOMMANDS, first)) {
    compileWasmOnce();
    const { runSubcommand } = await import("./commands/index.ts");
    return runSubcommand(first as keyof typeof SUBCOMMANDS, argv.slice(1), machine);
  }
  // For extension developers; not listed in the help.
  if (first === "load-extension") {
    const { loadExtensionCommand } = await import("./commands/load-extension.ts");
    return loadExtensionCommand(argv.slice(1), machine);
  }
  if (/^[a-z]+$/.test(first)) {
    const { misspeltCommand, sendsCommandWord } = await import("./usage-hint.ts");
    const misspelt = misspeltCommand(argv);
    if (misspelt) throw misspelt;
    if (!(await sendsCommandWord(argv, machine))) return EXIT.usage;
  }
  compileWasmOnceInTime();
  const { launch } = await import("./launch.ts");
  return launch(argv, machine);
}

/**
 * A JSON run ends with a result even if it never started. The options may be what is wrong, so this does not parse
 * them.
 */
function wantsJson(argv: readonly string[]): boolean {
  if (Object.hasOwn(SUBCOMMANDS, argv[0] ?? "")) return false;
  return argv.some(
    (word, i) => word === "--json" || word === "--mode=json" || (word === "--mode" && argv[i + 1] === "json"),
  );
}

/** One line that cannot control the terminal, whatever it quotes. The stack of a bug is only shown with LATHE_DEBUG. */
function describe(error: unknown, env: Machine["env"], argv: readonly string[]): string {
  if (error instanceof Error && !isForPeople(error) && env["LATHE_DEBUG"] !== undefined)
    return error.stack ?? error.message;
  let line = lineOf(error);
  // Line breaks inside a typed word would hide the text after it.
  for (const word of argv) if (/[\r\n]/.test(word)) line = line.replaceAll(word, word.replace(/[\r\n]+/g, " "));
  return visible(line.split("\n")[0] ?? "");
}

const isForPeople = (error: Error): boolean => error instanceof CliError || error.name === "JournalError";

function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isForPeople(error)) return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return `${error.message}. Free space and try again.`;
  if (syscall !== undefined) return `${error.message}. Check that path, or choose another home with LATHE_HOME.`;
  return `Internal error: ${error.message.split("\n")[0]}. Set LATHE_DEBUG=1 to see where, and report it.`;
}
