// What a call has prepared and not done yet: the model looks at the preview, then applies or discards it.

import type { JsonValue } from "@lathe/llm";
import type { Tier, ToolResult } from "./tool.ts";

/** Exactly one of `apply` and `reject` is called, once. */
export interface PendingAction {
  /** What it would do, in a few words. */
  readonly label: string;
  /** The tier of applying it; `exec` when absent. */
  readonly tier?: Tier | undefined;
  /** The tool that prepared it. */
  readonly sourceToolName: string;
  readonly details?: JsonValue | undefined;
  apply(reason: string): Promise<ToolResult | string> | ToolResult | string;
  reject?(reason: string): Promise<string | undefined> | string | undefined;
}

/** The actions of a session that wait for the model's word, oldest first. */
export interface PendingActionService {
  push(action: PendingAction): void;
  readonly next: PendingAction | undefined;
  /** The caller that takes it settles it. */
  take(): PendingAction | undefined;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly pendingActions?: PendingActionService;
  }
}
