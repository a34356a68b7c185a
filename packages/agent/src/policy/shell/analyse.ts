// The entry: which simple commands a text would run, or why that cannot be told.

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
import { ShellDoubt } from "./syntax.ts";
import { VariableFacts } from "./variables.ts";
import { leadingFunctions, walkScript } from "./walk.ts";

/** Longer texts are asked about: reading them would hold up the loop. */
const LONGEST = 50_000;

type ReadGrammar = (text: string) => GrammarReading;

/** Finds every simple command that `command` would run under bash. Loads the grammar when first called. */
export async function analyseShell(command: string, context: ShellContext): Promise<ShellAnalysis> {
  let grammar: ReadGrammar;
  try {
    grammar = await loadGrammar();
  } catch (error) {
    if (!isMissingPackage(error))
      return { parts: [], doubt: `the grammar of bash cannot be loaded: ${messageOf(error)}` };
    const doubt = missingPackage("judgements of commands", "web-tree-sitter", "@vscode/tree-sitter-wasm");
    return { parts: [], doubt };
  }
  return analyseWith(grammar, command, context);
}

function analyseWith(grammar: ReadGrammar, command: string, context: ShellContext): ShellAnalysis {
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
  };
  try {
    addScript(grammar, command, reached, { cwd: context.cwd, isCertain: true }, parts);
    return { parts: withSelfMade(parts) };
  } catch (error) {
    if (error instanceof ShellDoubt) return { parts: withSelfMade(parts), doubt: error.message };
    // A text that exhausts the stack is nested more deeply than any that is meant to be read.
    if (error instanceof RangeError) return { parts: withSelfMade(parts), doubt: "nested too deeply" };
    throw error;
  }
}

function addScript(grammar: ReadGrammar, text: string, reached: Reached, place: Place, parts: ShellPart[]): void {
  if (text.length > LONGEST) throw new ShellDoubt("it is too long to be judged");
  const suspicious = suspiciousCharacter(text);
  if (suspicious) throw new ShellDoubt(suspicious);
  // Elsewhere it is another home.
  const read = readShell(text, reached.isElsewhere ? undefined : reached.context.home, reached.dialect);
  const difference = disagreement(read, grammar(text));
  if (difference) throw new ShellDoubt(difference);
  const collector: Collector = {
    parts,
    script: (nested, from, where) => addScript(grammar, nested, from, where, parts),
  };
  const given = reached.assignments.map(({ value }) => value.replace(/\+?=.*$/s, ""));
  const facts = new VariableFacts(read.script, reached.facts, given);
  walkScript(read.script, { text, facts, functions: leadingFunctions(read.script) }, reached, place, collector);
}
