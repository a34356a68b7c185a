// What may happen without asking: a pure function of the mode, what a call declares, and where things are. Each thing that
// the call touches is decided on its own; deny beats ask beats allow.

import type { Access, Tier } from "@lathe/agent";
import {
  isCredentialFile,
  isInside,
  isProtected,
  type SensitivePlaces,
  searchesCredentials,
} from "./sensitive-paths.ts";

export const PERMISSION_MODES = ["read-only", "ask", "auto-edit", "full", "plan"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export interface Places extends SensitivePlaces {
  /** Directories that may be written to: real paths. */
  readonly roots: readonly string[];
}

export interface JudgedCall {
  readonly tier: Tier;
  /** Undefined: the tool does not say what it touches. */
  readonly access: readonly Access[] | undefined;
}

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** The option that would have allowed it. */
  readonly allowWith?: string;
}

export const FULL = "--permission-mode full";
const AUTO_EDIT = "--permission-mode auto-edit";
const ADD_DIR = "--add-dir <dir>";
/** Options that allow more, the narrowest first. */
export const WAYS: readonly string[] = [ADD_DIR, AUTO_EDIT, FULL];

const ALLOW: Verdict = { decision: "allow" };
const RANK = { allow: 0, ask: 1, deny: 2 };

export function judge(mode: PermissionMode, call: JudgedCall, places: Places): Verdict {
  if (mode === "full") return ALLOW;
  return items(call)
    .map((item) => judgeItem(mode, item, places))
    .reduce((strongest, verdict) => (weight(verdict) > weight(strongest) ? verdict : strongest), ALLOW);
}

/** Of two questions the one whose answer takes the wider option: what allows it allows the other as well. */
function weight({ decision, allowWith }: Verdict): number {
  return RANK[decision] * (WAYS.length + 1) + (allowWith === undefined ? 0 : WAYS.indexOf(allowWith));
}

/** True when all that the call touches is inside the roots and nothing of it is sensitive. */
export function staysInside(call: JudgedCall, places: Places): boolean {
  if (call.access === undefined) return false;
  return items(call).every((item) => isHarmless(item, places));
}

function isHarmless(item: Item, places: Places): boolean {
  switch (item.kind) {
    case "undeclared":
      return false;
    case "read":
      return !readsCredentials(item, places);
    case "write":
      return isInRoots(item.path, places) && !isProtected(item.path, places);
    case "exec":
      return isInRoots(item.cwd, places);
    case "network":
      return true;
    case "address":
      return !item.write;
  }
}

type AskingMode = Exclude<PermissionMode, "full">;
type Item = Access | { readonly kind: "undeclared"; readonly tier: Tier };

/** A tier that nothing declared stands for stays a question of its own: what is not said is not harmless. */
function items({ tier, access }: JudgedCall): readonly Item[] {
  if (tier === "read") return access ?? [];
  const isDeclared = access?.some((item) => tierOf(item) === tier) ?? false;
  return isDeclared ? (access ?? []) : [...(access ?? []), { kind: "undeclared", tier }];
}

function tierOf(item: Access): Tier {
  if (item.kind === "address") return item.write ? "write" : "read";
  return item.kind;
}

function judgeItem(mode: AskingMode, item: Item, places: Places): Verdict {
  switch (item.kind) {
    case "read":
      return readsCredentials(item, places) ? ask(`${item.path} may hold keys or passwords.`, FULL) : ALLOW;
    case "write":
      return inMode(mode, (asking) => judgeWrite(item.path, asking, places));
    case "address":
      if (!item.write) return ALLOW;
      return inMode(mode, () => ask(`${item.url} is written by its provider, outside Lathe's control.`, FULL));
    case "exec":
    case "network":
      return inMode(mode, () => ask(undefined, FULL));
    case "undeclared":
      return inMode(mode, () => ask("The tool does not say what it will touch.", FULL));
  }
}

function readsCredentials(item: Access & { kind: "read" | "write" }, places: Places): boolean {
  if (isCredentialFile(item.path, places)) return true;
  return "search" in item && searchesCredentials(item.path, item.filter, places);
}

function judgeWrite(path: string, mode: "ask" | "auto-edit", places: Places): Verdict {
  if (isProtected(path, places)) return ask(`A change to ${path} can make programs run later.`, FULL);
  // Where edits are asked about as well, another directory alone would not be enough.
  if (!isInRoots(path, places))
    return ask(`${path} is outside the working directory.`, mode === "auto-edit" ? ADD_DIR : FULL);
  return mode === "auto-edit" ? ALLOW : ask(undefined, AUTO_EDIT);
}

/** In modes that change nothing there is nothing to ask about. */
function inMode(mode: AskingMode, otherwise: (mode: "ask" | "auto-edit") => Verdict): Verdict {
  switch (mode) {
    case "read-only":
      return { decision: "deny", reason: "This session is read-only: nothing may be changed or run." };
    case "plan":
      return {
        decision: "deny",
        reason: "Plan mode is on: explore and propose a plan before you change anything.",
      };
    case "ask":
    case "auto-edit":
      return otherwise(mode);
  }
}

const ask = (reason: string | undefined, allowWith: string): Verdict => ({
  decision: "ask",
  allowWith,
  ...(reason === undefined ? {} : { reason }),
});

const isInRoots = (path: string, { roots }: Places): boolean => roots.some((root) => isInside(path, root));
