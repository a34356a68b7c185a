// What a session's file says of verifications: one entry for each, written when it is over, so that a process that continues the session
// finds what was proven, and for which files.

import type { Journal, Session } from "@lathe/agent";
import type { Verification, WorkVerdict } from "@lathe/agent/contract";
import type { RunOf } from "@lathe/agent/verify";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { VERIFICATION_ENTRY } from "../../sessions/verdict.ts";

/** A check that ran. */
export interface RanCheck {
  readonly command: string;
  readonly of: RunOf;
  readonly exitCode: number;
  readonly outputDigest: string;
  readonly durationMs: number;
}

/** One verification, as its entry has it. */
export interface Evidence extends Verification {
  /** When the work began: entries about the same work have the same. */
  readonly since: number;
  /** The files that were verified: a digest. */
  readonly tree: string;
  /** SHA-256 of the answer that the model stopped with. */
  readonly answer: string;
  /** The entry of that answer: one that is verified again after a kill is no second round. */
  readonly answerId?: string;
  readonly checks: readonly RanCheck[];
  readonly covered: readonly string[];
  readonly uncovered: readonly string[];
  /** Tests and configuration that were changed. */
  readonly named: readonly { readonly path: string; readonly fate: string }[];
  readonly ranIn?: string;
  /** The model was asked to go on. */
  readonly sentBack: boolean;
  /** Who accepted work that is not proven, instead of a check. */
  readonly acceptedBy?: string;
  /** The input whose work it was. */
  readonly acceptedInput?: string;
}

const VERDICTS: ReadonlySet<unknown> = new Set<WorkVerdict>(["verified", "failed", "unverified", "none"]);

const isEvidence = (data: unknown): data is Evidence =>
  isJsonObject(data) &&
  VERDICTS.has(data["verdict"]) &&
  Array.isArray(data["reasons"]) &&
  Array.isArray(data["checks"]) &&
  typeof data["tree"] === "string";

/** Checks were watching this session: it may have verdicts, also where it is opened without checks. */
export const hasVerifiedWork = (journal: Pick<Journal, "outside">): boolean =>
  [...journal.outside("host")].some(({ kind }) => kind === "verification_base");

/** Oldest first. */
export const evidenceOf = (session: Pick<Session, "customEntries">): Evidence[] =>
  [...session.customEntries(VERIFICATION_ENTRY)].flatMap(({ data }) => (isEvidence(data) ? [data] : []));

export const writeEvidence = (session: Session, evidence: Evidence): void =>
  void session.facts.write(VERIFICATION_ENTRY, evidence as unknown as JsonObject, { isAnnounced: true });
