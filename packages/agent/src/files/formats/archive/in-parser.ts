// Runs tasks on compressed bytes in the parser process.

import type { CallScope } from "../../../contract/tool.ts";
import { ParserFailure, runParser } from "../../parser/run-parser.ts";
import type { InflateInput, ScanInput, TgzScan } from "../../parser/tasks/archive/inflate.ts";
import { ArchiveError } from "../../parser/tasks/archive/members.ts";
import type { TaskInput } from "../../parser/tasks/types.ts";

type Apart<Input, Result> = (input: Input, scope: CallScope) => Promise<Result>;

export const inflateApart: Apart<InflateInput, Uint8Array> = inParser("archive.inflate");
export const gunzipApart: Apart<InflateInput, Uint8Array> = inParser("archive.gunzip");
export const scanTgzApart: Apart<ScanInput, TgzScan> = inParser("archive.scan");

/** Scanning a large archive takes seconds. */
const TIMEOUT_MS = 60_000;

/** Fails with an ArchiveError, to which the caller adds the path. */
function inParser<R>(task: string): Apart<TaskInput, R> {
  return async (input, scope) => {
    try {
      return await runParser<R>(task, input, { scope, path: "the archive", timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (error instanceof ParserFailure && !scope.signal.aborted) throw new ArchiveError(error.why);
      throw error;
    }
  };
}
