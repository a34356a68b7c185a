// Entry of the command: subcommand or run. What is not needed for the chosen way is not loaded.

import { thisMachine } from "../run/machine.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { SUBCOMMANDS } from "./option-table.ts";

export async function main(): Promise<void> {
  const machine = thisMachine();
  process.exitCode = await start(process.argv.slice(2)).catch((error: unknown): ExitCode => {
    machine.stderr.write(`lathe: ${describe(error)}\n`);
    return error instanceof CliError ? error.exitCode : EXIT.internal;
  });
}

async function start(argv: readonly string[]): Promise<ExitCode> {
  const [first = ""] = argv;
  if (Object.hasOwn(SUBCOMMANDS, first)) {
    const { runSubcommand } = await import("../commands/index.ts");
    return runSubcommand(first as keyof typeof SUBCOMMANDS, argv.slice(1), thisMachine());
  }
  const { launch } = await import("./launch.ts");
  return launch(argv, thisMachine());
}

/** One line. The stack of a bug is for those who ask for it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CliError || process.env["LATHE_DEBUG"] === undefined)
    return error.message.split("\n")[0] ?? error.name;
  return error.stack ?? error.message;
}
