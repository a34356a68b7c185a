// The session's permissions: the mode in force, what a person has allowed permanently, and what was denied because nobody could
// be asked, so that the run can say so at its end.

import type { ApprovalVerdict, CallInfo, Middleware } from "@lathe/agent";
import { FULL, judge, type PermissionMode, type Places, staysInside, type Verdict, WAYS } from "./judge.ts";
import { isCredentialFile, searchesCredentials } from "./sensitive-paths.ts";

export interface DeniedCall {
  readonly callId: string;
  readonly tool: string;
  /** Ends with the option that would have allowed it. */
  readonly reason: string;
}

type AskedCall = { readonly tool: string } & Pick<CallInfo, "tier" | "access">;

const wouldAllow = (option: string): string => `It would be allowed with ${option}.`;

/** One option that would have allowed all calls that were denied for these reasons. */
export function allowedWith(reasons: readonly string[]): string {
  return WAYS.find((way) => reasons.every((reason) => reason.endsWith(wouldAllow(way)))) ?? FULL;
}

/** Who denies a call that only a person could have allowed; also in the journal. */
export const UNATTENDED = "the unattended run";

export class Permissions {
  mode: PermissionMode;
  /** Calls that were denied because nobody could be asked. */
  readonly denied: DeniedCall[] = [];
  readonly #canAsk: boolean;
  #places: Places;
  /** Tools that need no further question inside the roots. */
  readonly #always = new Set<string>();

  constructor(options: { readonly mode: PermissionMode; readonly canAsk: boolean; readonly places: Places }) {
    this.mode = options.mode;
    this.#canAsk = options.canAsk;
    this.#places = options.places;
  }

  middleware(): Middleware {
    return { name: "permissions", approve: (call) => this.#approve(call) };
  }

  /** From now on calls of this tool run unasked, as long as they stay inside the roots and off sensitive files. */
  allowAlways(tool: string): void {
    this.#always.add(tool);
  }

  /** Directories that may be written to: real paths. */
  get roots(): readonly string[] {
    return this.#places.roots;
  }

  /** Another directory that may be written to: a real path. */
  addRoot(path: string): void {
    this.#places = { ...this.#places, roots: [...this.#places.roots, path] };
  }

  forgetAlways(): void {
    this.#always.clear();
  }

  /** Whether a person has allowed calls like this one permanently. */
  isAlwaysAllowed(call: AskedCall): boolean {
    return this.#always.has(call.tool) && this.canAllowAlways(call);
  }

  /** Whether `allowAlways` has an effect on calls like this one. */
  canAllowAlways(call: AskedCall): boolean {
    return staysInside(call, this.#places);
  }

  /** The files that a search here does not look into; undefined when it may look into all. */
  leftOutOfSearch(root: string, filter: string | undefined): ((path: string) => boolean) | undefined {
    const places = this.#places;
    if (this.mode === "full" || isCredentialFile(root, places) || searchesCredentials(root, filter, places))
      return undefined;
    return (path) => isCredentialFile(path, places);
  }

  #approve(call: CallInfo): ApprovalVerdict {
    const verdict = judge(this.mode, call, this.#places);
    if (verdict.decision !== "ask") return { ...answerOf(verdict), by: `mode ${this.mode}` };
    if (this.isAlwaysAllowed({ tool: call.tool.name, tier: call.tier, access: call.access })) {
      return { decision: "allow", by: "always" };
    }
    return this.#canAsk ? answerOf(verdict) : this.#deny(call, verdict);
  }

  #deny(call: CallInfo, { reason: why, allowWith = FULL }: Verdict): ApprovalVerdict {
    const parts = [
      `${call.tool.name} needs permission (${call.tier}) and nobody can be asked here.`,
      ...(why === undefined ? [] : [why]),
      wouldAllow(allowWith),
    ];
    const reason = parts.join(" ");
    this.denied.push({ callId: call.callId, tool: call.tool.name, reason });
    return { decision: "deny", by: UNATTENDED, reason };
  }
}

function answerOf({ decision, reason }: Verdict): { decision: Verdict["decision"]; reason?: string } {
  return reason === undefined ? { decision } : { decision, reason };
}
