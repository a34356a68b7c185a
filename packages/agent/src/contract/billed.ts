// What others bill for the work of a call: a vendor for a search, a picture.

import type { Usage } from "@lathe/llm";

/** One bill. */
export interface Billed {
  /** `provider/model`, or the name of the service where no model is named. */
  readonly model: string;
  /** In counts that mean the same for every vendor. */
  readonly usage?: Usage | undefined;
  /** US dollars; absent when the price is not known. */
  readonly cost?: number | undefined;
}

declare module "./tool.ts" {
  interface ToolServices {
    /** Counts it in the costs of the session, under this role. */
    readonly recordBilled?: (role: string, billed: Billed) => void;
  }
}
