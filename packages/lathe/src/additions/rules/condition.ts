// Runs regular expressions that others wrote over every piece of a stream. One that backtracks without end must not
// block the process, so all but the plainest run under a time limit.

import { createContext, Script } from "node:vm";

export interface Condition {
  /** The pattern in the rule's file. */
  readonly pattern: string;
  readonly expression: RegExp;
  /** Only characters, classes and anchors in sequence, so that nothing in it can repeat or branch. */
  readonly isPlain: boolean;
}

/** The limit for one piece of text and all expressions together. */
const LIMIT_MS = 100;

/** Flags at the beginning, such as `(?i)`. */
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

/** Finds the conditions that match the text. `tooSlow`: conditions without an answer, because they took too long. */
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
  // One of them is too slow, so each is tried separately.
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

/** Undefined if the time is up. */
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

/** A running expression can only be interrupted in a separate script context. */
function makeSandbox(): NonNullable<typeof sandbox> {
  const script = new Script("expressions.map((expression) => expression.test(text))");
  const globals: Sandbox = { expressions: [], text: "" };
  const context = createContext(globals);
  return Object.assign(globals, { run: () => script.runInContext(context, { timeout: LIMIT_MS }) as boolean[] });
}
