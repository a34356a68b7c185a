// What may happen without asking, by tool tier. A call that needs a question is put to whoever can answer; where nobody can,
// it is denied and remembered, so that the run can say so at its end.

import { posix } from "node:path";
import type { ApprovalVerdict, CallInfo, ExecutionEnvironment, Middleware } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";

export type PermissionMode = "read-only" | "ask" | "auto-edit" | "full" | "plan";

export interface DeniedCall {
  readonly callId: string;
  readonly tool: string;
  readonly reason: string;
}

/** Who denied a call that only a person could have allowed. */
export const NOBODY = "nobody to ask";

export class Permissions {
  mode: PermissionMode;
  /** Calls that were denied because nobody could be asked. */
  readonly denied: DeniedCall[] = [];
  readonly #canAsk: boolean;
  readonly #roots: readonly string[];
  readonly #env: Pick<ExecutionEnvironment, "resolve">;

  constructor(options: {
    readonly mode: PermissionMode;
    readonly canAsk: boolean;
    readonly roots: readonly string[];
    readonly env: Pick<ExecutionEnvironment, "resolve">;
  }) {
    this.mode = options.mode;
    this.#canAsk = options.canAsk;
    this.#roots = options.roots;
    this.#env = options.env;
  }

  middleware(): Middleware {
    return { name: "permissions", approve: (call) => this.#judge(call) };
  }

  #judge(call: CallInfo): ApprovalVerdict {
    const verdict = decide(this.mode, call.tier, this.#insideRoots(call.args));
    if (verdict.decision !== "ask") return { ...verdict, by: `mode ${this.mode}` };
    if (this.#canAsk) return verdict;
    const reason = `${call.tool.name} needs permission (${call.tier}) and nobody can be asked here; --permission-mode full would allow it`;
    this.denied.push({ callId: call.callId, tool: call.tool.name, reason });
    return { decision: "deny", by: NOBODY, reason };
  }

  #insideRoots(args: JsonObject): boolean {
    return pathsIn(args).every((path) => {
      const absolute = this.#env.resolve(path);
      return this.#roots.some((root) => absolute === root || absolute.startsWith(`${root === "/" ? "" : root}/`));
    });
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

/** Files a write call names: path arguments, and the headers inside a patch. */
function pathsIn(args: JsonObject): string[] {
  const paths: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== "string") continue;
    if (/^(file_)?path$/.test(name)) paths.push(value);
    for (const match of value.matchAll(/^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$/gm))
      paths.push(match[1] ?? "");
    for (const match of value.matchAll(/^\[([^\]\n#]+)(?:#[0-9A-F]+)?\]\s*$/gm)) paths.push(match[1] ?? "");
  }
  return paths.map((path) => posix.normalize(path));
}
