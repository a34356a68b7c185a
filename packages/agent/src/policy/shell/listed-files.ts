// Commands that print only names of existing files, so that their output can be predicted from the disk. The list is
// closed, and so are the options of each: a format, a prefix or a colour would change the names.

import type { FoundFiles } from "../../contract/shell.ts";
import { findFiles, globOf, onlyNames } from "./found-files.ts";
import { listOf, type ReadOptions, readOptions } from "./options.ts";
import type { ShellWord } from "./shell-words.ts";

interface Lister {
  /** See options.ts. */
  readonly options: string;
  /** Without one of these options it prints something else. */
  readonly needs?: RegExp;
  /** Its first operand is a pattern, unless one of these options is given. */
  readonly pattern?: RegExp;
  readonly found: (read: ReadOptions, roots: readonly string[]) => Omit<FoundFiles, "names"> | undefined;
}

const has = ({ options }: ReadOptions, names: RegExp): boolean => options.some(({ name }) => names.test(name));
const valuesOf = ({ options }: ReadOptions, names: RegExp): string[] =>
  options.flatMap(({ name, value }) => (value?.isKnown && names.test(name) ? [value.value] : []));
const orHere = (roots: readonly string[]): readonly string[] => (roots.length > 0 ? roots : ["."]);

const LISTS_MATCHING = /^(?:-l|-L|--files-with-matches|--files-without-match)$/;

const FD: Lister = {
  options:
    "-HIpsigFu0 -t: -e: -E: -d: --hidden --no-ignore --no-ignore-vcs --type= --extension= --exclude= --max-depth= --min-depth= --exact-depth= --glob --regex --fixed-strings --full-path --size= --changed-within= --changed-before= --case-sensitive --ignore-case --print0",
  pattern: /^$/,
  found: (read, roots) => {
    const types = valuesOf(read, /^(?:-t|--type)$/);
    const skipsLinks = types.length > 0 && types.every((type) => /^f(?:ile)?$/.test(type));
    return { roots: orHere(roots), skipsLinks, skipsHidden: !has(read, /^(?:-H|-u|--hidden)$/) };
  },
};

const LISTERS: Readonly<Record<string, Lister>> = {
  ls: {
    options: "-1aAdrtSXUvcu --all --almost-all --directory --reverse --sort= --group-directories-first",
    found: (read, roots) => ({
      roots: orHere(roots),
      isBare: true,
      depth: has(read, /^(?:-d|--directory)$/) ? 0 : 1,
      skipsHidden: !has(read, /^(?:-[aAUf]|--all|--almost-all)$/),
    }),
  },
  fd: FD,
  fdfind: FD,
  grep: {
    options:
      "-EFGPivwxylLsraInHZ -e: -m: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case --invert-match --word-regexp --line-regexp --files-without-match --files-with-matches --max-count= --no-messages --text --null --include= --exclude= --exclude-dir= --recursive",
    needs: LISTS_MATCHING,
    pattern: /^(?:-e|--regexp)$/,
    found: (read, roots) => {
      const isRecursive = has(read, /^(?:-r|--recursive)$/);
      if (!isRecursive && roots.length === 0) return undefined;
      const names = valuesOf(read, /^--include$/);
      return {
        roots: orHere(roots),
        skipsLinks: true,
        depth: isRecursive ? undefined : 0,
        without: valuesOf(read, /^--exclude-dir$/).flatMap((name) => (/^[\w.-]+$/.test(name) ? [`*/${name}`] : [])),
        ...(names.length === 1 && onlyNames(names[0] ?? "")),
      };
    },
  },
  rg: {
    options:
      "-aFilnNPSsuUvwx0. -d: -e: -g: -m: -t: -T: --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob= --hidden --ignore-case --line-regexp --max-count= --max-depth= --multiline --no-ignore --no-ignore-vcs --no-messages --null --pcre2 --regexp= --smart-case --case-sensitive --sort= --sortr= --text --type= --type-not= --unrestricted --word-regexp --invert-match",
    needs: /^(?:-l|--files|--files-with-matches|--files-without-match)$/,
    pattern: /^(?:-e|--regexp|--files)$/,
    found: (read, roots) => {
      // A glob passed as an option also finds hidden files.
      const isWide = has(read, /^(?:-u|-\.|-g|--i?glob|--hidden|--unrestricted)$/);
      return { roots: orHere(roots), skipsLinks: true, skipsHidden: !isWide };
    },
  },
  "git ls-files": {
    options: "-cdmoz -x: --cached --deleted --modified --others --exclude-standard --exclude= --deduplicate",
    found: (_, roots) => trackedFiles(roots),
  },
  "git grep": {
    options:
      "-aivwlLEGFP -e: --text --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --files-with-matches --name-only --files-without-match --untracked --cached",
    needs: /^(?:-l|-L|--name-only|--files-with-matches|--files-without-match)$/,
    pattern: /^-e$/,
    // For a revision it prints `revision:path`, which may be any file here.
    found: (_, roots) => trackedFiles(roots) && trackedFiles([]),
  },
  "git diff": {
    options: "-z --name-only --diff-filter= --no-renames --cached --staged",
    needs: /^--name-only$/,
    // Files of another revision may be gone from the disk, so the names are not those of existing files.
    found: (read) => {
      const revisions = read.operands.filter((word) => !read.dashed?.includes(word));
      const isOfNow = revisions.every(
        ({ value, isKnown }) => isKnown && /^[\w@~^/-]+(?:\.{2,3}(?:HEAD)?)?$/.test(value),
      );
      const isThere = valuesOf(read, /^--diff-filter$/).some((value) => /^[ACMRTd]+$/.test(value));
      const isPlain = revisions.length === 0 && !has(read, /^--(?:cached|staged)$/);
      if (!isPlain && !(isOfNow && isThere && revisions.length < 2)) return undefined;
      return { ...trackedFiles([]), roots: ["."], isFromTop: true };
    },
  },
};

