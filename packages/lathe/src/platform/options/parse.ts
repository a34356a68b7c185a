// Parses argv into options. This file knows the table, not what the options mean.

import { join } from "node:path";
import { CliError, EXIT, usageError } from "../usage/exit.ts";
import { nearest } from "../usage/nearest.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "./option-table.ts";

export interface ParsedArgs {
  readonly options: CliOptions;
  /** Words that are not options: the prompt, and `@file` arguments. */
  readonly words: readonly string[];
}

const specs: Readonly<Record<string, OptionSpec>> = OPTIONS;

/** An option that is not in the table; an extension may add it. */
export class UnknownOption extends CliError {
  readonly word: string;
  constructor(word: string, message: string) {
    super(EXIT.usage, message);
    this.word = word;
  }
}

export interface ParseOptions {
  /** Options that extensions added, and whether each takes a value. */
  readonly flags?: Readonly<Record<string, "boolean" | "string">>;
  /** Skips unknown options, to find out which extensions to load. */
  readonly isLenient?: boolean;
}

export function parseArgs(
  argv: readonly string[],
  userHome: string,
  { flags: added = {}, isLenient = false }: ParseOptions = {},
): ParsedArgs {
  const options: Record<string, unknown> = {};
  const extensionFlags: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (word === "--") {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!isOption(word)) {
      if (namesOption(word)) throw unknownOption(word);
      words.push(word);
      continue;
    }
    const { flags, name, inline } = optionName(word);
    for (const flag of flags) options[flag] = true;
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (!spec) {
      if (!Object.hasOwn(added, name) && !isLenient) throw unknownOption(word);
      if (added[name] === "string") {
        const value = inline ?? argv[++i];
        if (value === undefined) throw usageError(`--${name} needs a value.`);
        extensionFlags[name] = value;
      } else extensionFlags[name] = true;
      continue;
    }
    if (spec.kind === "flag") {
      if (inline !== undefined) throw usageError(`--${name} takes no value.`);
      const { for: meant, value } = spec.stands ?? { for: name, value: true };
      options[meant] = value;
      continue;
    }
    const next = inline === undefined ? argv[i + 1] : atHome(spec, inline, userHome);
    const hasNext = next !== undefined && (inline !== undefined || !isOption(next));
    if (hasNext && !spec.mayBeEmpty && next.trim() === "") throw emptyValue(name);
    if (spec.kind === "optional") {
      options[name] = hasNext ? next : true;
      if (hasNext && inline === undefined) i++;
      continue;
    }
    // A lone `-p` means that the other words are the prompt. So does `-p @notes.md "what is missing"`, where the first
    // word is a file.
    const isFlag = !hasNext || (inline === undefined && /^@\S+$/.test(next) && /\s/.test(argv[i + 2] ?? ""));
    if (isFlag && name === "print") {
      options[name] = (options[name] as string[] | undefined) ?? [];
      continue;
    }
    if (!hasNext) throw usageError(`--${name} needs a value: --${name} <${spec.value ?? "value"}>.`);
    if (inline === undefined) i++;
    checkChoice(name, spec, next);
    let value = next;
    // `-p fix the bug`, without quotes, is one prompt.
    while (name === "print" && inline === undefined && isSingleWord(next) && isSingleWord(argv[i + 1])) {
      const more = argv[++i] ?? "";
      if (more.startsWith("@")) words.push(more);
      else value += ` ${more}`;
    }
    if (spec.kind === "list") options[name] = [...((options[name] as string[] | undefined) ?? []), value];
    else options[name] = next;
  }
  if (Object.keys(extensionFlags).length > 0) options["extensionFlags"] = extensionFlags;
  return { options: options as CliOptions, words };
}

/** Prompts can begin with a dash too: a list, or the front matter of a file. */
const isOption = (word: string): boolean => /^(?:--$|--[a-z][\w-]*(?:=|$)|-[a-z](?:\S|$))/i.test(word);

const isSingleWord = (word = "-"): boolean => word !== "-" && !isOption(word) && /^\S+$/.test(word);

/** Whether the word holds an option and its value, quoted together by mistake, as scripts sometimes do. */
function namesOption(word: string): boolean {
  const name = /^--?([a-z][\w-]*)\s/i.exec(word)?.[1];
  return name !== undefined && (Object.hasOwn(specs, name) || byShort(name) !== undefined);
}

const byShort = (letter: string): string | undefined =>
  Object.keys(specs).find((name) => specs[name]?.short === letter);

interface NamedOption {
  readonly name: string;
  readonly inline?: string;
  /** Short flags before it in the same word, as in `-cp`. */
  readonly flags: readonly string[];
}

function optionName(word: string): NamedOption {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = word.slice(2, equals < 0 ? undefined : equals);
    return equals < 0 ? { name, flags: [] } : { name, flags: [], inline: word.slice(equals + 1) };
  }
  const flags: string[] = [];
  for (let at = 1; ; at++) {
    const name = byShort(word[at] ?? "");
    if (name === undefined) throw unknownOption(word);
    if (at + 1 === word.length) return { name, flags };
    if (specs[name]?.kind !== "flag") return { name, flags, inline: word.slice(at + 1) };
    flags.push(name);
  }
}

/** Names that other agents use for the mode without questions. */
const UNASKED =
  /^--?(?:yolo|dangerously-skip-permissions|dangerously-bypass-approvals-and-sandbox|allow-all-tools|full-auto)$/;

function unknownOption(word: string): Error {
  if (UNASKED.test(word))
    return usageError(`Unknown option ${word}. To run everything without asking: --permission-mode full`);
  if (/\s/.test(word)) return usageError(`Unknown option "${word}". To use it as a prompt, put it after -p or --.`);
  const guess = nearest(word.replace(/^-+/, "").split("=")[0] ?? "", Object.keys(specs));
  return new UnknownOption(
    word.split("=")[0] ?? "",
    `Unknown option ${word}.${guess ? ` Did you mean --${guess}?` : ""} See lathe --help.`,
  );
}

/** No shell expands the ~ in `--record=~/run`. */
function atHome({ value = "" }: OptionSpec, text: string, userHome: string): string {
  return text.startsWith("~/") && /dir|file|path/.test(value) ? join(userHome, text.slice(2)) : text;
}

/** A script passes an empty value if a variable was not set. */
const emptyValue = (name: string): Error => usageError(`--${name} is empty. Give a value, or remove the option.`);

function checkChoice(name: string, spec: OptionSpec, value: string): void {
  if (!spec.choices || spec.choices.includes(value)) return;
  throw usageError(`--${name} must be one of ${spec.choices.join(", ")}, not "${value}".`);
}
