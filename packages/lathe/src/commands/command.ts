import type { Machine } from "../machine/machine.ts";
import type { ExitCode } from "../usage/exit.ts";

/** A subcommand; `argv` is what follows its name. */
export type Command = (argv: readonly string[], machine: Machine) => Promise<ExitCode>;
