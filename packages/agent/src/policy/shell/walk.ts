// Visits the statements of a script in execution order and tracks the directory they run in.

import type { FoundFiles } from "../../contract/shell.ts";
import { childrenOf, commandsIn, innerOf, isLoneCommand } from "./children.ts";
import { isJudgedByName } from "./known-programs.ts";
import { listedFiles } from "./listed-files.ts";
import { addCommand, type Collector, type Reached, type SeenCommand } from "./parts.ts";
import { changesDirectory, commandMoves, type Place } from "./places.ts";
import { effectsOf, noEffects, type SeenRedirect } from "./redirects.ts";
import { knownWord, type ShellWord, toShellWord } from "./shell-words.ts";
import type { Command, Inner, Pipeline, Redirect, Script, SimpleCommand, Word } from "./syntax.ts";
import { ShellDoubt } from "./syntax.ts";
import { sensitiveName, type VariableFacts } from "./variables.ts";

/** The text whose statements are visited. */
export interface Source {
  readonly text: string;
  readonly facts: VariableFacts;
}

/** Functions defined by the leading statements of a script: from then on, their names mean what we parsed. */
export function leadingFunctions({ statements }: Script): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { pipelines, isBackground } of statements) {
    const [command] = pipelines[0]?.commands ?? [];
    const isAlone = pipelines.length === 1 && pipelines[0]?.commands.length === 1 && !isBackground;
    if (!isAlone || command?.kind !== "function") break;
    names.add(command.name);
  }
  return names;
}

export function walkScript(script: Script, source: Source, reached: Reached, place: Place, to: Collector): void {
  for (const { pipelines, operators, isBackground } of script.statements) {
    const here = isBackground ? { ...place } : place;
    const before = here.cwd;
    pipelines.forEach((pipeline, index) => {
      walkPipeline(pipeline, source, reached, here, to);
      // Only after `&&` is it certain that a `cd` succeeded.
      if (operators[index] === "&&") here.isCertain = here.ifWorked ?? here.isCertain;
      else if (here.cwd !== before) here.isCertain = false;
    });
    if (here.cwd !== before) here.isCertain = false;
    delete here.ifWorked;
  }
}

function walkPipeline({ commands }: Pipeline, source: Source, reached: Reached, place: Place, to: Collector): void {
  if (commands.length === 1) {
    walkCommand(commands[0] as Command, source, reached, place, to);
    return;
  }
  let { piped } = reached;
  commands.forEach((command, index) => {
    const isPiped = reached.isPiped || index > 0;
    walkCommand(command, source, { ...reached, isPiped, piped }, { ...place }, to);
    piped = printedPaths(command, source, piped, to);
  });
}

/** The paths that a command prints, if it only lists files or passes its input through. */
function printedPaths(command: Command, source: Source, piped: FoundFiles | undefined, to: Collector) {
  if (command.kind !== "simple" || command.assignments.length > 0 || !to.parts.at(-1)?.isReadOnly) return undefined;
  const isQuiet = ({ start, end }: Redirect) => /^2>\s*\/dev\/null$/.test(source.text.slice(start, end));
  if (!command.redirects.every(isQuiet)) return undefined;
  return listedFiles(
    command.words.map((word) => toShellWord(word, source.facts)),
    piped,
  );
}

/** `$(ls src)`: the paths that the command prints become words. */
function withPrinted(word: ShellWord, { inner, isSplit, value }: Word, source: Source, to: Collector): ShellWord {
  const one = inner[0];
  if (one?.kind !== "script" || inner.length > 1 || !isSplit || !/^(?:\$\(.*\)|`.*`)$/s.test(value)) return word;
  const command = commandsIn(one.script)[0];
  // Names terminated by a zero byte become one word.
  const isPlain = isLoneCommand(one.script) && !/-print0|\s-\w*[0zZ]|--null/.test(value);
  const found = command && isPlain ? printedPaths(command, source, undefined, to) : undefined;
  return found ? { ...word, paths: found.roots, found, isFed: true } : word;
}

function walkCommand(command: Command, source: Source, reached: Reached, place: Place, to: Collector): void {
  if (command.kind === "simple") {
    walkSimple(command, source, reached, place, to);
    return;
  }
  const effects = walkRedirects(command.redirects, source, reached, place, to);
  if (command.redirects.length > 0)
    addCommand(
      { text: command.redirects.map(({ start, end }) => source.text.slice(start, end)).join(" "), words: [], effects },
      { ...reached, assignments: [] },
      place,
      to,
    );
  const inside = { ...reached, isPiped: reached.isPiped || effects.hasInput, piped: undefined };
  const { scripts, words, inner } = childrenOf(command);
  if (command.kind === "for") checkName(command.name, reached);
  walkInner([...inner, ...innerOf(words)], source, inside, place, to);
  if (command.kind === "function") walkFunction(command, source, { ...inside, isPiped: true }, place, to);
  else if (command.kind === "subshell") walkScript(command.body, source, inside, { ...place }, to);
  else if (command.kind === "group") walkScript(command.body, source, inside, place, to);
  else walkBodies(scripts, source, inside, place, to);
}

