// Options of a subcommand's verb, by node's own parser, with our kind of error.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { usageError } from "../cli/exit.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

export function verbArgs<const T extends Options>(argv: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageError(`${(error as Error).message.split(/\.\s/)[0]}. See: lathe sessions --help`);
  }
}
