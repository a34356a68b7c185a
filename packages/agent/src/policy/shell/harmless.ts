// Whether a command is on the list of harmless ones, and which files it names.

import { HARMLESS_GIT, HARMLESS_GIT_ADD } from "./harmless-git.ts";
import { HARMLESS, type HarmlessProgram, type Operands } from "./harmless-programs.ts";
import { type OptionList, optionList, type ReadOptions, readOptions } from "./options.ts";
import { isPlainAwk, isPlainSed } from "./script-texts.ts";
import type { ShellWord } from "./shell-words.ts";

export interface Harmless {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** See ShellPart. */
  readonly trees?: readonly string[];
  readonly picks?: readonly string[];
  /** It changes something besides `writes`. */
  readonly changes?: boolean;
}

/** Undefined when the command is not on the list, or not with these options. The program is known by its plain name. */
export function harmlessOf(words: readonly ShellWord[], program: string): Harmless | undefined {
  if (isVersionQuestion(words, program)) return { reads: [], writes: [] };
  if (program === "git") return harmlessGit(words);
  if (program === "find") return harmlessFind(words);
  if (program === "tar" || program === "unzip") return harmlessListing(words, LISTS[program]);
  if (program === "sed" && words.some(({ value }) => IN_PLACE.test(value))) return harmlessSedInPlace(words);
  if (!Object.hasOwn(HARMLESS, program)) return undefined;
  const entry = HARMLESS[program] as HarmlessProgram;
  const given = words.slice(1);
  const read = entry.options === "*" ? anyOptions(given) : readOptions(given, listOf(entry.options), entry.isLenient);
  if (!read || read.operands.length > (entry.most ?? Number.POSITIVE_INFINITY)) return undefined;
  if (entry.each && !read.operands.every(({ value, isKnown }) => isKnown && entry.each?.test(value))) return undefined;
  const isOpen = ({ value }: { readonly value?: ShellWord }) =>
    value && !(value.isKnown && entry.values?.test(value.value));
  if (entry.values && read.options.some(isOpen)) return undefined;
  if (entry.language && !hasPlainScript(read, entry)) return undefined;
  const isReplaced = read.options.some(({ name }) => entry.patternOptions?.includes(name));
  const files = optionFiles(read);
  const named = filesOf(isReplaced && entry.operands === "pattern" ? "read" : entry.operands, read.operands);
  if (!named || !files) return undefined;
  return { ...named, reads: [...named.reads, ...files], ...searchedBy(program, read, named) };
}

const RECURSIVE: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["grep", "egrep", "fgrep"].map((name) => [name, /^(?:-[rRdD]|--directories|--(?:dereference-)?recursive)$/]),
  ),
  diff: /^(?:-r|--recursive)$/,
  cp: /^(?:-[rRa]|--recursive|--archive)$/,
};

/** Programs that go down into folders. */
function searchedBy(program: string, { options }: ReadOptions, { reads }: Harmless): Pick<Harmless, "trees" | "picks"> {
  const isAlways = /^(?:rg|ag|mv)$/.test(program);
  if (!isAlways && !options.some(({ name }) => RECURSIVE[program]?.test(name))) return {};
  const picks = options.flatMap(({ name, value }) =>
    value && /^(?:-g|-G|--i?glob|--include|--type-add)$/.test(name) && !value.value.startsWith("!")
      ? [value.value.replace(/^[\w-]+:(?=.)/, "")]
      : [],
  );
  return { trees: reads.length > 0 ? reads : ["."], picks };
}

// Not those that a file of the project can make another program: cargo, go, pnpm, yarn.
const VERSIONED =
  /^(?:node|npm|tsc|python[\d.]*|pip[\d.]*|perl|php|java|javac|gcc|g\+\+|clang|cmake|make|docker|bash)$/;

/** They print which version they are, and nothing else. */
function isVersionQuestion(words: readonly ShellWord[], program: string): boolean {
  const [, question] = words;
  if (words.length !== 2 || !question?.isKnown || !VERSIONED.test(program)) return false;
  return question.value === "--version";
}

