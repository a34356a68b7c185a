// What a call has prepared and not done yet: the model looks at the preview, then applies or discards it.

import type { JsonValue } from "@lathe/llm";
import type { CallScope, DeclaredAccess, Preview, Tier, ToolContext, ToolResult } from "./tool.ts";

/** Exactly one of `apply` and `reject` is called, once; an `apply` that throws `PlanChanged` has done nothing and is called again. */
export interface PendingAction {
  /** What it would do, in a few words. */
  readonly label: string;
  /** The tier of applying it; `exec` when absent. */
  readonly tier?: Tier | undefined;
  /** The tool that prepared it. */
  readonly sourceToolName: string;
  readonly details?: JsonValue | undefined;
  /** What applying will touch, all of it, so that it is judged like a call that does the same; unknown when absent. */
  access?(scope: CallScope): Promise<DeclaredAccess> | DeclaredAccess;
  /** What people approve: the changes themselves. Its label alone when absent. */
  preview?(scope: CallScope): Promise<Preview> | Preview;
  /** `context`: of the call that applies it, which can write nothing but what `access` declares. */
  apply(reason: string, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
  reject?(reason: string): Promise<string | undefined> | string | undefined;
}

/** The actions of a session that wait for the model's word, oldest first. */
export interface PendingActionService {
  push(action: PendingAction): void;
  readonly next: PendingAction | undefined;
  /** The caller that takes it settles it. */
  take(): PendingAction | undefined;
  /** It could not be settled and is the next one again. */
  putBack(action: PendingAction): void;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly pendingActions?: PendingActionService;
  }
}
