// `lathe tool <name> '<json>'|-`: one tool call through the real pipeline (validation, permissions, truncation),
// without a model.

import { FAMILIES, type FamilyName, type ToolDef } from "@lathe/agent";
import { isJsonObject } from "@lathe/llm";
import { additionsOf } from "../../additions/list.ts";
import { withSession } from "../../conversation/open-session.ts";
import type { AdditionEntry, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { readPiped } from "../../hosts/headless/stdin.ts";
import { Run } from "../../hosts/run.ts";
import { fixedAnswers } from "../../models/practice/fixed-answers.ts";
import { profileFor } from "../../models/profile.ts";
import { switchThatIsOff } from "../../models/tool-switches.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { parseArgs } from "../../platform/options/parse.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { memoryJournal } from "../../sessions/journals/journal-files.ts";
import type { Command } from "./command.ts";

const FIXED_MODEL = { provider: "stand-in", id: "none" };

export const toolCommand: Command = async (argv, machine) => {
  const describe = argv.includes("--describe");
  const { options, words } = parseArgs(
    argv.filter((word) => word !== "--describe"),
    machine.userHome,
  );
  const [name, given, extra] = words;
  const run = new Run(machine);
  const workspace = await run.open({
    ...options,
    "permission-mode": options["permission-mode"] ?? "full",
  });
  const known = toolsHere(workspace, options);
  if (name === undefined)
    throw usageError(`Name a tool: lathe tool <name> '<json>'. Available: ${namesOf(known).join(", ")}.`);
  if (extra !== undefined)
    throw usageError(`The arguments of ${name} are one JSON text in quotes. Leave out: ${extra}`);
  const off = switchThatIsOff(name, workspace.settings);
  if (off !== undefined && !describe)
    throw usageError(`The tool ${name} is turned off. To turn it on: lathe config set ${off} true`);
  const { tool, family } = findTool(name, known);
  if (describe) {
    machine.stdout.write(`${tool.description}\n\n${JSON.stringify(tool.schema, null, 2)}\n`);
    return EXIT.done;
  }
  const args = await argumentsOf(name, given, machine);
  const ended = await runOne(
    workspace,
    family,
    { name, args },
    additionsOf(run).filter(({ servesTools }) => servesTools),
  );
  machine.stdout.write(`${ended.output}\n`);
  return ended.isError ? EXIT.failed : EXIT.done;
};

async function runOne(
  workspace: SessionWorkspace,
  profile: FamilyName,
  { name, args }: { readonly name: string; readonly args: Record<string, unknown> },
  additions: readonly AdditionEntry[],
) {
  let ended = { output: "", isError: true };
  const request: SessionRequest = {
    model: FIXED_MODEL,
    adapter: fixedAnswers(FIXED_MODEL.provider, [{ call: { name, args } }, { text: "done" }]),
    opened: memoryJournal(workspace),
    profile,
    additions,
    loadedTools: [name],
    limits: {},
    onEvent: (event) => {
      if (event.kind === "tool_call_end")
        ended = { output: event.data.error ?? event.data.output ?? "", isError: event.data.is_error };
    },
  };
  return withSession(workspace, request, async ({ session }) => {
    await session.submit("run the tool");
    const sent = session.history.find((turn) => turn.kind === "tool_results")?.results[0]?.content;
    // The event has the whole text while the model gets it truncated; an image, however, is shorter in the event.
    return sent !== undefined && sent.length < ended.output.length ? { ...ended, output: sent } : ended;
  });
}

async function argumentsOf(
  name: string,
  given: string | undefined,
  machine: Machine,
): Promise<Record<string, unknown>> {
  const text = given === "-" ? (await readPiped(machine)).toString("utf8") : (given ?? "{}");
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw usageError(`The arguments of ${name} are not valid JSON: ${(error as Error).message}.`);
  }
  throw usageError(`The arguments of ${name} must be a JSON object, for example '{"file_path": "README.md"}'.`);
}

type KnownTools = readonly { readonly family: FamilyName; readonly tools: readonly ToolDef[] }[];

/** The tools of each profile, or of the requested one, as the settings configure them. */
function toolsHere(workspace: SessionWorkspace, { profile }: CliOptions): KnownTools {
  const families = profile === undefined ? (Object.keys(FAMILIES) as FamilyName[]) : [profile as FamilyName];
  return families.map((family) => {
    const { toolRegistry } = profileFor(workspace, { profile: family }, FIXED_MODEL);
    return { family, tools: toolRegistry.tools().filter(({ hidden }) => !hidden) };
  });
}

/** Takes the tool from the first profile that has it. */
function findTool(name: string, known: KnownTools): { tool: ToolDef; family: FamilyName } {
  for (const { family, tools } of known) {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool) return { tool, family };
  }
  const names = namesOf(known);
  const guess = nearest(name, names);
  throw usageError(`Unknown tool "${name}".${guess ? ` Did you mean ${guess}?` : ""} Available: ${names.join(", ")}.`);
}

const namesOf = (known: KnownTools): string[] => [
  ...new Set(known.flatMap(({ tools }) => tools.map(({ name }) => name))),
];
