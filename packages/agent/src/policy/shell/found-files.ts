// What commands find that hand file names to others: the folders they look in, and the names that they pick.

import type { Found, ShellWord } from "./shell-words.ts";

/** What `find` would find. */
export function findFiles(words: readonly ShellWord[]): Found {
  const given = words.slice(1);
  const tests = given.findIndex(({ value }) => /^[-!(]/.test(value) && !/^-[HLP]$/.test(value));
  const leading = tests < 0 ? given : given.slice(0, tests);
  const roots = leading.filter(({ value }) => !/^-[HLP]$/.test(value)).flatMap(({ paths, value }) => paths ?? [value]);
  const names = given.flatMap(({ value }, at) => {
    const test = given[at - 1]?.value ?? "";
    if (/^(?:!|-not)$/.test(given[at - 2]?.value ?? "")) return [];
    if (/^-i?regex$/.test(test)) return [globOf(value, "whole")];
    return /^-i?(?:name|path|wholename)$/.test(test) ? [value] : [];
  });
  return { roots: roots.length > 0 ? roots : ["."], names, followsLinks: mayFindLinks(given) };
}

/** A program that reads what was found follows a link, unless only files are looked for. */
export function mayFindLinks(words: readonly ShellWord[]): boolean {
  const text = words.map(({ value }) => value).join(" ");
  const hasFilesOnly = /(?:^| )(?:-type f|-t ?f|--type[= ]f)(?= |$)/.test(text);
  return !hasFilesOnly || /(?:^| )(?:-\w*L|--?follow|-or?|!|-not|,)(?= |$)/.test(text);
}

/** Where the command behind `-exec` ends: at `;`, or at a `+` right behind `{}`. Any other `+` is a word of it. */
export function endOfExec(words: readonly ShellWord[], from: number): number {
  const end = words.findIndex(
    ({ value }, at) => at >= from && (value === ";" || (value === "+" && at > from && words[at - 1]?.value === "{}")),
  );
  return end < 0 ? words.length : end;
}

/** A glob that stands for at least the names that the regular expression matches. */
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
