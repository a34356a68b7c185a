// `lathe coordinator`: shows the namespace of a coordinator, using the same tools. Changes nothing.

import { stringify } from "yaml";
import { missingRoots, readConfiguration } from "../../doors/coordinator/configuration.ts";
import { contractSummary, TOOLS, type ToolName, wireName } from "../../doors/coordinator/contract.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { listing, roomOf } from "../../sessions/tables/listing.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

/** The word after the verb becomes the tool's first argument. */
const VERBS: Readonly<Record<string, { readonly tool: ToolName; readonly takes?: string }>> = {
  status: { tool: "read_coordination_status" },
  sessions: { tool: "list_sessions" },
  session: { tool: "read_status", takes: "session_id" },
  tail: { tool: "read_tail", takes: "session_id" },
  questions: { tool: "list_questions" },
  artifacts: { tool: "list_artifacts", takes: "session_id" },
  turn: { tool: "read_turn", takes: "turn_id" },
};
const USAGE = `lathe coordinator tools | ${Object.entries(VERBS)
  .map(([verb, { takes }]) => (takes === undefined ? verb : `${verb} <${takes.replace("_", "-")}>`))
  .join(" | ")} [--json]`;

/** The result of a tool. */
interface Shown {
  readonly error?: { readonly message: string };
  readonly lines?: readonly string[];
  /** These two fields are for programs. */
  readonly ok?: boolean;
  readonly schema_version?: number;
}

export const coordinatorCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "coordinator");
  const [verb = "status", id, ...more] = positionals;
  const isJson = values.json === true;
  if (verb === "tools" && id === undefined) return tools(machine, isJson);
  const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!known || more.length > 0 || (known.takes === undefined) !== (id === undefined))
    throw usageError(`Use: ${USAGE}`);
  const args = known.takes === undefined || id === undefined ? {} : { [known.takes]: id };
  const { lookOnce } = await import("../../doors/coordinator/look.ts");
  const configuration = readConfiguration(machine.env, machine.cwd);
  for (const line of missingRoots(configuration)) machine.stderr.write(`lathe: ${line}\n`);
  const { data, isError } = await lookOnce(machine, configuration, known.tool, args);
  const { error, lines, ...shown } = data as Shown;
  if (isError) throw usageError(error?.message ?? "The coordinator's state cannot be read.");
  const { ok: _ok, schema_version: _version, ...told } = shown;
  const all = lines === undefined ? shown : { ...shown, lines };
  machine.stdout.write(
    isJson ? `${JSON.stringify(all, null, 2)}\n` : (lines?.map((line) => `${line}\n`).join("") ?? stringify(told)),
  );
  return EXIT.done;
};

function tools({ stdout }: Machine, isJson: boolean): ExitCode {
  const rows = (Object.keys(TOOLS) as ToolName[]).map((name) => [wireName(name), TOOLS[name].description] as const);
  stdout.write(
    isJson ? `${JSON.stringify(contractSummary(LATHE_VERSION), null, 2)}\n` : `${listing(rows, roomOf(stdout))}\n`,
  );
  return EXIT.done;
}
