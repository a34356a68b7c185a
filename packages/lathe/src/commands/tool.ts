// `lathe tool <name> '<json>'|-`: one tool call through the real pipeline (validation, permissions, truncation), without a model.

import { FAMILIES, type FamilyName, type SessionEvent, type ToolDef, webFetchTool } from "@lathe/agent";
import { EXIT, usageError } from "../cli/exit.ts";
import { nearest } from "../cli/nearest.ts";
import type { CliOptions } from "../cli/option-table.ts";
import { parseArgs } from "../cli/parse.ts";
import { memoryJournal } from "../run/journal-files.ts";
import type { Machine } from "../run/machine.ts";
import { openSession } from "../run/open-session.ts";
import { readPiped } from "../run/prompts.ts";
import { standIn } from "../run/stand-in.ts";
import { openWorkspace } from "../run/workspace.ts";
import type { Command } from "./command.ts";

export const toolCommand: Command = async (argv, machine) => {
  const describe = argv.includes("--describe");
  const { options, words } = parseArgs(argv.filter((word) => word !== "--describe"));
  const [name, given] = words;
  if (name === undefined)
    throw usageError(`Name a tool: lathe tool <name> '<json>'. There are: ${names().join(", ")}.`);
  const { tool, family } = findTool(name, options);
  if (describe) {
    machine.stdout.write(`${tool.description}\n\n${JSON.stringify(tool.schema, null, 2)}\n`);
    return EXIT.done;
  }
  const args = await argumentsOf(name, given, machine);
  const ended = await runOne(machine, options, family, name, args);
  machine.stdout.write(`${ended.output}\n`);
  return ended.isError ? EXIT.failed : EXIT.done;
};

async function runOne(
  machine: Machine,
  options: CliOptions,
  profile: FamilyName,
  name: string,
  args: Record<string, unknown>,
) {
  const workspace = await openWorkspace(machine, {
    ...options,
    "permission-mode": options["permission-mode"] ?? "full",
  });
  const open = await openSession(workspace, {
    model: { provider: "stand-in", id: "none" },
    adapter: standIn("stand-in", [{ call: { name, args } }, { text: "done" }]),
    opened: memoryJournal(workspace),
    profile,
    limits: {},
  });
  let ended = { output: "", isError: true };
  const see = (event: SessionEvent): void => {
    if (event.kind === "tool_call_end")
      ended = { output: event.data.error ?? event.data.output ?? "", isError: event.data.is_error };
  };
  try {
    const reading = (async () => {
      for await (const event of open.session.events()) see(event);
    })();
    await open.session.submit("run the tool");
    await open.close();
    await reading;
    return ended;
  } finally {
    await open.close();
  }
}

async function argumentsOf(
  name: string,
  given: string | undefined,
  machine: Machine,
): Promise<Record<string, unknown>> {
  const text = given === "-" ? await readPiped(machine) : (given ?? "{}");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw usageError(`The arguments of ${name} are not valid JSON: ${(error as Error).message}.`);
  }
  throw usageError(`The arguments of ${name} must be a JSON object, for example '{"file_path": "README.md"}'.`);
}

/** In the profile asked for, else in the first that has it. */
function findTool(name: string, options: CliOptions): { tool: ToolDef; family: FamilyName } {
  const wanted =
    options.profile === undefined ? (Object.keys(FAMILIES) as FamilyName[]) : [options.profile as FamilyName];
  for (const family of wanted) {
    const tool = toolsOf(family).find((candidate) => candidate.name === name);
    if (tool) return { tool, family };
  }
  const guess = nearest(name, names());
  throw usageError(
    `Unknown tool "${name}".${guess ? ` Did you mean ${guess}?` : ""} There are: ${names().join(", ")}.`,
  );
}

const toolsOf = (family: FamilyName): readonly ToolDef[] => [
  ...(FAMILIES[family].tools as readonly ToolDef[]),
  ...(family === "minimal" ? [] : [webFetchTool as unknown as ToolDef]),
];

const names = (): string[] => [
  ...new Set((Object.keys(FAMILIES) as FamilyName[]).flatMap((family) => toolsOf(family).map((tool) => tool.name))),
];
