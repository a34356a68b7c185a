// A session without users: its declaration limits what it spends and what its calls may do. It applies to every session
// of the run, so that a new session gets no new budget. Each decision is a line of the journal.

import type { BudgetConfig, Session } from "@lathe/agent";
import { limitText } from "@lathe/agent/base";
import type { OpenSession } from "../session-contract.ts";
import type { ReadDeclaration, UnattendedScope } from "./declaration.ts";

/** A limit of 0 means no limit, so an exhausted budget keeps a tiny rest. */
const NOTHING_LEFT = 1e-9;
type Dimension = "tokens" | "calls" | "usd";
type Amounts = Readonly<Record<Dimension, number>>;

/** Why a command is refused. */
export interface CommandRefusal {
  readonly code: "scope_denied" | "budget_exhausted";
  readonly message: string;
  readonly scope: UnattendedScope;
}

interface UnattendedDeps {
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
  /** Called when the run has reached a limit. */
  readonly onStop: (dimension: Dimension | "wall_time", message: string) => void;
}

export class Unattended {
  readonly #read: ReadDeclaration;
  readonly #deps: UnattendedDeps;
  readonly #timer: { cancel(): void };
  #session: Session | undefined;
  #before: Amounts = { tokens: 0, calls: 0, usd: 0 };
  readonly #declared: Amounts;
  /** What was left when the present session began. */
  #limits: Amounts;
  /** Set when a limit was reached: why no more work is accepted. */
  #over: string | undefined;

  constructor(read: ReadDeclaration, deps: UnattendedDeps) {
    const { max_tokens, max_tool_calls, max_wall_time_ms, max_cost_usd } = read.declaration.budget;
    this.#read = read;
    this.#deps = deps;
    this.#declared = { tokens: max_tokens, calls: max_tool_calls, usd: max_cost_usd };
    this.#limits = this.#declared;
    this.#timer = deps.setTimer(() => this.#endTime(max_wall_time_ms), max_wall_time_ms);
  }

  /** Applies the declaration to the session that is now the present one. */
  enter({ session, permissions }: OpenSession): void {
    if (this.#session) this.#limits = this.#remaining();
    this.#session = session;
    this.#before = usedBy(session);
    const { budget } = session.config;
    const boundFor = (dimension: Dimension): number => {
      const declared = this.#before[dimension] + Math.max(NOTHING_LEFT, this.#limits[dimension]);
      return Math.min(budget[dimension] || Number.POSITIVE_INFINITY, declared);
    };
    const bounds: BudgetConfig = {
      ...budget,
      tokens: boundFor("tokens"),
      usd: boundFor("usd"),
      calls: boundFor("calls"),
    };
    session.config.budget = bounds;
    permissions.narrowTo(this.#read.rules, this.#read.readsByShell);
    this.#note("allow", "negotiate_unattended", `declared by ${this.#read.declaration.actor}`);
  }

  /** Undefined: the command may run. */
  judge(command: string, scope: UnattendedScope): CommandRefusal | undefined {
    const refusal = this.#refusal(command, scope);
    this.#note(refusal ? "deny" : "allow", command, refusal?.message ?? `scope ${scope}`);
    return refusal;
  }

  #refusal(command: string, scope: UnattendedScope): CommandRefusal | undefined {
    if (!this.#read.declaration.scopes.includes(scope)) {
      const message = `${command} needs the scope ${scope}, which the declaration does not list.`;
      return { code: "scope_denied", message, scope };
    }
    if (scope !== "prompt") return undefined;
    const spent = this.#over ?? this.#exhaustedText();
    return spent === undefined ? undefined : { code: "budget_exhausted", message: spent, scope };
  }

  /** Called when the session reports that a limit ended its work. */
  noteLimit(message: string): void {
    const remaining = this.#remaining();
    const dimensions: readonly Dimension[] = ["tokens", "calls", "usd"];
    const share = (dimension: Dimension): number => remaining[dimension] / this.#limits[dimension];
    const dimension = dimensions.reduce((least, one) => (share(one) < share(least) ? one : least));
    this.#over = this.#usedUpText(dimension);
    this.#note("deny", dimension, message);
    this.#deps.onStop(dimension, message);
  }

  close(): void {
    this.#timer.cancel();
  }

  #endTime(ms: number): void {
    const message = `The declared time limit of ${limitText("wallMs", ms)} is over.`;
    this.#over = message;
    this.#note("deny", "wall_time", message);
    this.#deps.onStop("wall_time", message);
    void this.#session?.interrupt();
  }

  #exhaustedText(): string | undefined {
    const left = this.#remaining();
    const dimension = (["tokens", "usd"] as const).find((one) => left[one] <= 0);
    return dimension && this.#usedUpText(dimension);
  }

  #usedUpText(dimension: Dimension): string {
    return `The declared limit of ${limitText(dimension, this.#declared[dimension])} is used up.`;
  }

  #remaining(): Amounts {
    const used = this.#session ? usedBy(this.#session) : this.#before;
    const left = (dimension: Dimension): number =>
      this.#limits[dimension] - (used[dimension] - this.#before[dimension]);
    return { tokens: left("tokens"), calls: left("calls"), usd: left("usd") };
  }

  #note(decision: "allow" | "deny", what: string, reason: string): void {
    const by = "the unattended declaration";
    this.#session?.journal.write({ type: "decision", callId: `unattended:${what}`, decision, by, reason });
  }
}

function usedBy({ spent, usage: { uncertain } }: Session): Amounts {
  return { tokens: spent.tokens + uncertain.tokens, calls: spent.calls, usd: spent.usd + uncertain.usd };
}