/** Files tracked by git; neither a path from the top of the repository nor one above it is supported. */
function trackedFiles(paths: readonly string[]): Omit<FoundFiles, "names"> | undefined {
  if (paths.some((path) => /^[:/~]|\.\./.test(path))) return undefined;
  const isOpen = paths.length === 0 || paths.some((path) => /[*?[{]/.test(path));
  return { roots: isOpen ? ["."] : paths, without: ["*/.git"], isTracked: true };
}

/** Programs that pass lines of their input through unchanged. */
const FILTERS: Readonly<Record<string, string>> = {
  head: "-n: -# --lines=",
  tail: "-n: -# --lines=",
  sort: "-bdfghinrsuV -k: -t: --reverse --unique",
  uniq: "-diu",
  grep: "-EFGPivwx -e:",
};

/** The files whose names the command prints; undefined if it may print anything else. */
export function listedFiles(words: readonly ShellWord[], piped: FoundFiles | undefined): FoundFiles | undefined {
  const [program, ...given] = words;
  const name = program?.value ?? "";
  if (piped && Object.hasOwn(FILTERS, name)) return passesLinesOn(name, given, piped);
  if (name === "find") return listedByFind(words);
  const key = name === "git" ? `git ${given[0]?.value}` : name;
  if (!Object.hasOwn(LISTERS, key)) return undefined;
  const { options, needs, pattern, found } = LISTERS[key] as Lister;
  const read = readOptions(name === "git" ? given.slice(1) : given, listOf(options));
  if ("refused" in read || (needs && !has(read, needs))) return undefined;
  const hasPattern = pattern !== undefined && !has(read, pattern);
  if (hasPattern && read.operands[0]?.isSplit) return undefined;
  const roots = rootsOf(hasPattern ? read.operands.slice(1) : read.operands);
  const files = roots && found(read, roots);
  if (!files) return undefined;
  const patterns = name.startsWith("fd") ? read.operands.slice(0, 1).map(({ value }) => globOf(value, "anywhere")) : [];
  return { ...files, names: [...roots, ...valuesOf(read, /^(?:-g|--i?glob|--include)$/), ...patterns] };
}

function passesLinesOn(name: string, given: readonly ShellWord[], piped: FoundFiles): FoundFiles | undefined {
  const read = readOptions(given, listOf(FILTERS[name] as string));
  if ("refused" in read) return undefined;
  const patterns = [...valuesOf(read, /^-e$/), ...read.operands.map(({ value }) => value)];
  if (name !== "grep") return read.operands.length === 0 ? piped : undefined;
  // Any other operand would be a file, whose lines it prints.
  if (patterns.length !== 1 || read.operands.some(({ isSplit }) => isSplit)) return undefined;
  return { ...piped, names: [...piped.names, ...patterns.map((text) => globOf(text, "anywhere"))] };
}

function listedByFind(words: readonly ShellWord[]): FoundFiles | undefined {
  if (words.some(({ value }) => /^-(?:exec|execdir|ok|okdir|printf|fprintf|ls|L|follow)$/.test(value)))
    return undefined;
  const found = findFiles(words);
  const isKnown = words.slice(1).every(({ paths }) => paths !== undefined);
  return isKnown && found.roots.every(isPlainRoot) ? found : undefined;
}

function rootsOf(operands: readonly ShellWord[]): readonly string[] | undefined {
  const roots = operands.flatMap(({ paths }) => paths ?? [""]);
  return roots.every(isPlainRoot) ? roots : undefined;
}

/** It stays one word when split at blanks, and cannot become an option. */
const isPlainRoot = (root: string): boolean => root !== "" && !/^-|[\s'"\\]/.test(root);
