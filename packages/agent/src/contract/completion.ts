// How a child agent hands over what it has found out: results by `report_finding`, and the last word by `yield`.

import type { JsonObject } from "@lathe/llm";

/** The last word of a child agent. */
export interface Yielded {
  /** `aborted`: it gave up, and `output` says why. */
  readonly status: "success" | "aborted";
  readonly output: string;
}

/** Takes the results of one child agent. */
export interface CompletionService {
  /** Ends the input. Throws for the model when the output is not what was asked for. */
  finish(yielded: Yielded): Promise<void>;
  addFinding(finding: JsonObject): void;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly completion?: CompletionService;
  }
}
