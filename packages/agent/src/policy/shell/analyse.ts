// The entry point: which simple commands a text would run, or why that cannot be determined.

import { messageOf } from "@lathe/llm";
import { isMissingPackage, missingPackage } from "../../base/optional-package.ts";
import type { ShellAnalysis, ShellContext, ShellPart } from "../../contract/shell.ts";
import { disagreement } from "./agreement.ts";
import { suspiciousCharacter } from "./characters.ts";
import { type GrammarReading, loadGrammar } from "./grammar.ts";
import type { Collector, Reached } from "./parts.ts";
import type { Place } from "./places.ts";
import { readShell } from "./reader.ts";
import { withSelfMade } from "./self-made.ts";
import { type Dialect, type Script, ShellDoubt } from "./syntax.ts";
import { VariableFacts } from "./variables.ts";
import { leadingFunctions, walkScript } from "./walk.ts";

/** Longer texts need approval, because parsing them would block the event loop. */
const LONGEST = 50_000;

/** Finds every simple command that `command` would run under bash. Loads the grammar on first use. */
export async function analyseShell(command: string, context: ShellContext): Promise<ShellAnalysis> {
  return (await shellAnalyser(command))(context);
}

/** Analyses `command` in any number of contexts, but parses it only once. */
export async function shellAnalyser(command: string): Promise<(context: ShellContext) => ShellAnalysis> {
  try {
    const grammar = await loadGrammar();
    const read = readOnce(grammar);
    return (context) => analyseWith(read, command, context);
  } catch (error) {
    const doubt = isMissingPackage(error)
      ? missingPackage("judgements of commands", "web-tree-sitter", "@vscode/tree-sitter-wasm")
      : `the grammar of bash cannot be loaded: ${messageOf(error)}`;
    return () => ({ parts: [], doubt });
  }
}

type Read = (text: string, home: string | undefined, dialect: Dialect) => Script;

/** What both parsers agree on; each text is parsed only once. */
function readOnce(grammar: (text: string) => GrammarReading): Read {
  const known: { readonly of: Parameters<Read>; readonly script: Script }[] = [];
  return (...of) => {
    const before = known.find((one) => one.of.every((value, index) => value === of[index]));
    if (before) return before.script;
    const [text] = of;
    if (text.length > LONGEST) throw new ShellDoubt("it is too long to analyse");
    const suspicious = suspiciousCharacter(text);
    if (suspicious) throw new ShellDoubt(suspicious);
    const ours = readShell(...of);
    const difference = disagreement(ours, grammar(text));
    if (difference) throw new ShellDoubt(difference);
    known.push({ of, script: ours.script });
    return ours.script;
  };
}

function analyseWith(read: Read, command: string, context: ShellContext): ShellAnalysis {
  const parts: ShellPart[] = [];
  const reached: Reached = {
    context,
    through: [],
    outer: [],
    isElsewhere: false,
    assignments: [],
    isPiped: false,
    piped: undefined,
    depth: 0,
    dialect: "bash",
    facts: undefined,
    functions: undefined,
  };
  try {
    addScript(read, command, reached, { cwd: context.cwd, isCertain: true }, parts);
    return { parts: withSelfMade(parts) };
  } catch (error) {
    if (error instanceof ShellDoubt) return { parts: withSelfMade(parts), doubt: error.message };
    // A text that exhausts the stack is nested more deeply than any legitimate one.
    if (error instanceof RangeError) return { parts: withSelfMade(parts), doubt: "nested too deeply" };
    throw error;
  }
}

function addScript(read: Read, text: string, reached: Reached, place: Place, parts: ShellPart[]): void {
  // Another machine or user has another home directory.
  const script = read(text, reached.isElsewhere ? undefined : reached.context.home, reached.dialect);
  const collector: Collector = {
    parts,
    script: (nested, from, where) => addScript(read, nested, from, where, parts),
  };
  const given = reached.assignments.map(({ value }) => value.replace(/\+?=.*$/s, ""));
  const facts = new VariableFacts(script, reached.facts, given);
  walkScript(script, { text, facts }, { ...reached, facts, functions: leadingFunctions(script) }, place, collector);
}
