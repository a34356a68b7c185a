// What the parent's journal says about its children: a line when one starts, an entry when it ends.

import { addUsage, type JsonObject, type Usage } from "@lathe/llm";
import { anything, Checker, choice, flag, number, openObject, optional, text } from "@lathe/llm/schema";
import { NO_AMOUNTS, NO_USAGE, plainUsage, type RequestAmounts } from "../../base/budget/ledger.ts";
import type { ChildHeader, CustomEntry, HostLine, IntentLine, TreeEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import type { AgentReport, AgentStatus } from "../../contract/subagents.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { usageShape } from "../../record/journal/line-shapes.ts";
import type { NewEntry } from "../../record/journal/new-lines.ts";

const LINE_KIND = "agent";
const OUTCOME_TYPE = "agent";
/** The id is the name of the child's journal, so it must not point anywhere else. */
const agentName = text({ pattern: "^[\\w-]+(\\.[\\w-]+)*$", maxLength: 240 });
const STARTED = new Checker(
  openObject({
    agentId: agentName,
    parentSession: text(),
    parentCall: text(),
    cwd: text(),
    for: text(),
    maxTurns: number(),
    model: optional(text()),
    answeredBy: optional(text()),
    agent: optional(text()),
    task: optional(text()),
    input: optional(text()),
    description: optional(text()),
    isReported: optional(flag()),
    isIsolated: optional(flag()),
  }),
);
const ENDED = new Checker(
  openObject({
    agentId: text(),
    status: choice(["running", "completed", "failed"]),
    output: text(),
    turnsUsed: number(),
    usage: usageShape,
    cost: number(),
    turns: number(),
    calls: optional(number()),
    uncertain: optional(openObject({ tokens: number(), usd: number() })),
    isAborted: optional(flag()),
    isUnread: optional(flag()),
    report: optional(text()),
    findings: optional(anything()),
    hasNotYielded: optional(flag()),
    stderr: optional(text()),
    retryFailure: optional(anything()),
    outputPath: optional(text()),
    work: optional(anything()),
    durationMs: optional(number()),
  }),
);

/** What stays the same through all runs of a child. */
export interface AgentFacts {
  readonly header: ChildHeader;
  readonly model: string | undefined;
  /** The kind of agent. */
  readonly agent: string | undefined;
  readonly maxTurns: number;
  /** The beginning of its assignment. */
  readonly task: string;
  readonly description: string | undefined;
  /** Each of its results reaches the parent as a message. */
  readonly isReported: boolean;
  /** It works in an isolated copy, for one input only. */
  readonly isIsolated: boolean;
}

/** How a run ended. */
export interface RunOutcome
  extends Pick<
    AgentReport,
    | "agentId"
    | "output"
    | "turnsUsed"
    | "findings"
    | "hasNotYielded"
    | "durationMs"
    | "stderr"
    | "retryFailure"
    | "outputPath"
    | "work"
  > {
  readonly status: Exclude<AgentStatus, "running">;
  /** The child never read the content that it was given. */
  readonly isUnread?: boolean | undefined;
  /** The child cannot be revived. */
  readonly isAborted?: boolean | undefined;
  /** The id of the message that reports the end to the parent. */
  readonly report?: string | undefined;
}

export interface AgentRecord extends AgentFacts {
  /** The content of the last run; absent if messages of other agents started it. */
  readonly input: string | undefined;
  readonly intent: Pick<IntentLine, "for">;
  readonly outcome: RunOutcome | undefined;
  /** Total of the runs that have an outcome. */
  readonly spent: Spent;
  /** When the last run ended; 0 if it has not. */
  readonly endedAt: number;
}

/** What an agent and its children have spent. */
export interface Spent {
  readonly usage: Usage;
  readonly cost: number;
  readonly turns: number;
  /** Tool calls. */
  readonly calls: number;
  /** What requests that were cut off may have cost in addition. */
  readonly uncertain: RequestAmounts;
}

export const NOTHING_SPENT: Spent = { usage: NO_USAGE, cost: 0, turns: 0, calls: 0, uncertain: NO_AMOUNTS };

/** What a start line contains besides the facts. */
interface StartOfRun {
  /** `provider/id` of the child's model. */
  readonly answeredBy: string;
  readonly input: string | undefined;
}

/** The session whose journal records its children. */
interface RecordingParent {
  readonly journal: Journal;
  append(entry: NewEntry): void;
  /** Returns the value without known secrets. */
  redact<T>(value: T): T;
}

export function recordStart(
  parent: RecordingParent,
  intent: IntentLine,
  child: AgentFacts,
  { answeredBy, input }: StartOfRun,
): void {
  const { header, maxTurns, task, model, agent, description, isReported, isIsolated } = child;
  const data: JsonObject = { ...header, for: intent.for, maxTurns, answeredBy, task };
  if (input !== undefined) data["input"] = input;
  if (model !== undefined) data["model"] = model;
  if (agent !== undefined) data["agent"] = agent;
  if (description !== undefined) data["description"] = description;
  if (isReported) data["isReported"] = true;
  if (isIsolated) data["isIsolated"] = true;
  parent.journal.write({ type: "host", kind: LINE_KIND, data: parent.redact(data) });
}

export function appendOutcome(parent: RecordingParent, id: string, outcome: RunOutcome, spent: Spent): void {
  const { usage, cost, turns, calls, uncertain } = spent;
  const data = {
    ...outcome,
    usage: plainUsage(usage),
    cost,
    turns,
    ...(calls > 0 ? { calls } : {}),
    ...(uncertain.tokens > 0 ? { uncertain: { ...uncertain } } : {}),
  };
  const given = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)) as JsonObject;
  parent.append({ type: "custom", id, customType: OUTCOME_TYPE, data: given });
}

