// Cells of code as the tool `eval` and the kernels of a host see them.

import type { JsonObject, JsonValue } from "@lathe/llm";
import type { SideAnswer, SideCall } from "../../../contract/seams/types.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly cells?: CellService;
    /** Asks the model of a role outside the conversation; counted in the session's costs. */
    readonly sideModel?: (role: string, call: SideCall, signal: AbortSignal) => Promise<SideAnswer>;
  }
}

/** The language of a cell. */
export type CellLanguage = "py" | "js";

/** One piece of code, run in the kernel of its language. */
export interface Cell {
  readonly language: CellLanguage;
  readonly code: string;
  /** Time that the code itself may take: it stands still while the cell waits for the host. */
  readonly timeoutMs: number;
  /** Begin with a new kernel. */
  readonly reset: boolean;
}

/** Something that a running cell asks its host for. */
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
  /** What the cell and its programs print, as it comes. */
  print(bytes: Buffer): void;
  /** What it shows besides: one of `plain`, `markdown`, `html`, `json`, or `image` (base64) with its `mime`. */
  show(shown: JsonObject): void;
  /** What a helper has done, for hosts. */
  status(event: JsonObject): void;
  /** What it throws becomes an exception of the cell. */
  answer(question: CellQuestion): Promise<JsonValue>;
}

/** How a cell ended. */
export interface CellEnd {
  readonly status: "done" | "failed" | "timed_out" | "interrupted" | "died";
  /** What became of the kernel, for the model. */
  readonly note?: string | undefined;
}

/** The kernels of a session, which its agents share. */
export interface CellService {
  readonly languages: readonly CellLanguage[];
  /** How many calls `parallel` makes at the same time; 0: all. */
  readonly width: number;
  /** Fails with ToolFailure where the kernel cannot be started. */
  run(cell: Cell, host: CellHost): Promise<CellEnd>;
}

/** For people and for the model. */
export const LANGUAGE_NAMES: Readonly<Record<CellLanguage, string>> = { py: "Python", js: "JavaScript" };
