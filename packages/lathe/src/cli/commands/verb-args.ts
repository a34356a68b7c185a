// Parses the options of a subcommand's verb with Node's own parser, but with our kind of error.

import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Subcommand } from "../../platform/options/option-table.ts";
import { usageError } from "../../platform/usage/exit.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
/** Written out because a declaration cannot name the type that Node's parser infers. */
type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

export function verbArgs<const T extends Options>(
  argv: readonly string[],
  options: T,
  command: Subcommand = "sessions",
): Parsed<T> {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const { message } = error as Error;
    // For `--budget -1` Node reports that the argument is ambiguous.
    const [, dashed] = /^Option '([^']+)' argument is ambiguous/.exec(message) ?? [];
    const said = dashed === undefined ? message.split(/\.\s/)[0] : `${dashed} needs a value, such as ${dashed}=…`;
    throw usageError(`${said}. See: lathe ${command} --help`);
  }
}
