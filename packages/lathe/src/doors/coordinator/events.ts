// One record of the event journal: its fields, the limit of its line, and the check on reading. It never holds prompts,
// answers or reports: `payload_ref` names the file that does.

import { createHash } from "node:crypto";
import { parseJson } from "@lathe/llm";
import {
  Checker,
  exactly,
  flag,
  integer,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  type Static,
  text,
} from "@lathe/llm/schema";
import { SCHEMA_VERSION } from "./contract.ts";

const KINDS = [
  "session.starting",
  "session.started",
  "session.registered",
  "session.failed",
  "turn.queued",
  "turn.active",
  "turn.delivering",
  "turn.delivered",
  "turn.completed",
  "turn.failed",
  "turn.cancelled",
  "turn.superseded",
  "question.opened",
  "question.settled",
  "report.status",
] as const;
export type Kind = (typeof KINDS)[number];

/** Bytes of a line, including its line break. */
const MOST_LINE_BYTES = 4_096;
const MOST_SUMMARY = 200;
const MOST_METADATA = 1_024;

const coordinatorEvent = object({
  schema_version: exactly(SCHEMA_VERSION),
  seq: integer(),
  id: text(),
  timestamp: text(),
  kind: text(),
  session_id: optional(text()),
  turn_id: optional(text()),
  question_id: optional(text()),
  report_id: optional(text()),
  summary: text(),
  payload_ref: optional(text()),
  metadata: optional(mapOf(oneOf(text(), number(), flag()))),
});
export type CoordinatorEvent = Static<typeof coordinatorEvent>;
const EVENT = new Checker(coordinatorEvent, { acceptsUnknown: true });

/** An event to add; number, id and time are assigned when it is written. */
export interface NewEvent {
  readonly kind: Kind;
  readonly session_id?: string;
  readonly turn_id?: string;
  readonly question_id?: string;
  readonly report_id?: string;
  readonly summary: string;
  readonly payload_ref?: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
}

/** The line without its line break. The id is a hash of the event, so it is the same wherever it is read. */
export function lineOf(seq: number, timestamp: string, event: NewEvent): string {
  const id = createHash("sha256")
    .update(`${seq} ${timestamp} ${JSON.stringify(event)}`)
    .digest("hex")
    .slice(0, 16);
  const { summary, metadata, ...rest } = event;
  const bounded =
    metadata && Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, scalar(value)]));
  const line = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    ...{ seq, id: `evt-${id}`, timestamp },
    ...rest,
    summary: cut(summary, MOST_SUMMARY),
    ...(bounded ? { metadata: bounded } : {}),
  });
  if (Buffer.byteLength(line) < MOST_LINE_BYTES) return line;
  throw new Error(`An event of ${event.kind} is longer than ${MOST_LINE_BYTES} bytes.`);
}

const scalar = (value: string | number | boolean): string | number | boolean =>
  typeof value === "string" ? cut(value, MOST_METADATA) : value;

export const cut = (words: string, most: number): string =>
  words.length <= most ? words : `${words.slice(0, most - 1).toWellFormed()}…`;

/** Undefined for a line that is not one of our events; it is skipped. */
export function readEvent(line: string): CoordinatorEvent | undefined {
  const value = parseJson(line);
  return EVENT.fits(value) ? value : undefined;
}
