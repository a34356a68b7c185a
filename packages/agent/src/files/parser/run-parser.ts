// The function with which formats have foreign bytes parsed.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { NotParsed, Parser } from "./parser.ts";
import type { TaskInput } from "./tasks/types.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Parses foreign bytes in a process that stays warm between calls; if absent, each call starts its own. */
    readonly parser?: Parser;
  }
}

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_MEMORY_MB = 512;

export interface ParserCall {
  readonly scope: Pick<CallScope, "signal" | "services">;
  /** The file's name in messages. */
  readonly path: string;
  readonly timeoutMs?: number | undefined;
  readonly memoryMb?: number | undefined;
}

/** A file that could not be parsed; `why` follows a colon. */
export class ParserFailure extends ToolFailure {
  readonly why: string;
  /** The task rejected the bytes; otherwise it was cut short. */
  readonly isRefused: boolean;
  constructor(path: string, { message, isRefused }: NotParsed) {
    super(`${path} could not be read: ${message}.`);
    this.name = "ParserFailure";
    this.why = message;
    this.isRefused = isRefused;
  }
}

/** Runs a task of ./tasks in a process that can be killed. Throws ParserFailure. */
export async function runParser<R>(task: string, input: TaskInput, call: ParserCall): Promise<R> {
  const { scope, path, timeoutMs = DEFAULT_TIMEOUT_MS, memoryMb = DEFAULT_MEMORY_MB } = call;
  const kept = scope.services.parser;
  const parser = kept ?? new Parser();
  try {
    return (await parser.run({ task, input, signal: scope.signal, timeoutMs, memoryMb })) as R;
  } catch (error) {
    if (error instanceof NotParsed) throw new ParserFailure(path, error);
    throw error;
  } finally {
    if (kept === undefined) await parser.close();
  }
}
