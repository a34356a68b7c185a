// Two-phase work: a tool shows what it would do and leaves it pending; before anything else happens, the model applies or discards it.
// The guard does not rely on a forced tool choice, which some models refuse: other calls are blocked, and the input does not end.
// What was denied, or not settled when its input ended, is dropped: a later input must not apply what the user has refused or undone.

import type { ToolChoice } from "@lathe/llm";
import type { PendingAction, PendingActionService } from "../../contract/pending-actions.ts";
import type { ToolProvider } from "../../contract/registry/session-tools.ts";
import type { Middleware } from "../../contract/seams/types.ts";
import type { ToolDef } from "../../contract/tool.ts";
import { RESOLVE, resolveTool } from "../builtin/resolve/index.ts";
import pendingText from "./pending.md";

/** A model that does not listen must not be asked for ever. */
const MOST_REMINDERS = 3;

/** What pending actions need of their session. */
export interface PendingActionParts {
  /** Some tool of the session may leave actions pending. */
  readonly isOffered: () => boolean;
  /** Sets the tool choice of the next request; does nothing where the model refuses it. Undefined: takes back what was set. */
  readonly force: (choice: ToolChoice | undefined) => void;
  /** Tells the user. */
  readonly warn: (message: string) => void;
  /** Puts the guard into the session; asked for with the first action, because most sessions have none. */
  readonly guard: (middleware: Middleware) => void;
}

/** The tool `resolve`, its guard and the queue behind them: those of one session. */
export class PendingActions implements PendingActionService, ToolProvider {
  readonly #parts: PendingActionParts;
  readonly #queue: PendingAction[] = [];
  readonly #offer: readonly ToolDef[] = [resolveTool(this) as unknown as ToolDef];
  readonly #nothing: readonly ToolDef[] = [];
  #isGuarded = false;
  #unannounced = 0;
  /** The model has been asked since the action was left pending. */
  #isArmed = false;
  #reminders = 0;
  /** The model has asked to apply it. */
  #wanted: PendingAction | undefined;

  constructor(parts: PendingActionParts) {
    this.#parts = parts;
  }

  push(action: PendingAction): void {
    if (!this.#isGuarded) this.#parts.guard(this.#middleware());
    this.#isGuarded = true;
    this.#queue.push(action);
    this.#unannounced++;
    this.#reminders = 0;
  }

  get next(): PendingAction | undefined {
    return this.#queue[0];
  }

  take(): PendingAction | undefined {
    const taken = this.#queue.shift();
    this.#isArmed = this.#queue.length > 0;
    this.#unannounced = Math.min(this.#unannounced, this.#queue.length);
    if (this.#isArmed) this.#force();
    return taken;
  }

  /** The input has ended: nothing of it is applied later. */
  endInput(): void {
    if (this.#queue.length > 0) this.#parts.force(undefined);
    for (const action of this.#queue.splice(0)) this.#drop(action, "The input ended before it was applied.");
    this.#isArmed = false;
    this.#unannounced = 0;
    this.#wanted = undefined;
  }

  putBack(action: PendingAction): void {
    this.#queue.unshift(action);
  }

  tools(): readonly ToolDef[] {
    return this.#parts.isOffered() || this.#queue.length > 0 ? this.#offer : this.#nothing;
  }

  #middleware(): Middleware {
    return {
      name: "pending actions",
      beforeRequest: () => {
        const { next } = this;
        if (next !== undefined && next === this.#wanted) {
          this.#queue.shift();
          this.#drop(next, "Applying it was denied.");
        }
        this.#wanted = undefined;
        this.#isArmed = this.#queue.length > 0;
        return undefined;
      },
      // The model does not see calls that another call makes: the one that it sees is stopped, and is told of.
      beforeCall: ({ tool, args, within }) => {
        if (tool.name === RESOLVE && args["action"] === "apply") this.#wanted = this.next;
        if (!this.#isArmed || tool.name === RESOLVE || within) return undefined;
        this.#force();
        return { block: `Not run. ${this.#reminder()}` };
      },
      afterCall: ({ within }, result) => {
        if (this.#unannounced === 0 || within) return undefined;
        this.#unannounced = 0;
        this.#force();
        return { ...result, content: [...result.content, { kind: "text", text: `[${this.#reminder()}]` }] };
      },
      beforeStop: () => {
        if (this.#queue.length === 0 || this.#reminders >= MOST_REMINDERS) return undefined;
        this.#reminders++;
        this.#force();
        return { continueWith: this.#reminder() };
      },
    };
  }

  #drop(action: PendingAction, reason: string): void {
    const warn = (error: unknown): void =>
      this.#parts.warn(`${action.sourceToolName} could not discard ${action.label}: ${String(error)}`);
    void Promise.resolve()
      .then(() => action.reject?.(reason))
      .catch(warn);
  }

  #force(): void {
    this.#parts.force({ mode: "named", toolName: RESOLVE });
  }

  #reminder(): string {
    return pendingText.trim().replace("{{label}}", () => this.next?.label ?? "");
  }
}