/** Bodies that may run in any order, any number of times, or not at all. */
function walkBodies(bodies: readonly Script[], source: Source, reached: Reached, place: Place, to: Collector): void {
  if (bodies.some(changesDirectory)) {
    place.cwd = undefined;
    place.isCertain = false;
  }
  for (const body of bodies) walkScript(body, source, reached, place, to);
}

/** It runs wherever it is called, with any input. */
function walkFunction(
  command: Extract<Command, { kind: "function" }>,
  source: Source,
  reached: Reached,
  place: Place,
  to: Collector,
): void {
  if (isJudgedByName(command.name)) throw new ShellDoubt(`it redefines ${command.name}`);
  if (commandMoves(command.body)) {
    place.cwd = undefined;
    place.isCertain = false;
  }
  const first = to.parts.length;
  walkCommand(command.body, source, reached, { cwd: undefined, isCertain: false }, to);
  const isRecursive = to.parts.slice(first).some(({ words }) => words[0] === command.name);
  if (!isRecursive) return;
  const text = source.text.slice(command.start, command.end);
  const danger = { shape: "fork bomb", reason: "the function calls itself" };
  addCommand({ text, words: [knownWord(command.name)], effects: { ...noEffects(), danger } }, reached, place, to);
}

function walkSimple(command: SimpleCommand, source: Source, reached: Reached, place: Place, to: Collector): void {
  for (const { inner } of command.assignments) walkInner(inner, source, reached, place, to);
  const words = command.words.map((word) => {
    walkInner(word.inner, source, reached, place, to);
    return withPrinted(toShellWord(word, source.facts), word, source, to);
  });
  for (const { assignment } of command.assignments) if (assignment) checkValue(assignment.value);
  const effects =
    command.redirects.length > 0 ? walkRedirects(command.redirects, source, reached, place, to) : noEffects();
  const assignments = command.assignments.map((word) => toShellWord(word, source.facts));
  const text = source.text.slice(command.start, command.end);
  const seen: SeenCommand = { text, words, effects };
  const inside =
    assignments.length > 0 ? { ...reached, assignments: [...reached.assignments, ...assignments] } : reached;
  addCommand(seen, inside, place, to);
}

function walkRedirects(redirects: readonly Redirect[], source: Source, reached: Reached, place: Place, to: Collector) {
  const seen: SeenRedirect[] = redirects.map(({ operator, target, body }) => {
    for (const word of [target, body]) {
      // What it prints to a process substitution becomes that one's input.
      const isPiped = reached.isPiped || operator.includes(">");
      if (word) walkInner(word.inner, source, { ...reached, isPiped }, place, to);
    }
    return { operator, target: shellWordOf(target, source), body: shellWordOf(body, source) };
  });
  return effectsOf(seen, place.cwd, reached.context.home);
}

function shellWordOf(word: Word | undefined, source: Source): ShellWord | undefined {
  return word && toShellWord(word, source.facts);
}

/** Runs while words are expanded, in a subshell. */
function walkInner(inner: readonly Inner[], source: Source, reached: Reached, place: Place, to: Collector): void {
  for (const one of inner) {
    if (one.kind === "script") {
      const isFed = source.text[one.start] === ">";
      const inside = { ...reached, assignments: [], isPiped: reached.isPiped || isFed, piped: undefined };
      walkScript(one.script, source, inside, { ...place }, to);
    } else if (one.kind === "variable") {
      if (one.assigns) checkName(one.name, reached);
    } else {
      for (const name of one.assigned) checkName(name, reached);
      const unsafe = one.names.find((name) => !source.facts.isNumber(name));
      if (unsafe !== undefined) throw new ShellDoubt(`arithmetic over ${unsafe}, which may hold more than a number`);
    }
  }
}

function checkName(name: string, { context }: Reached): void {
  const doubt = sensitiveName(name) ?? (context.exported?.has(name) ? `it sets ${name}` : undefined);
  if (doubt) throw new ShellDoubt(doubt);
}

/** Checks a text that arithmetic or a test would evaluate, running the commands in its subscripts. */
function checkValue(value: string): void {
  if (/[A-Za-z_]\w*\[[^\]]*(?:\$\(|`)/.test(value)) throw new ShellDoubt("it assigns a text that bash may evaluate");
}
