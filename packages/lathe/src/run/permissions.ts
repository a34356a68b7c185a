// What may happen without asking, by tool tier. A call that needs a question is put to whoever can answer; where nobody can,
// it is denied and remembered, so that the run can say so at its end.

import type { ApprovalVerdict, CallInfo, ExecutionEnvironment, Middleware } from "@lathe/agent";

export type PermissionMode = "read-only" | "ask" | "auto-edit" | "full" | "plan";

export interface DeniedCall {
  readonly callId: string;
  readonly tool: string;
  readonly reason: string;
}

/** Who denied a call that only a person could have allowed. */
export const NOBODY = "nobody to ask";

/** What lets a call pass that was denied for this reason; one line may have to do for several calls. */
export function allowedWith(reasons: readonly string[]): string {
  const ways = [ADD_DIR, AUTO_EDIT, FULL];
  return ways.find((way) => reasons.every((reason) => reason.endsWith(`${way} would allow it`))) ?? FULL;
}

const FULL = "--permission-mode full";
const AUTO_EDIT = "--permission-mode auto-edit";
const ADD_DIR = "--add-dir <dir>";

export class Permissions {
  mode: PermissionMode;
  /** Calls that were denied because nobody could be asked. */
  readonly denied: DeniedCall[] = [];
  readonly #canAsk: boolean;
  readonly #roots: readonly string[];
  readonly #env: Pick<ExecutionEnvironment, "resolve" | "stat">;

  constructor(options: {
    readonly mode: PermissionMode;
    readonly canAsk: boolean;
    readonly roots: readonly string[];
    readonly env: Pick<ExecutionEnvironment, "resolve" | "stat">;
  }) {
    this.mode = options.mode;
    this.#canAsk = options.canAsk;
    this.#roots = options.roots;
    this.#env = options.env;
  }

  middleware(): Middleware {
    return { name: "permissions", approve: (call) => this.#judge(call) };
  }

  async #judge(call: CallInfo): Promise<ApprovalVerdict> {
    // Where the files are matters to one question only.
    const inside = this.mode === "auto-edit" && call.tier === "write" ? await this.#staysInside(call) : true;
    const verdict = decide(this.mode, call.tier, inside);
    if (verdict.decision !== "ask") return { ...verdict, by: `mode ${this.mode}` };
    if (this.#canAsk) return verdict;
    const way = call.tier !== "write" ? FULL : this.mode === "ask" ? AUTO_EDIT : ADD_DIR;
    const reason = `${call.tool.name} needs permission (${call.tier}) and nobody can be asked here; ${way} would allow it`;
    this.denied.push({ callId: call.callId, tool: call.tool.name, reason });
    return { decision: "deny", by: NOBODY, reason };
  }

  async #staysInside({ args }: CallInfo): Promise<boolean> {
    const { staysInside } = await import("./named-files.ts");
    return staysInside(args, this.#roots, this.#env);
  }
}

interface Verdict {
  readonly decision: "allow" | "deny" | "ask";
  readonly reason?: string;
}

function decide(mode: PermissionMode, tier: CallInfo["tier"], insideRoots: boolean): Verdict {
  if (tier === "read" || mode === "full") return { decision: "allow" };
  switch (mode) {
    case "read-only":
      return { decision: "deny", reason: "This session is read-only: nothing may be changed or run." };
    case "plan":
      return {
        decision: "deny",
        reason: "Plan mode is on: look around and hand in a plan with exit_plan_mode before changing anything.",
      };
    case "auto-edit":
      if (tier === "write" && insideRoots) return { decision: "allow" };
      return { decision: "ask", ...(tier === "write" ? { reason: "The file is outside the working directory." } : {}) };
    case "ask":
      return { decision: "ask" };
  }
}
