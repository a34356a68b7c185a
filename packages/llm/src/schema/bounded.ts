// A pattern can take forever on a short text and block everything meanwhile: deadlines, Ctrl+C. So checks of schemas
// with patterns are stopped after a while.

import type { JsonSchema } from "../types/json.ts";

const MOST_MS = 1000;

type Bounded = <Result>(check: () => Result) => Result | "too long";

/**
 * Runs a check, and gives up on it after a while if the schema has patterns. If the runtime does not support that,
 * every check just runs.
 */
export function boundedChecks(schema: JsonSchema): Bounded {
  const vm = hasPatterns(schema) ? globalThis.process?.getBuiltinModule?.("node:vm") : undefined;
  if (vm === undefined) return (check) => check();
  // The time limit applies to everything that a script calls, in whichever context that was created.
  const context = vm.createContext({});
  const script = new vm.Script("check()");
  return (check) => {
    context["check"] = check;
    try {
      return script.runInContext(context, { timeout: MOST_MS });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return "too long";
      throw error;
    } finally {
      context["check"] = undefined;
    }
  };
}

const hasPatterns = (schema: JsonSchema): boolean => /"pattern(?:Properties)?":/.test(JSON.stringify(schema));
