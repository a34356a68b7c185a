// Parses the options of a command against the closed list of those that are understood. An option is understood only in
// its exact spelling: an abbreviation, an unknown letter or a word that may turn out to be an option stops the parsing.
//
// A list is written as in a manual: `-abc` are three flags, `-k:` takes a value (attached or as the next word), `-k?`
// may have an attached value, `--key` is a flag, `--key=` takes a value (with `=` or as the next word), `--key?` may
// have one with `=`, `--key%` takes the next two words, `--key~` the next word unless it is the last, `-#` is a number
// such as `-20`. After a value, `<` means that it names a file to read, and `>` one to write.

import type { ShellWord } from "./shell-words.ts";

type ValueMeaning = "text" | "read" | "write";

interface OptionForm {
  readonly value: "none" | "required" | "optional" | "pair" | "unlessLast";
  readonly means: ValueMeaning;
}

export interface OptionList {
  readonly forms: ReadonlyMap<string, OptionForm>;
  readonly hasNumbers: boolean;
}

export interface ReadOption {
  readonly name: string;
  /** Absent for a flag. */
  readonly value?: ShellWord;
  readonly means: ValueMeaning;
}

export interface ReadOptions {
  /** The options in order. */
  readonly options: readonly ReadOption[];
  readonly operands: readonly ShellWord[];
  /** The operands after `--`; undefined without it. */
  readonly dashed?: readonly ShellWord[] | undefined;
}

/** The word that was not understood. */
export interface Refused {
  readonly refused: string;
  /** See ShellPart. */
  readonly lacking?: string;
}

const MARKS = {
  "": "none",
  ":": "required",
  "=": "required",
  "?": "optional",
  "%": "pair",
  "~": "unlessLast",
} as const;

function optionList(text: string): OptionList {
  const forms = new Map<string, OptionForm>();
  const tokens = text.split(/\s+/).filter(Boolean);
  for (const token of tokens) {
    if (token === "-#") continue;
    const [, name = "", mark = "", file] = /^(--[^=?%~<>]+|-.(?=[:?]))([:=?%~]?)([<>]?)$/.exec(token) ?? [];
    const form: OptionForm = {
      value: MARKS[mark as keyof typeof MARKS],
      means: file === "<" ? "read" : file === ">" ? "write" : "text",
    };
    if (name) forms.set(name, form);
    else for (const letter of token.slice(1)) forms.set(`-${letter}`, { value: "none", means: "text" });
  }
  return { forms, hasNumbers: tokens.includes("-#") };
}

const lists = new Map<string, OptionList>();

/** The lists are long constant strings, so each is parsed only once. */
export function listOf(text: string): OptionList {
  const known = lists.get(text) ?? optionList(text);
  lists.set(text, known);
  return known;
}

export interface Reading {
  /** No option of the program does harm, so a word that may turn out to be an option counts as an operand. */
  readonly isLenient?: boolean | undefined;
  /** The program reads no options after its first operand. */
  readonly stops?: boolean | undefined;
  /**
   * A letter that takes a value must stand alone, with its value as the next word, because the program parses combined
   * letters differently.
   */
  readonly isDetached?: boolean | undefined;
}

export function readOptions(
  words: readonly ShellWord[],
  list: OptionList,
  { isLenient = false, stops = false, isDetached = false }: Reading = {},
): ReadOptions | Refused {
  const options: ReadOption[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.isKnown && word.value === "--") {
      const dashed = words.slice(at + 1);
      return { options, operands: [...operands, ...dashed], dashed };
    }
    const isOpen = !word.isKnown && !word.value.startsWith("-");
    if (isOpen && word.mayBeOption && !isLenient) return { refused: word.value };
    if (!word.mayBeOption || isOpen || word.value === "-") {
      operands.push(word);
      continue;
    }
    // After the first operand it would be another operand: for some programs, a file to write.
    if (stops && operands.length > 0) return { refused: word.value };
    const read = word.value.startsWith("--") ? readLong(word, list) : readShort(word, list);
    if (!read || (isDetached && isCombined(word, read))) return { refused: word.value };
    options.push(...read.options);
    const wants = read.wants as ReadOption;
    if (read.mayLack && at === words.length - 1) options.push(wants);
    else
      for (let left = read.takes ?? 0; left > 0; left--) {
        const value = words[++at];
        if (!value || value.isSplit || mayBeAnotherOption(value, wants.name)) return { refused: word.value };
        options.push({ ...wants, value });
      }
  }
  return { options, operands };
}

/**
 * If the value is optional in some version of the program, that version would parse this word as an option. `-1` is a
 * number, and a pattern after `-e` is one in every version.
 */
function mayBeAnotherOption({ value, mayBeOption }: ShellWord, name: string): boolean {
  return mayBeOption && name !== "-e" && !/^-(?:\d[\w.]*)?$/.test(value);
}

function isCombined({ value }: ShellWord, { options, wants }: Read): boolean {
  return !value.startsWith("--") && value.length > 2 && (wants !== undefined || options.some((option) => option.value));
}

interface Read {
  readonly options: ReadOption[];
  /** The option that takes the next words, and how many. */
  readonly wants?: ReadOption;
  readonly takes?: 1 | 2;
  readonly mayLack?: boolean;
}

function readLong(word: ShellWord, list: OptionList): Read | undefined {
  const equals = word.value.indexOf("=");
  const name = equals < 0 ? word.value : word.value.slice(0, equals);
  const form = list.forms.get(name);
  if (!form || (!word.isKnown && equals < 0)) return undefined;
  const option: ReadOption = { name, means: form.means };
  if (equals < 0) {
    if (form.value === "none" || form.value === "optional") return { options: [option] };
    const mayLack = form.value === "unlessLast";
    return { options: [], wants: option, takes: form.value === "pair" ? 2 : 1, mayLack };
  }
  // Every expansion of `--include=*.ts` or `--include=*.{a,b}` begins with the same option.
  const isFixed = !word.isSplit || word.paths !== undefined;
  if (!isFixed || form.value === "none" || form.value === "pair") return undefined;
  return { options: [{ ...option, value: { ...word, value: word.value.slice(equals + 1), paths: undefined } }] };
}

function readShort(word: ShellWord, list: OptionList): Read | undefined {
  if (list.hasNumbers && word.isKnown && /^-\d+$/.test(word.value)) return { options: [{ name: "-#", means: "text" }] };
  const options: ReadOption[] = [];
  for (let at = 1; at < word.value.length; at++) {
    const name = `-${word.value[at]}`;
    const form = list.forms.get(name);
    if (!form) return undefined;
    const option: ReadOption = { name, means: form.means };
    if (form.value === "none") {
      if (!word.isKnown) return undefined;
      options.push(option);
      continue;
    }
    const value = word.value.slice(at + 1);
    if (value === "" && word.isKnown)
      return form.value === "optional" ? { options: [...options, option] } : { options, wants: option, takes: 1 };
    if (word.isSplit) return undefined;
    return { options: [...options, { ...option, value: { ...word, value, paths: undefined } }] };
  }
  return { options };
}
