import { JOURNAL_VERSION, type SessionHeader } from "../../contract/journal.ts";

/** The header of a new session; version and time are filled in. */
export type NewHeader = Omit<SessionHeader, "type" | "version" | "timestamp"> & { readonly timestamp?: string };

const OPTIONAL = ["title", "titleSource", "parentSession", "parentCall", "agentId", "runId", "runDigest"] as const;

/** Copies only the known fields: whatever else a host has in its configuration (keys) never reaches the file. */
export function newHeader(fields: NewHeader, now: string): SessionHeader {
  const optional = OPTIONAL.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]]));
  const { id, cwd, timestamp = now } = fields;
  return { type: "session", version: JOURNAL_VERSION, id, timestamp, cwd, ...Object.fromEntries(optional) };
}
