// Whether a command is on the list of harmless ones, and which files it names.

import type { TreeReading } from "../../contract/shell.ts";
import { endOfExec, FIND_TESTS } from "./found-files.ts";
import { HARMLESS_GIT, HARMLESS_GIT_ADD } from "./harmless-git.ts";
import { HARMLESS_WHERE_TRUSTED } from "./harmless-machine.ts";
import type { HarmlessProgram, Operands } from "./harmless-program.ts";
import { HARMLESS } from "./harmless-programs.ts";
import { listOf, type ReadOptions, type Refused, readOptions } from "./options.ts";
import { isPlainAwk, isPlainJq, isPlainSed } from "./script-texts.ts";
import { mayBeSeveral, type ShellWord } from "./shell-words.ts";
import { searchedBy } from "./tree-readers.ts";

/** Paths with this prefix are relative to the top of the repository, wherever in it git runs. */
export const TOP = ":/";

export interface Harmless {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** See ShellPart. */
  readonly trees?: readonly string[];
  readonly readsTrees?: TreeReading | undefined;
  readonly tracked?: readonly string[];
  readonly picks?: readonly string[];
  readonly followsLinks?: boolean;
  readonly copiesLinks?: boolean;
  /** It changes something besides `writes`. */
  readonly changes?: boolean;
}

/**
 * Undefined if the program is not listed; refused with the word that is not understood. Programs are identified by
 * their plain name.
 */
export function harmlessOf(
  words: readonly ShellWord[],
  program: string,
  isTrusted = false,
): Harmless | Refused | undefined {
  if (isQuestion(words, program, isTrusted)) return { reads: [], writes: [] };
  if (program === "git") return harmlessGit(words);
  if (program === "find") return harmlessFind(words);
  if (program === "tar" || program === "unzip") return harmlessListing(words, LISTS[program]);
  if (program === "sed" && words.some(({ value }) => IN_PLACE.test(value))) return harmlessSedInPlace(words);
  const list = Object.hasOwn(HARMLESS, program) || !isTrusted ? HARMLESS : HARMLESS_WHERE_TRUSTED;
  return Object.hasOwn(list, program) ? harmlessListed(words, program, list[program] as HarmlessProgram) : undefined;
}

function harmlessListed(
  words: readonly ShellWord[],
  program: string,
  entry: HarmlessProgram,
): Harmless | Refused | undefined {
  const given = words.slice(1);
  const read =
    entry.options === "*" ? { options: [], operands: given } : readOptions(given, listOf(entry.options), entry);
  const isListed = (operands: readonly ShellWord[]): boolean => !entry.joined || isAmong(operands, entry.joined);
  // For an unlisted subcommand, no option is the reason.
  if ("refused" in read)
    return isListed(given.filter((word) => word.isKnown && !/^-/.test(word.value))) ? read : undefined;
  if (!isListed(read.operands)) return undefined;
  const { needs } = entry;
  if (needs && !read.options.some(({ name }) => needs.options.includes(name)))
    return { refused: program, lacking: `${program} without ${needs.options[0]} ${needs.otherwise}` };
  const strange = strangeWord(read, entry);
  if (strange !== undefined) return { refused: strange };
  const isReplaced = read.options.some(({ name }) => entry.patternOptions?.includes(name));
  const named = filesOf(isReplaced && entry.operands === "pattern" ? "read" : entry.operands, read.operands);
  if ("refused" in named) return named;
  const all = [...named.reads, ...valuesThat(read, "read")];
  const reads = COMPARING.test(program) ? [...all, ...sameNames(all)] : all;
  const writes = [...named.writes, ...valuesThat(read, "write")];
  const copiesLinks = program === "cp" && read.options.some(({ name }) => KEEPS_LINKS.test(name));
  return {
    reads,
    writes,
    ...(copiesLinks && { copiesLinks }),
    ...searchedBy(program, read, program === "diff" ? all : named.reads),
  };
}

