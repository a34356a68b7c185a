// The parts of a verdict, and the wording that all judges share.

import type { Decision, Rule } from "./rule.ts";
import { isInside, type SensitivePlaces } from "./sensitive-paths.ts";

/** Modes by name; docs/permissions.md says what each permits. */
export const PERMISSION_MODES = ["read-only", "ask", "auto-edit", "full", "plan"] as const;
/** What may happen without approval. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** Where the session works, and where the user's own files are. */
export interface Places extends SensitivePlaces {
  /** Writable directories: real paths, the working directory first. */
  readonly roots: readonly string[];
}

/** Everything that a verdict depends on besides the call. */
export interface Policy {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly places: Places;
  /** Commands run confined to the roots. */
  readonly isSandboxed?: boolean | undefined;
  /** The only file that may be written while planning: a real path. */
  readonly planFile?: string | undefined;
  /** Why this address may not be read without approval; undefined if it was shown. If absent, no address was shown. */
  readonly notShown?: ((url: string) => string | undefined) | undefined;
}

/** The verdict on one part, with the option that would allow it, and whether its reason is worth showing. */
export interface PartVerdict {
  readonly decision: Decision;
  readonly reason: string;
  readonly rule?: Rule;
  readonly allowWith?: string;
  /** The mode alone decides, so there is no reason worth showing. */
  readonly isPlain?: boolean;
}

/** The option that allows everything. */
export const FULL = "--permission-mode full";
export const AUTO_EDIT = "--permission-mode auto-edit";
export const ADD_DIR = "--add-dir <dir>";
/** Options that allow more, the narrowest first. */
export const WAYS: readonly string[] = [ADD_DIR, AUTO_EDIT, FULL];

export const FULL_ALLOWS: PartVerdict = { decision: "allow", reason: "Mode full asks about nothing.", isPlain: true };

/** The verdict of the first rule of this kind. */
export function ruleVerdict(rules: readonly Rule[], decision: Decision): PartVerdict | undefined {
  const rule = rules.find((candidate) => candidate.decision === decision);
  if (!rule) return undefined;
  const said = { allow: "allowed", ask: "asked about", deny: "denied" }[decision];
  return {
    decision,
    rule,
    reason: `It is ${said} by the rule ${rule.text} (${rule.origin}).`,
    ...(decision === "ask" ? { allowWith: FULL } : {}),
  };
}

/** Why a mode forbids everything that makes changes. `why`: the reason that a command is not known to be read-only. */
export function forbiddenIn(mode: PermissionMode, why?: string): PartVerdict | undefined {
  if (mode !== "read-only" && mode !== "plan") return undefined;
  const [state, rest] = mode === "plan" ? PLANNING : READ_ONLY;
  const runs = `only commands that are known to change nothing may run, and ${why}`;
  return { decision: "deny", reason: `${state}: ${why === undefined ? rest : runs}.` };
}

const READ_ONLY = ["This session is read-only", "nothing may be changed or run"] as const;
const PLANNING = ["Plan mode is on", "explore and propose a plan before you change anything"] as const;

export const ask = (reason: string, allowWith: string): PartVerdict => ({ decision: "ask", allowWith, reason });

export const plainAsk = (reason: string, allowWith: string): PartVerdict => ({
  ...ask(reason, allowWith),
  isPlain: true,
});

export const isInRoots = (path: string, { roots }: Places): boolean => roots.some((root) => isInside(path, root));
