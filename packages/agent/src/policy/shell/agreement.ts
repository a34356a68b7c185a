// Two parsers of the same text must agree on what runs: our own, which understands words, and the tree-sitter grammar.
// If they differ, one of them is wrong about something that could hide a command.

import { childrenOf, innerOf, redirectWords } from "./children.ts";
import type { GrammarReading } from "./grammar.ts";
import type { ReadText } from "./reader.ts";
import type { Command, Inner, Script, Word } from "./syntax.ts";

/** Why the two results differ; undefined if they agree. */
export function disagreement({ script, comments }: ReadText, grammar: GrammarReading): string | undefined {
  if (grammar.hasError) return "the grammar finds an error in it";
  const ours: Found = { commands: [], substitutions: [], words: [] };
  collect(script, ours);
  if (!sameNumbers(ours.commands, grammar.commands)) return "it is not clear where its commands begin";
  if (!sameNumbers(ours.substitutions, grammar.substitutions)) return "it is not clear what is substituted";
  if (!sameNumbers(comments, grammar.comments)) return "it is not clear what is a comment";
  const isBroken = ours.words.some(({ start, end }) => !grammar.starts.has(start) || !grammar.ends.has(end));
  return isBroken ? "it is not clear where its words end" : undefined;
}

interface Found {
  readonly commands: number[];
  readonly substitutions: number[];
  readonly words: Word[];
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  const left = [...a].sort((x, y) => x - y);
  const right = [...b].sort((x, y) => x - y);
  return left.every((value, index) => value === right[index]);
}

function collect(script: Script, found: Found): void {
  for (const { commands, timedAt } of script.statements.flatMap(({ pipelines }) => pipelines))
    for (const [index, command] of commands.entries()) {
      // The grammar treats `time` as a program.
      const isTimed = index === 0 && timedAt !== undefined;
      if (isTimed) found.commands.push(timedAt);
      collectCommand(command, found, isTimed && command.kind === "simple");
    }
}

function collectCommand(command: Command, found: Found, isTimed: boolean): void {
  const start = command.kind === "simple" ? command.words[0]?.start : command.start;
  const isCommand = command.kind === "simple" || command.kind === "test" || command.kind === "arithmetic";
  if (isCommand && start !== undefined && !isTimed) found.commands.push(start);
  const { scripts, commands, words, inner } = childrenOf(command);
  found.words.push(...words);
  for (const { target } of command.redirects) if (target) found.words.push(target);
  for (const list of [inner, innerOf(words), innerOf(redirectWords(command.redirects))]) collectInner(list, found);
  for (const script of scripts) collect(script, found);
  for (const one of commands) collectCommand(one, found, false);
}

function collectInner(inner: readonly Inner[], found: Found): void {
  for (const one of inner) {
    if (one.kind !== "script") continue;
    found.substitutions.push(one.start);
    collect(one.script, found);
  }
}
