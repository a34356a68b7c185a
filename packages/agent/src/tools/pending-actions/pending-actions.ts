// Two-phase work: a tool shows what it would do and leaves the action pending; before anything else happens, the model
// applies or discards it. The guard does not rely on a forced tool choice, which some models refuse: it blocks other
// calls and keeps the input from ending. An action that was denied, or still pending when its input ended, is dropped:
// a later input must not apply what the user has refused or undone.

import type { ToolChoice } from "@lathe/llm";
import type { PendingAction, PendingActionService } from "../../contract/pending-actions.ts";
import type { ToolProvider } from "../../contract/registry/session-tools.ts";
import type { Middleware } from "../../contract/seams/types.ts";
import type { ToolDef } from "../../contract/tool.ts";
import { RESOLVE, resolveTool } from "../builtin/resolve/index.ts";
import pendingText from "./pending.md";

/** A model that does not react must not be asked forever. */
const MOST_REMINDERS = 3;

/** What pending actions need from their session. */
export interface PendingActionParts {
  /** True if some tool of the session may leave actions pending. */
  readonly isOffered: () => boolean;
  /** Sets the tool choice of the next request; does nothing if the model refuses it. Undefined cancels it. */
  readonly force: (choice: ToolChoice | undefined) => void;
  /** Tells the user. */
  readonly warn: (message: string) => void;
  /** Installs the guard in the session. Called with the first action, because most sessions have none. */
  readonly guard: (middleware: Middleware) => void;
}

/** The tool `resolve`, its guard and the queue of actions of one session. */
export class PendingActions implements PendingActionService, ToolProvider {
  readonly #parts: PendingActionParts;
  readonly #queue: PendingAction[] = [];
  readonly #offer: readonly ToolDef[] = [resolveTool(this) as unknown as ToolDef];
  readonly #nothing: readonly ToolDef[] = [];
  #isGuarded = false;
  #unannounced = 0;
  /** The model has been asked since the action became pending. */
  #isArmed = false;
  #reminders = 0;
  /** The action that the model has asked to apply. */
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

  /** The input has ended, so nothing of it may be applied later. */
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
      // The model does not see nested calls: we stop the call that it does see, and tell it about that one.
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
