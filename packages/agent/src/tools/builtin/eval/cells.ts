// Cells of code: the types shared by the tool `eval` and the host's kernels.

import type { JsonObject, JsonValue } from "@lathe/llm";
import type { SideAnswer, SideCall } from "../../../contract/seams/types.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly cells?: CellService;
    /** Asks the model of a role outside the conversation. The session's costs include it. */
    readonly sideModel?: (role: string, call: SideCall, signal: AbortSignal) => Promise<SideAnswer>;
  }
}

/** The language of a cell. */
export type CellLanguage = "py" | "js";

/** One piece of code, which the kernel of its language runs. */
export interface Cell {
  readonly language: CellLanguage;
  readonly code: string;
  /** How long the code itself may run. The clock stops while the cell waits for the host. */
  readonly timeoutMs: number;
  /** Start with a new kernel. */
  readonly reset: boolean;
}

/** A request of a running cell to its host. */
export interface CellQuestion {
  readonly what: string;
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly args?: JsonObject | undefined;
}

/** The call that a cell belongs to. */
export interface CellHost {
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
  /** Output of the cell and its programs, as it is printed. */
  print(bytes: Buffer): void;
  /** Other things that it shows: one of `plain`, `markdown`, `html`, `json`, or `image` (base64) with its `mime`. */
  show(shown: JsonObject): void;
  /** Reports to hosts what a helper has done. */
  status(event: JsonObject): void;
  /** An exception here becomes an exception in the cell. */
  answer(question: CellQuestion): Promise<JsonValue>;
}

/** How a cell ended. */
export interface CellEnd {
  readonly status: "done" | "failed" | "timed_out" | "interrupted" | "died";
  /** What happened to the kernel, for the model. */
  readonly note?: string | undefined;
}

/** The kernels of a session, shared by its agents. */
export interface CellService {
  readonly languages: readonly CellLanguage[];
  /** How many calls `parallel` makes at the same time; 0 means all. */
  readonly width: number;
  /** Fails with ToolFailure if the kernel cannot be started. */
  run(cell: Cell, host: CellHost): Promise<CellEnd>;
}

/** For people and for the model. */
export const LANGUAGE_NAMES: Readonly<Record<CellLanguage, string>> = { py: "Python", js: "JavaScript" };