const lists = new Map<string, OptionList>();

/** The lists are long texts of constants: each is cut up once. */
function listOf(text: string): OptionList {
  const known = lists.get(text) ?? optionList(text);
  lists.set(text, known);
  return known;
}

function anyOptions(words: readonly ShellWord[]): ReadOptions {
  const isOption = ({ value, isKnown }: ShellWord) => isKnown && value.startsWith("-") && value !== "-";
  return { options: [], operands: words.filter((word) => !isOption(word)) };
}

/** Files that options name: a list of patterns, an order of files. */
function optionFiles({ options }: ReadOptions): string[] | undefined {
  const files = options.filter(
    ({ name, value }) => value && /^(?:-f|--file|--exclude-from|--ignore-file|--from-file|--to-file)$/.test(name),
  );
  return files.every(({ value }) => value?.isKnown) ? files.map(({ value }) => value?.value ?? "") : undefined;
}

function filesOf(operands: Operands, words: readonly ShellWord[]): Harmless | undefined {
  if (operands === "text") return { reads: [], writes: [] };
  if (operands === "none") return words.length === 0 ? { reads: [], writes: [] } : undefined;
  const files = operands === "pattern" ? words.slice(1) : words;
  const paths = files.map(({ paths: known }) => known);
  if (paths.includes(undefined)) return undefined;
  const all = (paths as string[][]).flat().filter((path) => path !== "-");
  if (operands === "read" || operands === "pattern") return { reads: all, writes: [] };
  if (operands === "write") return { reads: [], writes: all };
  return transfers((paths as string[][]).slice(0, -1).flat(), paths.at(-1) ?? [], operands === "move");
}

