// Subcommands, each loaded when named.

import { EXIT, type ExitCode, usageError } from "../cli/exit.ts";
import type { Subcommand } from "../cli/option-table.ts";
import type { Machine } from "../run/machine.ts";

export async function runSubcommand(name: Subcommand, argv: readonly string[], machine: Machine): Promise<ExitCode> {
  switch (name) {
    case "completions": {
      const { completionScript } = await import("../cli/completions.ts");
      machine.stdout.write(completionScript(argv[0] ?? "bash"));
      return EXIT.done;
    }
    default:
      throw usageError(`lathe ${name} does not exist yet.`);
  }
}