/** With these options, `cp` copies links as links. */
const KEEPS_LINKS = /^(?:-[adPrR]|--archive|--no-dereference|--recursive)$/;

const COMPARING = /^s?diff$/;

/** Given a file and a folder, these compare the file with the one of the same name in the folder. */
function sameNames(paths: readonly string[]): string[] {
  const nameOf = (path: string): string => path.replace(/\/+$/, "").replace(/^.*\//s, "");
  return paths.flatMap((folder) =>
    paths.flatMap((file) => (file === folder ? [] : [`${folder.replace(/\/+$/, "")}/${nameOf(file)}`])),
  );
}

/** Whether the subcommand is one of these. */
function isAmong(operands: readonly ShellWord[], joined: RegExp): boolean {
  return operands.every(({ isKnown }) => isKnown) && joined.test(operands.map(({ value }) => value).join(" "));
}

/** A word that the entry does not permit in its position. */
function strangeWord(read: ReadOptions, { each, values, language, most, patternOptions }: HarmlessProgram) {
  const surplus = most === undefined ? undefined : firstBeyond(read.operands, most);
  if (surplus) return surplus.value;
  // gawk opens a network connection for such a name.
  const isInet = language === "awk" && read.operands.find(({ value }) => /^\/+inet/.test(value));
  if (isInet) return isInet.value;
  const operand = each && read.operands.find(({ value, isKnown }) => !(isKnown && each.test(value)));
  if (operand) return operand.value;
  const option = read.options.find(
    ({ value, means }) =>
      value && ((values && !(value.isKnown && values.test(value.value))) || (means !== "text" && !value.isKnown)),
  );
  if (option) return option.name;
  return language && strangeScript(read, language, patternOptions);
}

/** The operand at which there are, or may be, more than `most`. */
function firstBeyond(operands: readonly ShellWord[], most: number): ShellWord | undefined {
  return operands.find((word, index) => mayBeSeveral(word) || index >= most);
}

function valuesThat({ options }: ReadOptions, means: "read" | "write"): string[] {
  return options.flatMap((option) => (option.means === means && option.value ? [option.value.value] : []));
}

// Excludes those that a project file can replace by another program: cargo, go, pnpm, rustc, yarn.
const VERSIONED =
  /^(?:node|npm|tsc|python[\d.]*|pip[\d.]*|perl|php|ruby|java|javac|gcc|g\+\+|clang|cmake|make|docker|bash|openssl)$/;

const VERSION: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["node", "npm", "tsc", "php", "ruby", "perl", "gcc", "g++", "clang"].map((name) => [name, /^-v$/]),
  ),
  python: /^-V$/,
  python3: /^-V$/,
  cargo: /^-V$/,
  rustc: /^-V$/,
  java: /^-version$/,
  openssl: /^version$/,
};

