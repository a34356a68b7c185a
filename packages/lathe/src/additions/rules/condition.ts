// Regular expressions that others wrote, run over every piece of a stream. One that backtracks without end must not stop the
// process, so all but the plainest run under a time limit.

import { createContext, Script } from "node:vm";

export interface Condition {
  /** As the rule's file has it. */
  readonly pattern: string;
  readonly expression: RegExp;
  /** Letters, classes and anchors in a row: nothing in it can repeat or branch. */
  readonly isPlain: boolean;
}

/** For one look at one piece of text, all expressions together. */
const LIMIT_MS = 100;

/** Flags may stand in front, as `(?i)`. */
const FLAGS = /^\(\?([ims]+)\)/;

export function compileCondition(pattern: string): Condition | { readonly problem: string } {
  const [prefix = "", flags = ""] = FLAGS.exec(pattern) ?? [];
  const source = pattern.slice(prefix.length);
  try {
    const expression = new RegExp(source, [...new Set(`${flags}m`)].join(""));
    return { pattern, expression, isPlain: isPlain(source) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function isPlain(source: string): boolean {
  const isBackreference = /\\[1-9k]/.test(source);
  const bare = source.replace(/\\./g, "").replace(/\[[^\]]*\]/g, "");
  return !isBackreference && !/[*+?{|]/.test(bare);
}

/** Which of the conditions are in the text. `tooSlow`: those of which this is not known, because they took too long. */
export function search(
  conditions: readonly Condition[],
  text: string,
): { readonly found: ReadonlySet<Condition>; readonly tooSlow: readonly Condition[] } {
  const found = new Set<Condition>();
  const tooSlow: Condition[] = [];
  const guarded: Condition[] = [];
  for (const condition of conditions) {
    if (!condition.isPlain) guarded.push(condition);
    else if (condition.expression.test(text)) found.add(condition);
  }
  const answers = withinLimit(guarded, text);
  if (answers) {
    for (const [i, condition] of guarded.entries()) if (answers[i]) found.add(condition);
    return { found, tooSlow };
  }
  // One of them is to blame: each is tried by itself.
  for (const condition of guarded) {
    const [isFound] = withinLimit([condition], text) ?? [];
    if (isFound === undefined) tooSlow.push(condition);
    else if (isFound) found.add(condition);
  }
  return { found, tooSlow };
}

interface Sandbox {
  expressions: readonly RegExp[];
  text: string;
}
let sandbox: (Sandbox & { readonly run: () => boolean[] }) | undefined;

/** Undefined when the time was up. */
function withinLimit(conditions: readonly Condition[], text: string): readonly boolean[] | undefined {
  if (conditions.length === 0) return [];
  sandbox ??= makeSandbox();
  sandbox.expressions = conditions.map(({ expression }) => expression);
  sandbox.text = text;
  try {
    return sandbox.run();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/** Only a script of its own can be stopped from outside while an expression runs. */
function makeSandbox(): NonNullable<typeof sandbox> {
  const script = new Script("expressions.map((expression) => expression.test(text))");
  const globals: Sandbox = { expressions: [], text: "" };
  const context = createContext(globals);
  return Object.assign(globals, { run: () => script.runInContext(context, { timeout: LIMIT_MS }) as boolean[] });
}
