// Reads the options of a command against the list of those that are permitted.
//
// A list is written as in a manual: `-abc` three flags, `-k:` takes a value, `--key` a flag, `--key=` takes a value (with `=` or as
// the next word), `--key?` may have one with `=`, `-#` a number such as `-20`.

import type { ShellWord } from "./shell-words.ts";

export interface OptionList {
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  readonly hasNumbers: boolean;
}

export interface ReadOptions {
  /** The options in order; a flag has no value. */
  readonly options: readonly { readonly name: string; readonly value?: ShellWord }[];
  readonly operands: readonly ShellWord[];
}

export function optionList(text: string): OptionList {
  const [flags, valued, optional] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let hasNumbers = false;
  for (const token of text.split(/\s+/).filter(Boolean)) {
    if (token === "-#") hasNumbers = true;
    else if (token.startsWith("--")) {
      const set = token.endsWith("=") ? valued : token.endsWith("?") ? optional : flags;
      set.add(token.replace(/[=?]$/, ""));
    } else if (/^-.:$/.test(token)) valued.add(token.slice(0, 2));
    else for (const letter of token.slice(1)) flags.add(`-${letter}`);
  }
  return { flags, valued, optional, hasNumbers };
}

/**
 * Undefined when an option is not permitted, or a word may turn out to be one; with `isLenient` such a word is an operand,
 * because no option of the program does harm.
 */
export function readOptions(words: readonly ShellWord[], list: OptionList, isLenient = false): ReadOptions | undefined {
  const options: { name: string; value?: ShellWord }[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.isKnown && word.value === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    const isOpen = !word.isKnown && !word.value.startsWith("-");
    if (isOpen && word.mayBeOption && !isLenient) return undefined;
    if (!word.mayBeOption || isOpen || word.value === "-") {
      operands.push(word);
      continue;
    }
    const read = word.value.startsWith("--") ? readLong(word, list) : readShort(word, list);
    if (!read) return undefined;
    options.push(...read.options);
    if (!read.wants) continue;
    const value = words[++at];
    if (!value || value.isSplit) return undefined;
    options.push({ name: read.wants, value });
  }
  return { options, operands };
}

interface Read {
  readonly options: { name: string; value?: ShellWord }[];
  /** The option whose value is the next word. */
  readonly wants?: string | undefined;
}

function readLong(word: ShellWord, list: OptionList): Read | undefined {
  const equals = word.value.indexOf("=");
  const name = equals < 0 ? word.value : word.value.slice(0, equals);
  if (!word.isKnown && equals < 0) return undefined;
  if (equals < 0) {
    if (list.flags.has(name) || list.optional.has(name)) return { options: [{ name }] };
    return list.valued.has(name) ? { options: [], wants: name } : undefined;
  }
  const value = { ...word, value: word.value.slice(equals + 1), paths: undefined };
  const isPermitted = list.valued.has(name) || list.optional.has(name);
  // What `--include=*.ts` or `--include=*.{a,b}` becomes begins with the same option.
  const isFixed = !word.isSplit || word.paths !== undefined;
  return isPermitted && isFixed ? { options: [{ name, value }] } : undefined;
}

function readShort(word: ShellWord, list: OptionList): Read | undefined {
  if (list.hasNumbers && word.isKnown && /^-\d+$/.test(word.value)) return { options: [{ name: "-#" }] };
  const options: Read["options"] = [];
  for (let at = 1; at < word.value.length; at++) {
    const name = `-${word.value[at]}`;
    if (list.valued.has(name)) {
      const value = word.value.slice(at + 1);
      if (value === "" && word.isKnown) return { options, wants: name };
      if (word.isSplit) return undefined;
      options.push({ name, value: { ...word, value, paths: undefined } });
      return { options };
    }
    if (!word.isKnown || !list.flags.has(name)) return undefined;
    options.push({ name });
  }
  return { options };
}
