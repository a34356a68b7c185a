// Small facts that tools keep between calls (the todo list, the mode). They live in the journal as custom entries, so that
// they survive a restart and follow the branch; a tool reads and writes them by kind.

import type { JsonValue } from "@lathe/llm";

/** Small values that tools keep between calls; they are journalled and follow the branch. */
export interface SessionFacts {
  /** Latest value on the current branch. */
  read(kind: string): JsonValue | undefined;
  /** `isAnnounced`: no tool was called for it, so hosts hear of it by an event. */
  write(kind: string, value: JsonValue, options?: { readonly isAnnounced?: boolean }): void | Promise<void>;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly facts?: SessionFacts;
  }
}
