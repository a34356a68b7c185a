// How a child agent delivers its results: findings through `report_finding` and its final output through `yield`.

import type { JsonObject } from "@lathe/llm";

/** The final output of a child agent. */
export interface Yielded {
  /** `aborted`: the agent gave up, and `output` says why. */
  readonly status: "success" | "aborted";
  readonly output: string;
}

/** Collects the results of one child agent. */
export interface CompletionService {
  /** Ends the input. Throws an error for the model if the output does not have the requested form. */
  finish(yielded: Yielded): Promise<void>;
  addFinding(finding: JsonObject): void;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly completion?: CompletionService;
  }
}
