// A word of a command as the judgement of a program sees it: what is known about it, and what it may expand to.

import type { FoundFiles } from "../../contract/shell.ts";
import type { Word } from "./syntax.ts";
import type { VariableFacts } from "./variables.ts";

export interface ShellWord {
  readonly value: string;
  readonly isKnown: boolean;
  /** It may expand to several words, or none. */
  readonly isSplit: boolean;
  /** It may begin with a dash. */
  readonly mayBeOption: boolean;
  /** Every path that it may name, with globs as written; undefined if unknown. */
  readonly paths: readonly string[] | undefined;
  /** It stands for files that another command finds. */
  readonly found?: FoundFiles | undefined;
  /** It comes from the output of another command, split at blanks. */
  readonly isFed?: boolean | undefined;
  /** It is a single number. */
  readonly isNumber?: boolean | undefined;
}

export function knownWord(value: string): ShellWord {
  return { value, isKnown: true, isSplit: false, mayBeOption: value.startsWith("-"), paths: [value] };
}

/** Whether it may expand to more than one word. */
export function mayBeSeveral({ isSplit, paths, found }: ShellWord): boolean {
  return isSplit && (found !== undefined || !paths?.every((path) => !/[*?[{]/.test(path)));
}

/** A word that xargs inserts from its input. */
export function fedWord(value: string): ShellWord {
  return { ...unknownWord(value, ""), isFed: true };
}

/** A word that xargs or find inserts. */
export function unknownWord(value: string, lead: string): ShellWord {
  return { value, isKnown: false, isSplit: lead === "", mayBeOption: lead === "", paths: undefined };
}

export function toShellWord(word: Word, facts: VariableFacts): ShellWord {
  const { value, isKnown, isSplit, lead } = word;
  if (isKnown) return knownWord(value);
  const paths = pathsOf(word, facts);
  const mayBeOption =
    paths && lead === "" ? paths.some((path) => !/^[\w./~]/.test(path)) : lead === "" || lead.startsWith("-");
  // `src/$x` may become `src/a -o b`.
  const isOpen = word.hasBlanks && paths === undefined;
  const [, name] = /^\$\{?(\w+)\}?$/.exec(value) ?? [];
  const isNumber = name !== undefined && facts.isNumber(name);
  return { value, isKnown, isSplit, mayBeOption: mayBeOption || isOpen, paths, isNumber };
}

/** `<(…)`: what it runs is judged separately. */
export function isProcessSubstitution({ value, isKnown }: Pick<ShellWord, "value" | "isKnown">): boolean {
  return !isKnown && /^[<>]\(/.test(value);
}

function pathsOf(word: Word, facts: VariableFacts): readonly string[] | undefined {
  if (isProcessSubstitution(word) && !word.hasBlanks) return [];
  if (isTilde(word)) return undefined;
  if (word.inner.length === 0) return [word.value];
  const [variable, ...others] = word.inner;
  if (others.length > 0 || variable?.kind !== "variable") return undefined;
  const written = [`\${${variable.name}}`, `$${variable.name}`].find((text) => word.value.includes(text));
  const values = facts.values(variable.name);
  if (!written || !values?.every((value) => value.inner.length === 0 && !isTilde(value))) return undefined;
  // Unquoted, a value with blanks becomes several words.
  if (word.isSplit && values.some(({ value }) => /\s/.test(value))) return undefined;
  return values.map(({ value }) => word.value.replace(written, () => value));
}

/** `~-`, `~+`, `~1` and `~name` are folders that the text does not reveal; in an assignment also after a colon. */
function isTilde({ value, isKnown }: Pick<Word, "value" | "isKnown">): boolean {
  return (!isKnown && value.startsWith("~")) || value.includes(":~");
}
