// Actions that a call prepared but did not carry out: the model reviews the preview, then applies or discards them.

import type { JsonValue } from "@lathe/llm";
import type { CallScope, DeclaredAccess, Preview, Tier, ToolContext, ToolResult } from "./tool.ts";

/**
 * Exactly one of `apply` and `reject` is called, once. An `apply` that throws `PlanChanged` has done nothing and may be
 * called again.
 */
export interface PendingAction {
  /** What the action would do, in a few words. */
  readonly label: string;
  /** The tier of applying the action; `exec` if absent. */
  readonly tier?: Tier | undefined;
  /** The tool that prepared it. */
  readonly sourceToolName: string;
  readonly details?: JsonValue | undefined;
  /** Everything that applying will touch, so that it is judged like a call that does the same; unknown if absent. */
  access?(scope: CallScope): Promise<DeclaredAccess> | DeclaredAccess;
  /** What the user approves: the changes themselves. Just the label if absent. */
  preview?(scope: CallScope): Promise<Preview> | Preview;
  /** `context` belongs to the call that applies the action; it can write only what `access` declares. */
  apply(reason: string, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
  reject?(reason: string): Promise<string | undefined> | string | undefined;
}

/** The actions of a session that await the model's decision, oldest first. */
export interface PendingActionService {
  push(action: PendingAction): void;
  readonly next: PendingAction | undefined;
  /** The caller that takes an action must apply or reject it. */
  take(): PendingAction | undefined;
  /** The action could not be completed and becomes the next one again. */
  putBack(action: PendingAction): void;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly pendingActions?: PendingActionService;
  }
}
