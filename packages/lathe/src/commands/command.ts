import type { ExitCode } from "../cli/exit.ts";
import type { Machine } from "../run/machine.ts";

/** A subcommand; `argv` is what follows its name. */
export type Command = (argv: readonly string[], machine: Machine) => Promise<ExitCode>;
