// Lists the contents of a command for code that needs everything in it regardless of structure.

import type { Command, Inner, Redirect, Script, Word } from "./syntax.ts";

export interface Children {
  readonly scripts: readonly Script[];
  readonly commands: readonly Command[];
  /** Standalone words. */
  readonly words: readonly Word[];
  /** What runs while other words are expanded: in tests, patterns and arithmetic. */
  readonly inner: readonly Inner[];
}

const NONE: Children = { scripts: [], commands: [], words: [], inner: [] };

export function childrenOf(command: Command): Children {
  switch (command.kind) {
    case "simple":
      return { ...NONE, words: [...command.assignments, ...command.words] };
    case "subshell":
    case "group":
      return { ...NONE, scripts: [command.body] };
    case "if":
      return { ...NONE, scripts: command.bodies };
    case "while":
      return { ...NONE, scripts: [command.condition, command.body] };
    case "for":
      return { ...NONE, scripts: [command.body], words: command.words };
    case "count":
      return { ...NONE, scripts: [command.body], inner: command.inner };
    case "case":
      return { ...NONE, scripts: command.bodies, inner: innerOf(command.words) };
    case "test":
      return { ...NONE, inner: innerOf(command.words) };
    case "arithmetic":
      return { ...NONE, inner: command.inner };
    case "function":
      return { ...NONE, commands: [command.body] };
  }
}

export function innerOf(words: readonly Word[]): readonly Inner[] {
  // Most words are plain.
  return words.some(({ inner }) => inner.length > 0) ? words.flatMap(({ inner }) => inner) : NONE.inner;
}

export function redirectWords(redirects: readonly Redirect[]): readonly Word[] {
  return redirects.flatMap(({ target, body }) => [target, body]).filter((word) => word !== undefined);
}

/** The commands of a script, without those nested inside them. */
export function commandsIn(script: Script): readonly Command[] {
  return script.statements.flatMap(({ pipelines }) => pipelines.flatMap(({ commands }) => commands));
}

/** Whether the script is a single simple command. */
export function isLoneCommand(script: Script): boolean {
  const [command, ...others] = commandsIn(script);
  return command?.kind === "simple" && others.length === 0;
}

/** Whether it contains a here-document at any depth, except in other substitutions. */
export function hasHereDocument(script: Script): boolean {
  return commandsIn(script).some(commandHasHereDocument);
}

function commandHasHereDocument(command: Command): boolean {
  if (command.redirects.some(({ body }) => body !== undefined)) return true;
  const { scripts, commands } = childrenOf(command);
  return scripts.some(hasHereDocument) || commands.some(commandHasHereDocument);
}
