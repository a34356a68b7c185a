// What `find` passes to other commands: the folders it searches, and the files there that its tests leave.

import type { FoundFiles } from "../../contract/shell.ts";
import type { ShellWord } from "./shell-words.ts";

/** The number of words that each test of `find` takes. Those that write, delete or run are not listed. */
export const FIND_TESTS: Readonly<Record<string, number>> = {
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

/** What `find` would find. */
export function findFiles(words: readonly ShellWord[]): FoundFiles {
  const given = words.slice(1);
  const start = given.findIndex(({ value }) => /^[-!(]/.test(value) && !/^-[HLP]$/.test(value));
  const leading = start < 0 ? given : given.slice(0, start);
  const roots = leading.filter(({ value }) => !/^-[HLP]$/.test(value)).flatMap(({ paths, value }) => paths ?? [value]);
  const names = given.flatMap(({ value }, at) => {
    const test = given[at - 1]?.value ?? "";
    if (/^(?:!|-not)$/.test(given[at - 2]?.value ?? "")) return [];
    if (/^-i?regex$/.test(test)) return [globOf(value, "whole")];
    return /^-i?(?:name|path|wholename)$/.test(test) ? [value] : [];
  });
  const followsLinks = given.some(({ value }) => /^-(?:\w*L|-?follow)$/.test(value));
  const tests = start < 0 ? [] : given.slice(start);
  const isHere = roots.every((root) => /^\.\/?$/.test(root));
  return {
    roots: roots.length > 0 ? roots : ["."],
    names,
    ...(followsLinks && { followsLinks }),
    ...(tests.every(({ isKnown }) => isKnown) &&
      narrowedBy(
        tests.map(({ value }) => value),
        isHere,
      )),
  };
}

/**
 * What a simple sequence of tests leaves, up to the first action; with any other expression, all files there may be
 * found.
 */
function narrowedBy(tests: readonly string[], isHere: boolean): Partial<FoundFiles> {
  const pruned = prunedFolders(tests, isHere);
  // With -depth, files are found before their folder can be excluded.
  if (pruned === undefined || tests.some((test) => /^-d(?:epth)?$/.test(test))) return {};
  const without = [...pruned.without];
  let left: Partial<FoundFiles> = {};
  for (let at = pruned.length; at < tests.length; at++) {
    const test = tests[at] as string;
    if (ACTION.test(test)) return { ...left, without };
    if (/^(?:!|-not)$/.test(test)) {
      const [negated = "", glob = ""] = tests.slice(at + 1);
      const [, folder] = /^((?:\*|\.)\/[^*?[\]\\]+)\/\*$/.exec(glob) ?? [];
      if (/^-(?:path|wholename)$/.test(negated) && folder && (isHere || folder.startsWith("*"))) without.push(folder);
      at++;
      if (!Object.hasOwn(FIND_TESTS, negated) || /^[(!]|^-not$/.test(negated)) return {};
      at += FIND_TESTS[negated] ?? 0;
      continue;
    }
    if (/^(?:-o|-or|,|\(|\)|-prune)$/.test(test) || !Object.hasOwn(FIND_TESTS, test)) return {};
    const value = tests[at + 1] ?? "";
    if (/^-i?name$/.test(test)) left = { ...onlyNames(value), ...left };
    if (test === "-type" && value === "f") left = { ...left, skipsLinks: true };
    if (test === "-maxdepth" && /^\d+$/.test(value)) left = { ...left, depth: Number(value) };
    at += FIND_TESTS[test] ?? 0;
  }
  // Without an explicit action, tests after `-prune -o` also print what was pruned.
  return pruned.length > 0 ? {} : { ...left, without };
}

/** Brackets and backslashes are too complex to interpret here. */
export const onlyNames = (glob: string): Pick<FoundFiles, "only"> => (/^[\w.*?+@-]+$/.test(glob) ? { only: glob } : {});

const ACTION = /^-(?:print0?|printf|ls|exec|execdir|ok|okdir|quit)$/;

/** `-name x -prune -o` and `-path ./x -prune -o` at the beginning: the excluded folders, and the number of words. */
function prunedFolders(tests: readonly string[], isHere: boolean): { without: string[]; length: number } | undefined {
  const without: string[] = [];
  let length = 0;
  for (;;) {
    const from = tests[length] === "-type" && tests[length + 1] === "d" ? length + 2 : length;
    const [test, glob = "", prune, or = ""] = tests.slice(from);
    if (prune !== "-prune" || !/^-or?$/.test(or)) return { without, length };
    const folder = test === "-name" ? `*/${glob}` : test === "-path" && (isHere || glob.startsWith("*/")) ? glob : "";
    if (!/^[*.]\/[^*?[\]\\]+$/.test(folder)) return undefined;
    without.push(folder);
    length = from + 4;
  }
}

/** Where the command after `-exec` ends: at `;`, or at a `+` immediately after `{}`. Any other `+` is an argument. */
export function endOfExec(words: readonly ShellWord[], from: number): number {
  const end = words.findIndex(
    ({ value }, at) => at >= from && (value === ";" || (value === "+" && at > from && words[at - 1]?.value === "{}")),
  );
  return end < 0 ? words.length : end;
}

/** A glob that matches at least the names that the regular expression matches. */
export function globOf(regex: string, reach: "whole" | "anywhere"): string {
  const open = regex
    .replace(/\\([.\-_/])/g, (_, char: string) => `\0${char.charCodeAt(0)}\0`)
    .replace(/\\./g, "*")
    .replace(/\[[^\]]*\]/g, "?")
    .replace(/\.[*+]/g, "*")
    .replace(/[()|+{}]/g, "*")
    .replace(/\./g, "?")
    .replace(/\0(\d+)\0/g, (_, code: string) => String.fromCharCode(Number(code)));
  if (reach === "whole") return open;
  return `${open.startsWith("^") ? "" : "*"}${open.replace(/^\^|\$$/g, "")}${open.endsWith("$") ? "" : "*"}`;
}