// Programs for which `--help` or `--version` is plain text or has another meaning.
const NOT_HELPED = /^(?:git|npm|dpkg|test|\[|hash|wait|jobs|dirs|tee|mkdir|rmdir|touch|cp|mv|awk|mawk|bc|crontab)$/;

/** It only prints its version or its help. */
function isQuestion(words: readonly ShellWord[], program: string, isTrusted: boolean): boolean {
  const question = words[1];
  if (words.length !== 2 || !question?.isKnown) return false;
  const isVersioned = VERSIONED.test(program) || (isTrusted && /^(?:cargo|rustc)$/.test(program));
  if (isVersioned && (question.value === "--version" || VERSION[program]?.test(question.value))) return true;
  return question.value === "--help" && Object.hasOwn(HARMLESS, program) && !NOT_HELPED.test(program);
}

function filesOf(operands: Operands, words: readonly ShellWord[]): Harmless | Refused {
  if (operands === "text") return { reads: [], writes: [] };
  if (operands === "none") return words[0] ? { refused: words[0].value } : { reads: [], writes: [] };
  // A glob in the position of the pattern expands to files as well.
  const files = operands === "pattern" && !(words[0] && mayBeSeveral(words[0])) ? words.slice(1) : words;
  const unknown = files.find(({ paths }) => paths === undefined);
  if (unknown) return { refused: unknown.value };
  const paths = files.map(({ paths: known }) => known as readonly string[]);
  if (operands === "read" || operands === "pattern") return { reads: paths.flat(), writes: [] };
  // A found file may be a link: only the folder is known, not what would be written.
  const found = files.find((word) => word.found);
  if (found) return { refused: found.value };
  if (operands === "write") return { reads: [], writes: paths.flat() };
  // All files that a glob matches, except the last, would be moved as well.
  const target = files.at(-1);
  if (target && mayBeSeveral(target)) return { refused: target.value };
  return transfers(paths.slice(0, -1).flat(), paths.at(-1) ?? [], operands === "move");
}

/** `mv` and `cp`: if the target is a folder, the sources keep their names in it. Each source must have a name. */
function transfers(sources: readonly string[], targets: readonly string[], isMove: boolean): Harmless | Refused {
  const names = sources.map((source) => source.slice(source.lastIndexOf("/") + 1));
  const nameless = sources.find((_, index) => /^\.{0,2}$|^\..*[*?[{]/.test(names[index] as string));
  if (sources.length === 0 || nameless !== undefined) return { refused: nameless ?? targets[0] ?? "" };
  const into = targets.flatMap((target) => names.map((name) => `${target.replace(/\/+$/, "")}/${name}`));
  return { reads: sources, writes: [...targets, ...into, ...(isMove ? sources : [])] };
}

const PLAIN_SCRIPTS = { sed: isPlainSed, awk: isPlainAwk, jq: isPlainJq };

/** The script, if it is not known to be plain. */
function strangeScript(
  { options, operands }: ReadOptions,
  language: keyof typeof PLAIN_SCRIPTS,
  patternOptions: readonly string[] = [],
): string | undefined {
  const given = options.flatMap(({ name, value }) => (value && patternOptions.includes(name) ? [value] : []));
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  if (scripts.length === 0) return language === "jq" ? undefined : language;
  return scripts.find(({ value, isKnown }) => !(isKnown && PLAIN_SCRIPTS[language](value)))?.value;
}

/** Options that only list an archive; the file name follows immediately. */
const LISTS = {
  tar: /^(?:-?(?=[vzjJa]*t)[tvzjJa]+f|--list|--file|-f|-v|--verbose)$/,
  unzip: /^-(?:q{0,2}l|lq{0,2}|v|z|Z1?)$/,
};

/**
 * Options first, then the archive, then members. A file name with a colon would refer to another machine, which tar
 * would contact over the network.
 */
function harmlessListing(words: readonly ShellWord[], list: RegExp): Harmless | Refused {
  const given = words.slice(1);
  const first = given.findIndex(({ value }) => !list.test(value));
  const [options, operands] = [given.slice(0, first), given.slice(first)];
  const strange = given.find(({ isKnown }) => !isKnown) ?? operands.find(({ value }) => /^[-+]/.test(value));
  if (first < 1 || strange) return { refused: (strange ?? words[1])?.value ?? "" };
  const isTar = list === LISTS.tar;
  const lists = !isTar || options.some(({ value }) => /^-?[a-zA-Z]*t|^--list$/.test(value));
  const namesFile = !isTar || /f$|^--file$/.test(options.at(-1)?.value ?? "");
  const [archive] = operands;
  if (!lists || !namesFile || archive === undefined || /[:*?[]/.test(archive.value))
    return { refused: archive?.value ?? options[0]?.value ?? "" };
  return { reads: [archive.value], writes: [] };
}

const IN_PLACE = /^(?:-[nErsz]*i(\.\w+)?|--in-place(?:=(\.\w+))?)$/;

/** Changes the files it names and, with a suffix, creates a backup next to each. */
function harmlessSedInPlace(words: readonly ShellWord[]): Harmless | Refused | undefined {
  const suffixes = words.flatMap(({ value }) => {
    const [, short, long] = IN_PLACE.exec(value) ?? [];
    return short ?? long ?? [];
  });
  const found = harmlessOf(
    words.filter(({ value }) => !IN_PLACE.test(value)),
    "sed",
  );
  if (!found || "refused" in found) return found;
  const handed = suffixes.length > 0 ? words.find((word) => word.found) : undefined;
  if (handed) return { refused: handed.value };
  const kept = suffixes.flatMap((suffix) => found.reads.map((path) => `${path}${suffix}`));
  // A link is replaced by a copy of its target.
  return { reads: found.reads, writes: [...found.reads, ...kept] };
}

function harmlessGit(words: readonly ShellWord[]): Harmless | Refused | undefined {
  const [, subcommand] = words;
  if (!subcommand) return { reads: [], writes: [] };
  const name = subcommand.value;
  if (!subcommand.isKnown) return { refused: name };
  if (/^(?:--version|-v|--help|-h)$/.test(name))
    return words[2] ? { refused: words[2].value } : { reads: [], writes: [] };
  if (name === "add") {
    const read = readOptions(words.slice(2), listOf(HARMLESS_GIT_ADD));
    return "refused" in read ? read : { reads: [], writes: [], changes: true };
  }
  if (!Object.hasOwn(HARMLESS_GIT, name)) return undefined;
  const entry = HARMLESS_GIT[name] as (typeof HARMLESS_GIT)[string];
  const read = readOptions(words.slice(2), listOf(entry.options));
  if ("refused" in read) return read;
  const strange = strangeOperand(read, entry);
  if (strange !== undefined) return { refused: strange };
  // `revision:path` and paths; a revision is treated as the name of a missing file.
  const ranges = read.options.flatMap(({ name: option, value }) => (option === "-L" && value ? [value.value] : []));
  const unknown = SHOWS_FILES.test(name) ? read.operands.find(({ paths }) => paths === undefined) : undefined;
  if (unknown) return { refused: unknown.value };
  const named = [...read.operands.flatMap(({ paths, value }) => paths ?? value), ...ranges];
  const reads = named.flatMap((value) => {
    const path = value.slice(value.lastIndexOf(":") + 1).replace(/^\([^)]*\)/, "");
    // After a revision, a path is relative to the top of the repository unless it begins with a dot.
    return path === "" ? [] : value.includes(":") ? [path, `${TOP}${path}`] : [path];
  });
  const isOutside = read.options.some(({ name: option }) => /^--(?:no-index|untracked)$/.test(option));
  // Outside of a repository, or with a path that leads out of it, `git diff` compares any two files or folders.
  const mayBeOutside = isOutside || name === "diff";
  return {
    reads: [...reads, ...valuesThat(read, "read")],
    writes: [],
    // Its first word may be the pattern, in which case no word says where it searches.
    ...(mayBeOutside && { trees: name === "grep" ? [...reads, "."] : reads, readsTrees: treesReadByGit(name, read) }),
    ...(!isOutside && showsContent(name, read) && { tracked: shownFolders(name, read) }),
    ...(SHOWS_FILES.test(name) && { picks: reads }),
  };
}

/** Options that show only names and numbers. */
const NAMES_ONLY =
  /^(?:-s|--(?:no-patch|quiet|raw|stat|numstat|shortstat|dirstat|summary|compact-summary|name-only|name-status))$/;

/** Options that show or search lines of files. */
const SHOWS_LINES =
  /^(?:-[cpuGLSUW]|--(?:patch|patch-with-raw|patch-with-stat|unified|cc|binary|check|word-diff|word-diff-regex|color-words|function-context|diff-merges))$/;

/** How it reads folders that are not part of the repository. */
function treesReadByGit(name: string, { options }: ReadOptions): TreeReading | undefined {
  if (name === "grep") return { how: "search" };
  const has = (list: RegExp) => options.some((option) => list.test(option.name));
  if (has(NAMES_ONLY) && !has(SHOWS_LINES)) return undefined;
  return { how: has(/^--no-index$/) ? "compare" : "compare outside the repository" };
}

/**
 * Whether it shows or searches the content of files in the repository, now or in its history: a rule may deny some of
 * them.
 */
function showsContent(name: string, { options, operands }: ReadOptions): boolean {
  const has = (list: RegExp) => options.some((option) => list.test(option.name));
  if (name === "grep") return true;
  if (name === "status") return has(/^(?:-v|--verbose)$/);
  if (name === "cat-file") return (has(/^-p$/) || operands[0]?.value === "blob") && !operands.every(isFileOfRevision);
  if (name === "show" && operands.length > 0 && operands.every(isFileOfRevision)) return false;
  if (/^(?:diff|show|range-diff)$/.test(name)) return has(SHOWS_LINES) || !has(NAMES_ONLY);
  return /^(?:log|whatchanged|stash|reflog|diff-tree|diff-index|diff-files)$/.test(name) && has(SHOWS_LINES);
}

/** `revision:path` refers to exactly that file. */
const isFileOfRevision = ({ value, isKnown }: ShellWord): boolean => isKnown && /^[^:]+:[^:]/.test(value);

/** The folders of the files it shows: paths after `--`, the working directory for a search, otherwise all files. */
function shownFolders(name: string, { dashed = [] }: ReadOptions): readonly string[] {
  const arePlain = dashed.every(({ value, isKnown }) => isKnown && !/^:|[*?[]/.test(value));
  if (dashed.length > 0 && arePlain) return dashed.map(({ value }) => value);
  return [name === "grep" && arePlain ? "." : TOP];
}

function strangeOperand({ options, operands }: ReadOptions, entry: (typeof HARMLESS_GIT)[string]): string | undefined {
  const isListing = entry.lists !== undefined && options.some(({ name }) => entry.lists?.includes(name));
  const most = isListing ? Number.POSITIVE_INFINITY : (entry.most ?? Number.POSITIVE_INFINITY);
  const surplus = most === Number.POSITIVE_INFINITY ? undefined : firstBeyond(operands, most);
  if (surplus) return surplus.value;
  if (operands.length < (entry.least ?? 0)) return "";
  const file = options.find(({ value, means }) => value && means !== "text" && !value.isKnown);
  if (file) return file.name;
  const signed = options.find(({ name, value }) => FORMATS.test(name) && value && !checksNothing(value));
  if (signed) return signed.value?.value;
  const [first] = operands;
  const isFirst = !entry.first || isListing || !first || (first.isKnown && entry.first.test(first.value));
  return isFirst ? undefined : first.value;
}

const FORMATS = /^--(?:format|pretty|sort)$/;

/** `%G?`, also after `+`, `-` or a blank, and `%(signature)` start gpg. */
const checksNothing = ({ value, isKnown }: ShellWord): boolean => isKnown && !/%[-+ ]?G|signature/.test(value);

/** They show the content of files; a wildcard in a path matches hidden files as well. */
const SHOWS_FILES = /^(?:log|show|whatchanged|diff|diff-tree|diff-index|diff-files|grep|cat-file|blame|annotate)$/;

function harmlessFind(words: readonly ShellWord[]): Harmless | Refused {
  const reads: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (!word.mayBeOption && !/^[!(),]$/.test(word.value)) {
      if (!word.paths) return { refused: word.value };
      reads.push(...word.paths);
      continue;
    }
    if (!word.isKnown) return { refused: word.value };
    // The command it runs is a separate part.
    if (/^-(?:exec|execdir)$/.test(word.value)) {
      at = endOfExec(words, at + 1);
      continue;
    }
    const takes = Object.hasOwn(FIND_TESTS, word.value) ? FIND_TESTS[word.value] : undefined;
    if (takes === undefined) return { refused: word.value };
    if (takes === 1 && words[++at]?.isSplit !== false) return { refused: word.value };
  }
  return { reads, writes: [] };
}
