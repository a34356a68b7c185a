// The record of verifications in a session's file: one entry per verification, written when it ends, so that a process
// that continues the session knows what was proven, and for which files.

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

/** The content of one verification's entry. */
export interface Evidence extends Verification {
  /** When the work began; entries about the same work share this. */
  readonly since: number;
  /** Digest of the verified files. */
  readonly tree: string;
  /** SHA-256 of the answer at which the model stopped. */
  readonly answer: string;
  /** The entry of that answer. If it is verified again after a kill, that is not a second round. */
  readonly answerId?: string;
  readonly checks: readonly RanCheck[];
  readonly covered: readonly string[];
  readonly uncovered: readonly string[];
  /** Changed tests and configuration. */
  readonly named: readonly { readonly path: string; readonly fate: string }[];
  readonly ranIn?: string;
  /** Whether the model was told to continue. */
  readonly sentBack: boolean;
  /** Who accepted unproven work. */
  readonly acceptedBy?: string;
  /** The input that the work belonged to. */
  readonly acceptedInput?: string;
}

const VERDICTS: ReadonlySet<unknown> = new Set<WorkVerdict>(["verified", "failed", "unverified", "none"]);

const isEvidence = (data: unknown): data is Evidence =>
  isJsonObject(data) &&
  VERDICTS.has(data["verdict"]) &&
  Array.isArray(data["reasons"]) &&
  Array.isArray(data["checks"]) &&
  typeof data["tree"] === "string";

/** Whether checks ever watched this session: then it may have verdicts, even if opened without checks. */
export const hasVerifiedWork = (journal: Pick<Journal, "outside">): boolean =>
  [...journal.outside("host")].some(({ kind }) => kind === "verification_base");

/** Oldest first. */
export const evidenceOf = (session: Pick<Session, "customEntries">): Evidence[] =>
  [...session.customEntries(VERIFICATION_ENTRY)].flatMap(({ data }) => (isEvidence(data) ? [data] : []));

export const writeEvidence = (session: Session, evidence: Evidence): void =>
  void session.facts.write(VERIFICATION_ENTRY, evidence as unknown as JsonObject, { isAnnounced: true });
