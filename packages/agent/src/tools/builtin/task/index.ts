// The tool that gives tasks to agents in batches. The host lists the kinds of agents when it makes the tool; the list
// is part of the description, and so of the cached prefix.

import { flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { BatchReport, BatchTask } from "../../../contract/subagents.ts";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, countOf, markdown, verbOf } from "../card.ts";
import { AGENT_OUTPUT } from "../output.ts";
import { agentAccess } from "../spawn-agent/index.ts";
import description from "./description.md";
import { factsOf, type RecordLimits } from "./records.ts";

const id = optional(text("Its name: letters, digits, _ and -, 48 at most. Made up when absent"));
const about = optional(text("The task in a few words, for the person watching"));
const assignment = text();
const isolated = optional(flag("It works on a copy of the files; its changes are merged when it has finished"));
const race = optional(
  integer({
    description: "N agents work on one task, each on a copy; the first whose work passes verify is merged",
    minimum: 2,
    maximum: 8,
  }),
);
const verify = optional(text("With race: the shell command that must succeed before work is merged"));
const agent = text("A kind of agent");
const context = text();

const single = { agent, assignment, id, description: about, isolated, race, verify, context: optional(context) };
const all = {
  agent,
  context: optional(context),
  tasks: optional(listOf(object({ id, description: about, assignment, isolated }), { minItems: 1 })),
  // A call in the single-task form is accepted as well.
  assignment: optional(assignment),
  id,
  description: about,
  isolated,
  race,
  verify,
  schema: optional(text("Not supported")),
};
type Args = StaticFields<typeof all>;

/** What the tool `task` of a session offers. */
export interface TaskToolOptions {
  /** The kinds of agents, as described to the model. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  /** Whether the tool takes several `tasks`; otherwise a single one. */
  readonly batch?: boolean | undefined;
  /** Whether agents may work in isolated copies. */
  readonly isolation?: boolean | undefined;
  readonly records?: RecordLimits | undefined;
}

/** Makes the tool that gives tasks to agents. */
export function taskTool({ agents, batch = true, isolation = false, records }: TaskToolOptions): ToolDef {
  const kinds = agents.map(({ name, description: what }) => `- ${name}: ${what}`);
  const tool: ToolDef<Args> = {
    name: "task",
    feature: "agents",
    label: "Agents",
    description: `${description.trim()}\n\nKinds of agents:\n${kinds.join("\n")}`,
    schema: schemaFor(batch, isolation),
    tier: "exec",
    replay: "never",
    sessionOnly: true,
    // Agents have their own deadlines, and a call that waits for them has none.
    timeoutMs: 0,
    needs: ["subagents"],
    output: { ...AGENT_OUTPUT, chars: 60_000 },
    access: async (args, scope) =>
      (await Promise.all(batchTasks(args).map((one) => agentAccess(one.assignment, undefined, scope)))).flat(),
    summary: (args) => `${args.agent}: ${titlesOf(args)}`,
    card: (args, result) => ({
      verb: verbOf(["Starting", "Started", "Start"], result),
      subject: subjectOf(args),
      body: result ? markdown(result.isError ? result.text : forPeople(result.text), COLLAPSED_LINES) : undefined,
    }),
    execute: (args, context) => run(args, context, records),
  };
  return tool as unknown as ToolDef;
}

function schemaFor(batch: boolean, isolation: boolean): ToolDef["schema"] {
  const { isolated: _apart, race: _race, verify: _verify, ...plain } = single;
  if (!batch) return object(isolation ? single : plain);
  const task = { id, description: about, assignment, ...(isolation ? { isolated } : {}) };
  const tasks = listOf(object(task), { description: "One for each agent", minItems: 1 });
  // Not required by the schema, because the single-task form is accepted too; the tool itself reports what is missing.
  const apart = isolation ? { race, verify } : {};
  return { ...object({ agent, context, tasks, ...apart }), required: ["agent"], additionalProperties: true };
}

/** The tasks of a call in either form. */
function batchTasks({
  tasks,
  assignment: only,
  id: name,
  description: what,
  isolated: apart,
}: Args): readonly BatchTask[] {
  if (tasks) return tasks;
  return only === undefined ? [] : [{ assignment: only, id: name, description: what, isolated: apart }];
}

const titlesOf = (args: Args): string =>
  batchTasks(args)
    .map(({ description: what, id: name, assignment: task }) => what ?? name ?? task)
    .join("; ");

function subjectOf(args: Args): string {
  const count = countOf(batchTasks(args).length, `${args.agent} agent`);
  return batchTasks(args).length === 1 ? `${count}: ${titlesOf(args)}` : count;
}

/** The list of started agents, or their results, without the parts meant for the model. */
function forPeople(text: string): string {
  return text
    .replace(/^<agent_result id="(.*?)".* status="(\w+)">$/gm, "**$1** $2:")
    .replace(
      /^(<\/agent_result>|SYSTEM WARNING: .*|\[.* its transcript is at history:\S+\]|Spawned \d+ background .*|Each result will .*)\n?/gm,
      "",
    )
    .trim();
}

async function run(
  args: Args,
  { services, callId, signal }: ToolContext,
  limits: RecordLimits | undefined,
): Promise<ToolResult | string> {
  if (args.schema !== undefined)
    throw new ToolFailure("schema is not supported: the kind of agent says what its output looks like. Omit it.");
  if (args.tasks && args.assignment !== undefined) throw new ToolFailure("Give tasks, or one assignment, not both.");
  if (args.tasks && (args.context ?? "").trim() === "")
    throw new ToolFailure("context is empty. Say what all of the agents should know.");
  const subagents = services.subagents!;
  const batch = await subagents.spawnBatch({
    callId,
    agent: args.agent,
    context: args.context,
    tasks: batchTasks(args),
    race: args.race,
    verify: args.verify,
  });
  if (batch.isReported)
    return { content: [{ kind: "text", text: startedText(args.agent, batch) }], ...factsOf(batch, limits) };
  const reports = await Promise.all(batch.started.map(({ agentId }) => subagents.wait(agentId, signal)));
  const lines = [...reports.map((report) => subagents.textOf(report)), ...failures(batch)];
  return { content: [{ kind: "text", text: lines.join("\n\n") }], ...factsOf({ ...batch, started: reports }, limits) };
}

function startedText(kind: string, batch: BatchReport): string {
  const { started } = batch;
  const [first] = started;
  const head =
    started.length === 1 && first
      ? `Spawned agent ${first.agentId} (${kind}).`
      : `Spawned ${started.length} background agents using ${kind}.`;
  const list = started.map(({ agentId, description: what }) => `- ${agentId}${what === undefined ? "" : `: ${what}`}`);
  const rest = started.length === 0 ? [] : ["Each result will reach you as a message."];
  return [head, ...list, ...failures(batch), ...rest].join("\n");
}

const failures = ({ failed }: BatchReport): string[] =>
  failed.map(({ agentId, why }) => `${agentId} was not started: ${why}`);