/** `mv` and `cp`: a folder as target gets the names of what goes there. What goes must have a name of its own. */
function transfers(sources: readonly string[], targets: readonly string[], isMove: boolean): Harmless | undefined {
  const names = sources.map((source) => source.slice(source.lastIndexOf("/") + 1));
  if (sources.length === 0 || names.some((name) => /^\.{0,2}$|^\..*[*?[{]/.test(name))) return undefined;
  const into = targets.flatMap((target) => names.map((name) => `${target.replace(/\/+$/, "")}/${name}`));
  return { reads: sources, writes: [...targets, ...into, ...(isMove ? sources : [])] };
}

function hasPlainScript({ options, operands }: ReadOptions, { language, patternOptions }: HarmlessProgram): boolean {
  const given = options.flatMap(({ name, value }) => (value && patternOptions?.includes(name) ? [value] : []));
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  const isPlain = language === "sed" ? isPlainSed : isPlainAwk;
  return scripts.length > 0 && scripts.every(({ value, isKnown }) => isKnown && isPlain(value));
}

/** Options that only show what an archive holds; the file comes right after them. */
const LISTS = {
  tar: /^(?:-?(?=[vzjJa]*t)[tvzjJa]+f|--list|--file|-f|-v|--verbose)$/,
  unzip: /^-(?:q{0,2}l|lq{0,2}|v|z|Z1?)$/,
};

/**
 * Options first, then the archive, then members of it. A file with a colon in its name would be another machine's, which tar asks
 * over the network.
 */
function harmlessListing(words: readonly ShellWord[], list: RegExp): Harmless | undefined {
  const given = words.slice(1);
  const first = given.findIndex(({ value }) => !list.test(value));
  const [options, operands] = [given.slice(0, first), given.slice(first)];
  if (first < 1 || !given.every(({ isKnown }) => isKnown) || operands.some(({ value }) => /^[-+]/.test(value)))
    return undefined;
  const isTar = list === LISTS.tar;
  const lists = !isTar || options.some(({ value }) => /^-?[a-zA-Z]*t|^--list$/.test(value));
  const namesFile = !isTar || /f$|^--file$/.test(options.at(-1)?.value ?? "");
  const [archive] = operands;
  if (!lists || !namesFile || archive === undefined || /[:*?[]/.test(archive.value)) return undefined;
  return { reads: [archive.value], writes: [] };
}

const IN_PLACE = /^(?:-[nErsz]*i(?:\.\w+)?|--in-place(?:=\.\w+)?)$/;

/** Changes the files it names. */
function harmlessSedInPlace(words: readonly ShellWord[]): Harmless | undefined {
  const found = harmlessOf(
    words.filter(({ value }) => !IN_PLACE.test(value)),
    "sed",
  );
  return found && { reads: [], writes: found.reads };
}

function harmlessGit(words: readonly ShellWord[]): Harmless | undefined {
  const [, subcommand] = words;
  if (!subcommand) return { reads: [], writes: [] };
  if (!subcommand.isKnown) return undefined;
  const name = subcommand.value;
  if (/^(?:--version|-v|--help|-h)$/.test(name)) return words.length === 2 ? { reads: [], writes: [] } : undefined;
  if (name === "add") {
    const read = readOptions(words.slice(2), listOf(HARMLESS_GIT_ADD));
    return read && { reads: [], writes: [], changes: true };
  }
  if (!Object.hasOwn(HARMLESS_GIT, name)) return undefined;
  const entry = HARMLESS_GIT[name] as (typeof HARMLESS_GIT)[string];
  const read = readOptions(words.slice(2), listOf(entry.options));
  if (!read || read.operands.length > (entry.most ?? Number.POSITIVE_INFINITY)) return undefined;
  const [first] = read.operands;
  if (read.operands.length < (entry.least ?? 0)) return undefined;
  if (entry.first && first && !(first.isKnown && entry.first.test(first.value))) return undefined;
  // `revision:path` and paths; a revision is taken for the name of a file that is not there.
  const ranges = read.options.flatMap(({ name: option, value }) => (option === "-L" && value ? [value] : []));
  const reads = [...read.operands, ...ranges]
    .map(({ value }) => value.slice(value.lastIndexOf(":") + 1).replace(/^\([^)]*\)/, ""))
    .filter((path) => path !== "");
  const isOutside = read.options.some(({ name: option }) => option === "--no-index");
  const shows = SHOWS_FILES.test(name);
  return { reads, writes: [], ...(isOutside && { trees: reads }), ...(shows && { picks: reads }) };
}

/** They show what is in files; a wildcard in a path stands for hidden files as well. */
const SHOWS_FILES = /^(?:log|show|whatchanged|diff|diff-tree|diff-index|diff-files|grep|cat-file|blame|annotate)$/;

/** How many words each test of `find` takes. Those that write, delete or run are not here. */
const FIND_TESTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "-H -L -P -a -o -not -and -or ! ( ) , -print -print0 -ls -prune -quit -true -false -depth -d -follow -mount -xdev -daystart -empty -readable -writable -executable -nouser -nogroup -noleaf -ignore_readdir_race"
      .split(" ")
      .map((name) => [name, 0]),
  ),
  ...Object.fromEntries(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -lname -ilname -samefile -fstype -used -printf -newermt"
      .split(" ")
      .map((name) => [name, 1]),
  ),
};

function harmlessFind(words: readonly ShellWord[]): Harmless | undefined {
  const reads: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (!word.mayBeOption && !/^[!(),]$/.test(word.value)) {
      if (!word.paths) return undefined;
      reads.push(...word.paths);
      continue;
    }
    if (!word.isKnown) return undefined;
    // What it runs is a part of its own.
    if (/^-(?:exec|execdir)$/.test(word.value)) {
      while (at < words.length && !/^[;+]$/.test((words[at] as ShellWord).value)) at++;
      continue;
    }
    const takes = Object.hasOwn(FIND_TESTS, word.value) ? FIND_TESTS[word.value] : undefined;
    if (takes === undefined) return undefined;
    if (takes === 1 && words[++at]?.isSplit) return undefined;
  }
  return { reads, writes: [] };
}
