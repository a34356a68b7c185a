// A JavaScript regular expression can take forever on an unlucky line, and nothing outside can stop it, because it
// blocks the thread. The time limit of `node:vm` can, so patterns with repetition run under one.

import { createContext, Script } from "node:vm";
import { badRegex } from "./regex.ts";

/** Per batch of files; a sound expression reads more than 50 MB in that time. */
const LIMIT_MS = 2_000;

const call = new Script("work()");

/** Runs `work`, which tests `pattern`; rejects the pattern if it takes too long. */
export function withinTime<T>(pattern: string, work: () => T): T {
  if (!/[*+?{]/.test(pattern)) return work();
  try {
    return call.runInContext(createContext({ work }), { timeout: LIMIT_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw badRegex(pattern, "it takes too long on this text; write it without nested repetition or search fewer files");
  }
}
