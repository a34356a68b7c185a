// What a verdict is made of, and the words that all judges use.

import type { Decision, Rule } from "./rule.ts";
import { isInside, type SensitivePlaces } from "./sensitive-paths.ts";

/** Modes by name; docs/permissions.md says what each permits. */
export const PERMISSION_MODES = ["read-only", "ask", "auto-edit", "full", "plan"] as const;
/** What may happen without asking. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** Where the work is done, and where the person's own files are. */
export interface Places extends SensitivePlaces {
  /** Directories that may be written to: real paths, the working directory first. */
  readonly roots: readonly string[];
}

/** All that a verdict depends on besides the call. */
export interface Policy {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly places: Places;
  /** Commands run confined to the roots. */
  readonly isSandboxed?: boolean | undefined;
  /** The one file that may be written while planning: a real path. */
  readonly planFile?: string | undefined;
  /** Why this address may not be read without a question; undefined: it was shown. Absent: none was shown. */
  readonly notShown?: ((url: string) => string | undefined) | undefined;
}

/** Inside, a part also knows how it can be allowed, and whether its reason is news to a person. */
export interface PartVerdict {
  readonly decision: Decision;
  readonly reason: string;
  readonly rule?: Rule;
  readonly allowWith?: string;
  /** The mode alone says so: no reason worth showing. */
  readonly isPlain?: boolean;
}

/** The option that allows everything. */
export const FULL = "--permission-mode full";
export const AUTO_EDIT = "--permission-mode auto-edit";
export const ADD_DIR = "--add-dir <dir>";
/** Options that allow more, the narrowest first. */
export const WAYS: readonly string[] = [ADD_DIR, AUTO_EDIT, FULL];

export const FULL_ALLOWS: PartVerdict = { decision: "allow", reason: "Mode full asks about nothing.", isPlain: true };

/** What the first rule of this kind says. */
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

/** Why a mode permits nothing of what changes something. `why`: what keeps a command from being known to change nothing. */
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
