import type { Machine } from "../../platform/machine/machine.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";

/** A subcommand; `argv` holds the words after its name. */
export type Command = (argv: readonly string[], machine: Machine) => Promise<ExitCode>;
