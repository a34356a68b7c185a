// A pattern can take for ever on a short text, and nothing else runs meanwhile: no deadline, no Ctrl+C. Checks of schemas with
// patterns are therefore stopped after a while.

import type { JsonSchema } from "../types/json.ts";

const MOST_MS = 1000;

type Bounded = <Result>(check: () => Result) => Result | "too long";

/** Calls a check, and gives up on it if the schema has patterns. Where the runtime cannot do that, every check is just called. */
export function boundedChecks(schema: JsonSchema): Bounded {
  const vm = hasPatterns(schema) ? globalThis.process?.getBuiltinModule?.("node:vm") : undefined;
  if (vm === undefined) return (check) => check();
  // The time limit holds for whatever a script calls, in whichever context that was made.
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
