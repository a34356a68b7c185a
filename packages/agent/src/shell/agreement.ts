// Two readings of one text must agree on what runs: our own, which knows words, and the grammar's. Where they differ, one of
// them is wrong about something that could hide a command.

import type { GrammarReading } from "./grammar.ts";
import type { ReadText } from "./reader.ts";
import type { Command, Inner, Redirect, Script, Word } from "./syntax.ts";

/** Why the two readings differ; undefined when they agree. */
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
  const [left, right] = [a, b].map((list) => [...list].sort((x, y) => x - y)) as [number[], number[]];
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

function collect(script: Script, found: Found): void {
  for (const { pipelines } of script.statements)
    for (const { commands, timedAt } of pipelines)
      commands.forEach((command, index) => {
        // The grammar takes `time` for a program.
        const isTimed = index === 0 && timedAt !== undefined;
        if (isTimed) found.commands.push(timedAt);
        collectCommand(command, found, isTimed && command.kind === "simple");
      });
}

function collectCommand(command: Command, found: Found, isTimed: boolean): void {
  collectRedirects(command.redirects, found);
  switch (command.kind) {
    case "simple": {
      const [program] = command.words;
      if (program && !isTimed) found.commands.push(program.start);
      collectWords([...command.assignments, ...command.words], found);
      return;
    }
    case "test":
      found.commands.push(command.start);
      // The grammar cuts tests into expressions; what runs inside still has to agree.
      for (const { inner } of command.words) collectInner(inner, found);
      return;
    case "arithmetic":
      found.commands.push(command.start);
      return collectInner(command.inner, found);
    case "if":
      for (const body of command.bodies) collect(body, found);
      return;
    case "case":
      for (const { inner } of command.words) collectInner(inner, found);
      for (const body of command.bodies) collect(body, found);
      return;
    case "function":
      return collectCommand(command.body, found, false);
    case "while":
      collect(command.condition, found);
      return collect(command.body, found);
    case "for":
      collectWords(command.words, found);
      return collect(command.body, found);
    case "count":
      collectInner(command.inner, found);
      return collect(command.body, found);
    case "subshell":
    case "group":
      return collect(command.body, found);
  }
}

function collectRedirects(redirects: readonly Redirect[], found: Found): void {
  for (const { target, body } of redirects) {
    if (target) collectWords([target], found);
    if (body) collectInner(body.inner, found);
  }
}

function collectWords(words: readonly Word[], found: Found): void {
  for (const word of words) {
    found.words.push(word);
    collectInner(word.inner, found);
  }
}

function collectInner(inner: readonly Inner[], found: Found): void {
  for (const one of inner) {
    if (one.kind !== "script") continue;
    found.substitutions.push(one.start);
    collect(one.script, found);
  }
}
