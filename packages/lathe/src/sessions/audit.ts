// The decisions about the calls of a session, by whom and why, from the journal. The decisions of subagents are in
// their own journals and are shown with the subagent's id.

import type { Journal } from "@lathe/agent";
import type { DecisionLine } from "@lathe/agent/contract";
import { callsIn } from "./call-results.ts";
import { visible } from "./visible.ts";

export interface AuditRow {
  readonly timestamp: string;
  readonly callId: string;
  readonly tool: string;
  /** The arguments from the model, shortened. */
  readonly call: string;
  readonly decision: "allow" | "deny";
  readonly by: string;
  readonly reason?: string;
  readonly asked?: string;
  readonly remembered?: readonly string[];
  readonly parts?: DecisionLine["parts"];
}

type AuditReader = Pick<Journal, "entryIds" | "meta" | "entry" | "outside">;

export function auditOf(journal: AuditReader): AuditRow[] {
  const calls = new Map<string, { readonly tool: string; readonly call: string }>();
  for (const id of journal.entryIds()) {
    for (const { id: callId, name, arguments: given } of callsIn(journal, id))
      calls.set(callId, { tool: name, call: shorten(JSON.stringify(given)) });
  }
  return [...journal.outside("decision")].map(({ type: _type, ...line }) => ({
    ...line,
    ...(calls.get(line.callId) ?? { tool: commandOf(line.callId), call: "" }),
  }));
}

/** Commands of a host have a name in place of a call id. */
const commandOf = (callId: string): string => /^unattended:(.+)$/.exec(callId)?.[1] ?? "";

const MOST_CHARACTERS = 300;
const shorten = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);

/** One paragraph per decision: the decision itself, then each part of it. */
export function* auditText(rows: readonly AuditRow[]): IterableIterator<string> {
  if (rows.length === 0) yield "No decisions were made in this session.\n";
  for (const row of rows) yield `${visible(rowText(row))}\n`;
}

function rowText({
  timestamp,
  tool,
  call,
  decision,
  by,
  reason,
  asked,
  parts = [],
  remembered = [],
}: AuditRow): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return [
    `${timestamp}  ${decision}  ${tool}  by ${by}${why}`,
    ...(call === "" ? [] : [`    ${call}`]),
    ...(asked === undefined || asked === "" ? [] : [`    asked because: ${asked}`]),
    ...parts.map((part) => `    ${part.decision}  ${part.tier}  ${part.what}  ${part.reason}`),
    ...(remembered.length === 0 ? [] : [`    remembered: ${remembered.join(", ")}`]),
  ].join("\n");
}
