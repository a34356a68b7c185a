// Charges from other services for the work of a call: a search, a generated picture.

import type { Usage } from "@lathe/llm";

/** One charge. */
export interface Billed {
  /** `provider/model`, or the name of the service if no model is involved. */
  readonly model: string;
  /** Usage in the counts that are comparable across vendors. */
  readonly usage?: Usage | undefined;
  /** US dollars; absent when the price is not known. */
  readonly cost?: number | undefined;
}

declare module "./tool.ts" {
  interface ToolServices {
    /** Adds the charge to the costs of the session under this role. */
    readonly recordBilled?: (role: string, billed: Billed) => void;
  }
}
