// Programs that read all files in a folder: which folders, and which files there.

import type { TreeReading } from "../../contract/shell.ts";
import type { ReadOption, ReadOptions } from "./options.ts";

const forGreps = (options: RegExp): Record<string, RegExp> =>
  Object.fromEntries(["grep", "egrep", "fgrep"].map((name) => [name, options]));

const RECURSIVE: Readonly<Record<string, RegExp>> = {
  ...forGreps(/^(?:-[rRdD]|--directories|--(?:dereference-)?recursive)$/),
  cp: /^(?:-[rRa]|--recursive|--archive)$/,
};

/** Options that follow links found in folders. */
const FOLLOWING: Readonly<Record<string, RegExp>> = {
  ...forGreps(/^(?:-R|--dereference-recursive)$/),
  rg: /^(?:-L|--follow)$/,
  ag: /^-f$/,
  cp: /^(?:-L|--dereference)$/,
};

/** Options with a glob of the files to search; the value of `--type-add` begins with a name. */
const PICKING = /^(?:-g|-G|--i?glob|--include|--type-add)$/;

interface Searched {
  readonly trees: readonly string[];
  readonly picks: readonly string[];
  readonly followsLinks?: boolean;
  readonly readsTrees: TreeReading | undefined;
}

/** What a program reads in folders; empty if it does not recurse into them. */
export function searchedBy(program: string, read: ReadOptions, reads: readonly string[]): Searched | object {
  const { options } = read;
  const isAlways = /^(?:rg|ag|mv|diff)$/.test(program);
  if (!isAlways && !options.some(({ name }) => RECURSIVE[program]?.test(name))) return {};
  const picks = options.flatMap(({ name, value }) =>
    value && PICKING.test(name) && !value.value.startsWith("!") ? [value.value.replace(/^[\w-]+:(?=.)/, "")] : [],
  );
  // `diff` follows links in the folders it compares, with and without -r.
  const followsLinks =
    program === "diff"
      ? !options.some(({ name }) => name === "--no-dereference")
      : options.some(({ name }) => FOLLOWING[program]?.test(name));
  return {
    trees: reads.length > 0 ? reads : ["."],
    picks,
    ...(followsLinks && { followsLinks }),
    readsTrees: program === "diff" ? comparison(options) : search(program, options),
  };
}

function search(program: string, options: readonly ReadOption[]): TreeReading {
  return {
    how: "search",
    only: program === "rg" ? onlyFor(options, /^(?:-g|--i?glob)$/) : onlyForGrep(options),
    without: { files: namesIn(options, /^--exclude$/), folders: namesIn(options, /^--exclude-dir$/) },
  };
}

/** With -q it shows only which files differ. */
function comparison(options: readonly ReadOption[]): TreeReading | undefined {
  if (options.some(({ name }) => /^(?:-q|--brief)$/.test(name))) return undefined;
  const left = namesIn(options, /^(?:-x|--exclude)$/);
  const isDeep = options.some(({ name }) => /^(?:-r|--recursive)$/.test(name));
  return { how: "compare", without: { files: left, folders: left }, ...(!isDeep && { depth: 1 }) };
}

/** If the first of these options excludes files, files that match none of them are searched. */
function onlyForGrep(options: readonly ReadOption[]): readonly string[] | undefined {
  const [first] = options.filter(({ name }) => /^--(?:include|exclude|exclude-from)$/.test(name));
  return first?.name === "--include" ? onlyFor(options, /^--include$/) : undefined;
}

/** Undefined if the globs do not limit the search, or are unknown until it runs. */
function onlyFor(options: readonly ReadOption[], names: RegExp): readonly string[] | undefined {
  const globs = options.flatMap(({ name, value }) => (value && names.test(name) ? [value] : []));
  const including = globs.filter(({ value }) => !value.startsWith("!"));
  if (including.length === 0 || !globs.every(({ isKnown }) => isKnown)) return undefined;
  return including.map(({ value }) => value.slice(value.lastIndexOf("/") + 1));
}

/** Programs match wildcards differently, so only plain names count. */
const namesIn = (options: readonly ReadOption[], names: RegExp): string[] =>
  options.flatMap(({ name, value }) =>
    value?.isKnown && names.test(name) && /^[\w.-]+$/.test(value.value) ? [value.value] : [],
  );
