// `lathe mcp-serve coordinator` (alias hermes): the coordinator over stdin and stdout, or with --check what it offers.

import { readConfiguration } from "../../doors/coordinator/configuration.ts";
import { contractSummary, SERVER_NAME, TOOL_NAMES } from "../../doors/coordinator/contract.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
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
  if (values.check === true) return check(machine, values.json === true);
  if (values.json === true) throw usageError("--json goes with --check: lathe mcp-serve coordinator --check --json");
  const configuration = readConfiguration(machine.env, machine.cwd);
  const { serveCoordinator } = await import("../../doors/coordinator/server.ts");
  await serveCoordinator(machine, configuration, LATHE_VERSION);
  machine.exit?.(EXIT.done);
  return EXIT.done;
};

/** Needs no transport, no provider and no key; a wrong variable is said as it would be at a start. */
function check({ env, cwd, stdout }: Machine, isJson: boolean): ExitCode {
  const { roots, mutations, sessionCommand, profile, repo } = readConfiguration(env, cwd);
  const allowed = { roots, mutations: [...mutations], session_command: sessionCommand !== undefined };
  const summary = { ok: true, ...contractSummary(LATHE_VERSION), namespace: { profile, repo }, allowed };
  stdout.write(isJson ? `${JSON.stringify(summary)}\n` : `${SERVER_NAME}: ${TOOL_NAMES.length} tools, ready.\n`);
  return EXIT.done;
}
