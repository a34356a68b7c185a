// What the parent's journal says about its children: a line when one starts, an entry when it ends.

import { addUsage, type JsonObject, type Usage } from "@lathe/llm";
import { NO_USAGE, plainUsage } from "../budget/ledger.ts";
import type { AgentReport, AgentStatus } from "../contract/subagents.ts";
import type { Journal } from "../journal/journal.ts";
import { usageShape } from "../journal/line-shapes.ts";
import { fields, fits, name, number, oneOf, optional, text } from "../journal/shape.ts";
import type { ChildHeader, CustomEntry, IntentLine, TreeEntry } from "../journal/types.ts";
import type { ParentSession } from "./types.ts";

const LINE_KIND = "agent";
const OUTCOME_TYPE = "agent";
/** The id is the name of the child's journal, so it must not lead anywhere else. */
const STARTED = fields({
  agentId: name,
  parentSession: text,
  parentCall: text,
  cwd: text,
  for: text,
  maxTurns: number,
  model: optional(text),
  answeredBy: optional(text),
  role: optional(text),
});
const ENDED = fields({
  agentId: text,
  status: oneOf("running", "completed", "failed"),
  output: text,
  turnsUsed: number,
  usage: usageShape,
  cost: number,
  turns: number,
});

export interface AgentRecord {
  readonly header: ChildHeader;
  readonly model: string | undefined;
  readonly role: string | undefined;
  readonly maxTurns: number;
  readonly intent: Pick<IntentLine, "for">;
  readonly outcome: AgentReport | undefined;
  /** In the runs that have an outcome, all together. */
  readonly spent: Spent;
}

export interface Spent {
  readonly usage: Usage;
  readonly cost: number;
  readonly turns: number;
}

export const NOTHING_SPENT: Spent = { usage: NO_USAGE, cost: 0, turns: 0 };

/** `answeredBy`: `provider/id` of the model that the child has. */
export function recordStart(
  parent: ParentSession,
  intent: IntentLine,
  child: Pick<AgentRecord, "header" | "model" | "role" | "maxTurns">,
  answeredBy: string,
): void {
  const data: JsonObject = { ...child.header, for: intent.for, maxTurns: child.maxTurns, answeredBy };
  if (child.model !== undefined) data["model"] = child.model;
  if (child.role !== undefined) data["role"] = child.role;
  parent.journal.write({ type: "host", kind: LINE_KIND, data });
}

export function appendOutcome(parent: ParentSession, id: string, report: AgentReport, spent: Spent): void {
  const { usage, cost, turns } = spent;
  parent.append({
    type: "custom",
    id,
    customType: OUTCOME_TYPE,
    data: { ...report, usage: plainUsage(usage), cost, turns },
  });
}

/** The last run of each child, oldest first. */
export function knownAgents(parent: ParentSession): AgentRecord[] {
  const records = new Map<string, AgentRecord>();
  for (const line of parent.journal.outside("host")) {
    if (line.kind !== LINE_KIND || !fits(line.data, STARTED)) continue;
    const data = line.data as JsonObject;
    const header = {
      agentId: data["agentId"] as string,
      parentSession: data["parentSession"] as string,
      parentCall: data["parentCall"] as string,
      cwd: data["cwd"] as string,
    };
    const outcomeId = data["for"] as string;
    const outcome = parent.journal.has(outcomeId) ? outcomeIn(parent.journal.entry(outcomeId)) : undefined;
    const before = records.get(header.agentId)?.spent ?? NOTHING_SPENT;
    records.set(header.agentId, {
      header,
      model: data["model"] as string | undefined,
      role: data["role"] as string | undefined,
      maxTurns: data["maxTurns"] as number,
      intent: { for: outcomeId },
      outcome: outcome && readOutcome(outcome),
      spent: outcome ? add(before, spentBy(outcome)) : before,
    });
  }
  return [...records.values()];
}

/** Lets `copy`, which has a part of the entries of `source`, know the children that this part knows; says until when it does. */
export function copyRecords(
  source: Journal,
  copy: Journal,
): readonly { readonly agentId: string; readonly knownUntil: string | undefined }[] {
  const children = new Map<string, string | undefined>();
  for (const { kind, data } of source.outside("host")) {
    if (kind !== LINE_KIND || !fits(data, STARTED)) continue;
    const { agentId, for: outcomeId } = data as { agentId: string; for: string };
    // A run that has not ended is nobody's past yet: the copy will find it interrupted.
    const isRunning = !source.has(outcomeId);
    if (!isRunning && !copy.has(outcomeId)) continue;
    copy.write({ type: "host", kind, data: { ...(data as JsonObject), parentSession: copy.header.id } });
    children.set(agentId, isRunning ? undefined : source.entry(outcomeId).timestamp);
  }
  return [...children].map(([agentId, knownUntil]) => ({ agentId, knownUntil }));
}

function add(a: Spent, b: Spent = NOTHING_SPENT): Spent {
  return { usage: addUsage(a.usage, b.usage), cost: a.cost + b.cost, turns: a.turns + b.turns };
}

function outcomeIn(entry: TreeEntry): CustomEntry | undefined {
  if (entry.type !== "custom" || entry.customType !== OUTCOME_TYPE) return undefined;
  return fits(entry.data, ENDED) ? entry : undefined;
}

function readOutcome(entry: CustomEntry): AgentReport {
  const data = entry.data as JsonObject;
  return {
    agentId: data["agentId"] as string,
    status: data["status"] as AgentStatus,
    output: data["output"] as string,
    turnsUsed: data["turnsUsed"] as number,
  };
}

/** The model of each run of a child, by the id of its outcome entry. */
export function modelsOfChildren(journal: Pick<ParentSession["journal"], "outside">): Map<string, string> {
  const models = new Map<string, string>();
  for (const { kind, data } of journal.outside("host")) {
    if (kind !== LINE_KIND || !fits(data, STARTED)) continue;
    const { for: outcome, answeredBy } = data as JsonObject;
    if (typeof answeredBy === "string") models.set(outcome as string, answeredBy);
  }
  return models;
}

/** What a child spent, from its outcome entry. */
export function spentBy(entry: CustomEntry): Spent | undefined {
  if (!outcomeIn(entry)) return undefined;
  const data = entry.data as JsonObject;
  return {
    usage: data["usage"] as unknown as Usage,
    cost: data["cost"] as number,
    turns: data["turns"] as number,
  };
}
