// `lathe mcp-serve coordinator` (alias hermes): the coordinator over stdin and stdout; with --check it shows what it
// offers.

import { checkCoordinator } from "../../doors/coordinator/check.ts";
import { missingRoots, readConfiguration } from "../../doors/coordinator/configuration.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

export const mcpServeCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    { check: { type: "boolean" }, json: { type: "boolean" } },
    "mcp-serve",
  );
  const [what, ...more] = positionals;
  if ((what !== "coordinator" && what !== "hermes") || more.length > 0)
    throw usageError("Use: lathe mcp-serve coordinator [--check [--json]]");
  const isCheck = values.check === true;
  if (values.json === true && !isCheck)
    throw usageError("--json goes with --check: lathe mcp-serve coordinator --check --json");
  const configuration = readConfiguration(machine.env, machine.cwd);
  const missing = missingRoots(configuration);
  if (isCheck) {
    if (missing[0] !== undefined) throw usageError(missing[0]);
    machine.stdout.write(checkCoordinator(configuration, LATHE_VERSION, values.json === true));
    return EXIT.done;
  }
  if (machine.stdin.isTTY)
    machine.stderr.write(
      "lathe: This waits for a bot that speaks MCP on stdin; Ctrl+D ends it. What it offers: lathe mcp-serve coordinator --check. To set up a bot: lathe setup coordinator --root <dir>\n",
    );
  for (const line of missing)
    machine.stderr.write(`lathe: ${line}. The other folders are served; nothing below this one is allowed.\n`);
  const { serveCoordinator } = await import("../../doors/coordinator/server.ts");
  await serveCoordinator(machine, configuration, LATHE_VERSION);
  machine.exit?.(EXIT.done);
  return EXIT.done;
};