/** The child's output according to the outcome entry. */
export function outputOf(journal: Journal, outcomeId: string): string {
  const outcome = outcomeIn(journal.entry(outcomeId));
  return outcome ? readOutcome(outcome).output : "";
}

/** Name and kind of the agent whose start a journal line records; undefined for other lines. */
export function startedAgent({
  kind,
  data,
}: Pick<HostLine, "kind" | "data">): { readonly agentId: string; readonly agent?: string } | undefined {
  if (kind !== LINE_KIND || !STARTED.fits(data)) return undefined;
  const { agentId, agent } = data as { readonly agentId: string; readonly agent?: string };
  return { agentId, ...(agent === undefined ? {} : { agent }) };
}

/** The last run of each child, oldest first. */
export function knownAgents(parent: { readonly journal: JournalReader }): AgentRecord[] {
  const records = new Map<string, AgentRecord>();
  for (const line of parent.journal.outside("host")) {
    if (line.kind !== LINE_KIND || !STARTED.fits(line.data)) continue;
    const data = line.data as JsonObject;
    const header = {
      agentId: data["agentId"] as string,
      parentSession: data["parentSession"] as string,
      parentCall: data["parentCall"] as string,
      cwd: data["cwd"] as string,
    };
    const outcomeId = data["for"] as string;
    const outcome = parent.journal.has(outcomeId) ? outcomeIn(parent.journal.entry(outcomeId)) : undefined;
    const endedAt = outcome ? Date.parse(outcome.timestamp) : 0;
    const before = records.get(header.agentId)?.spent ?? NOTHING_SPENT;
    records.set(header.agentId, {
      header,
      model: data["model"] as string | undefined,
      agent: data["agent"] as string | undefined,
      maxTurns: data["maxTurns"] as number,
      task: (data["task"] ?? "") as string,
      description: data["description"] as string | undefined,
      isReported: data["isReported"] === true,
      isIsolated: data["isIsolated"] === true,
      input: data["input"] as string | undefined,
      intent: { for: outcomeId },
      outcome: outcome && readOutcome(outcome),
      spent: outcome ? addSpent(before, spentBy(outcome)) : before,
      endedAt,
    });
  }
  return [...records.values()];
}

/**
 * Copies records into `copy`, which has a part of the entries of `source`, for the children that this part knows.
 * Returns until when it knows each of them.
 */
export function copyRecords(
  source: Journal,
  copy: Journal,
): readonly { readonly agentId: string; readonly knownUntil: string | undefined }[] {
  const children = new Map<string, string | undefined>();
  for (const { kind, data } of source.outside("host")) {
    if (kind !== LINE_KIND || !STARTED.fits(data)) continue;
    const { agentId, for: outcomeId } = data as { agentId: string; for: string };
    // A run that has not ended is not in the past yet: the copy will find it interrupted.
    const isRunning = !source.has(outcomeId);
    if (!isRunning && !copy.has(outcomeId)) continue;
    copy.write({ type: "host", kind, data: { ...(data as JsonObject), parentSession: copy.header.id } });
    children.set(agentId, isRunning ? undefined : source.entry(outcomeId).timestamp);
  }
  return [...children].map(([agentId, knownUntil]) => ({ agentId, knownUntil }));
}

export function addSpent(a: Spent, b: Spent = NOTHING_SPENT): Spent {
  return {
    usage: addUsage(a.usage, b.usage),
    cost: a.cost + b.cost,
    turns: a.turns + b.turns,
    calls: a.calls + b.calls,
    uncertain: { tokens: a.uncertain.tokens + b.uncertain.tokens, usd: a.uncertain.usd + b.uncertain.usd },
  };
}

function outcomeIn(entry: TreeEntry): CustomEntry | undefined {
  if (entry.type !== "custom" || entry.customType !== OUTCOME_TYPE) return undefined;
  return ENDED.fits(entry.data) ? entry : undefined;
}

function readOutcome(entry: CustomEntry): RunOutcome {
  return entry.data as unknown as RunOutcome;
}

/** The model of each run of a child, by the id of its outcome entry. */
export function modelsOfChildren(journal: Pick<Journal, "outside">): Map<string, string> {
  const models = new Map<string, string>();
  for (const { kind, data } of journal.outside("host")) {
    if (kind !== LINE_KIND || !STARTED.fits(data)) continue;
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
    calls: (data["calls"] ?? 0) as number,
    uncertain: (data["uncertain"] ?? NO_AMOUNTS) as unknown as RequestAmounts,
  };
}
