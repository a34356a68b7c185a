// `lathe workflow list|show|status`: the available workflows, their moves, and the state of a session.

import type { Journal } from "@lathe/agent";
import { JournalError } from "@lathe/agent";
import type { CustomEntry } from "@lathe/agent/contract";
import { isJsonObject, type JsonValue } from "@lathe/llm";
import { isOver, WORKFLOWS } from "../../additions/workflows/definitions.ts";
import { readWorkflow, WORKFLOW_FACT, type WorkflowState } from "../../additions/workflows/workflow.ts";
import { GATE_ANSWER_FACT, GATE_FACT, type KeptAnswer, type KeptGate } from "../../conversation/gates/gate.ts";
import { BUNDLED_SKILLS } from "../../found/skills/bundled/index.ts";
import { skillsOf } from "../../found/skills/skills.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { findSession, sessionToContinue } from "../../sessions/find.ts";
import { readJournal } from "../../sessions/journals/journal-files.ts";
import { printableLine } from "../../sessions/list.ts";
import { listing, roomOf } from "../../sessions/tables/listing.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const USAGE = "lathe workflow list [--json] | show <name> [--json] | status [session] [--json]";

export const workflowCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "workflow");
  const [verb = "list", name, ...more] = positionals;
  if (more.length > 0) throw usageError(`Use: ${USAGE}`);
  if (verb === "list" && name === undefined) return list(machine, values.json === true);
  if (verb === "show" && name !== undefined) return show(machine, name, values.json === true);
  if (verb === "status") return status(machine, name, values.json === true);
  throw usageError(`Use: ${USAGE}`);
};

/** A skill of the user or the project that has a workflow's name replaces the workflow. */
async function list(machine: Machine, isJson: boolean): Promise<ExitCode> {
  const { stdout } = machine;
  const { skills } = await skillsOf(await new Run(machine).open({}));
  const all = Object.values(WORKFLOWS).map((one) => {
    const own = skills.find(({ name }) => name === one.name);
    return { ...one, ...(own ? { replacedBy: own.source.path } : {}) };
  });
  const rows = all.map(({ name, arguments: takes, description, replacedBy }) => {
    const told = replacedBy === undefined ? description : `not used here: ${replacedBy} has the same name`;
    return [`/skill:${name} ${takes}`, told] as const;
  });
  stdout.write(isJson ? `${JSON.stringify({ workflows: all }, null, 2)}\n` : `${listing(rows, roomOf(stdout))}\n`);
  return EXIT.done;
}

function show({ stdout }: Machine, name: string, isJson: boolean): ExitCode {
  const definition = Object.hasOwn(WORKFLOWS, name) ? WORKFLOWS[name] : undefined;
  if (!definition) {
    const names = Object.keys(WORKFLOWS);
    const guess = nearest(name, names);
    throw usageError(
      `There is no workflow ${printableLine(name)}.${guess ? ` Did you mean ${guess}?` : ""} Available: ${names.join(", ")}.`,
    );
  }
  const text = BUNDLED_SKILLS[name]?.trim() ?? "";
  if (isJson) {
    stdout.write(`${JSON.stringify({ workflow: definition, text }, null, 2)}\n`);
    return EXIT.done;
  }
  const moves = definition.moves.map(({ from, to, needs }) => [`${from} -> ${to}`, needs] as const);
  stdout.write(
    `${name} (version ${definition.version}): ${definition.description}\nBegins at ${definition.start}, ends at ${definition.ends.join(" or ")}.\n\n${listing(moves, roomOf(stdout))}\n\n${text}\n`,
  );
  return EXIT.done;
}

async function status(machine: Machine, session: string | undefined, isJson: boolean): Promise<ExitCode> {
  const workspace = await new Run(machine).open({});
  const path = session === undefined ? sessionToContinue(workspace) : findSession(workspace, session).path;
  if (path === undefined) throw usageError("There is no session in this folder yet. See: lathe sessions list --all");
  const journal = journalAt(() => readJournal(workspace, path));
  const facts = factsOf(journal);
  const state = readWorkflow(facts.get(WORKFLOW_FACT), WORKFLOWS);
  const gate = state && !isOver(state) ? openGate(facts) : undefined;
  const { id } = journal.header;
  if (isJson) {
    const workflow = state && {
      name: state.workflow,
      version: state.version,
      state: state.state,
      isOver: isOver(state),
    };
    machine.stdout.write(
      `${JSON.stringify({ session: id, workflow: workflow ?? null, gate: gate ?? null }, null, 2)}\n`,
    );
  } else machine.stdout.write(`${statusText(state, gate?.context.title, id)}\n`);
  return EXIT.done;
}

function statusText(state: WorkflowState | undefined, question: string | undefined, id: string): string {
  if (!state) return `The session ${id} is not in a workflow.`;
  const head = `${state.workflow}: ${state.state}${isOver(state) ? " (ended)" : ""}`;
  return question === undefined
    ? head
    : `${head}\nIt waits for an answer: ${printableLine(question)}\nContinue: lathe --resume ${id}`;
}

function openGate(facts: ReadonlyMap<string, JsonValue>): KeptGate["gate"] | undefined {
  const kept = facts.get(GATE_FACT) as unknown as KeptGate | undefined;
  const answer = facts.get(GATE_ANSWER_FACT) as unknown as KeptAnswer | undefined;
  return kept && answer?.gate_id !== kept.gate.gate_id ? kept.gate : undefined;
}

/** The latest values on the branch. */
function factsOf(journal: Journal): ReadonlyMap<string, JsonValue> {
  const facts = new Map<string, JsonValue>();
  for (let id = journal.leaf; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta) break;
    if (meta.type === "custom") {
      const { customType, data } = journal.entry(id) as CustomEntry;
      if (!facts.has(customType) && isJsonObject(data)) facts.set(customType, data);
    }
    id = meta.parentId;
  }
  return facts;
}

/** A journal error is about the user's file, and says what to do. */
function journalAt(read: () => Journal): Journal {
  try {
    return read();
  } catch (error) {
    throw error instanceof JournalError ? usageError(error.message) : error;
  }
}
