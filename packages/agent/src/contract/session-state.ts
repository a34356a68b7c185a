// Small values that tools keep between calls (the todo list, the mode). They are journalled as custom entries, so they
// survive a restart and follow the branch; a tool reads and writes them by kind.

import type { JsonValue } from "@lathe/llm";

/** Small values that tools keep between calls; they are journalled and follow the branch. */
export interface SessionFacts {
  /** The latest value on the current branch. */
  read(kind: string): JsonValue | undefined;
  /** `isAnnounced`: emit an event, because no tool call tells hosts about the change. */
  write(kind: string, value: JsonValue, options?: { readonly isAnnounced?: boolean }): void | Promise<void>;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly facts?: SessionFacts;
  }
}
