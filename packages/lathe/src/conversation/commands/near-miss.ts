// Guesses which command an unknown name was meant to be, and whether it was meant as a command at all.

import { existsSync } from "node:fs";

/** Commands of other agents and their equivalents here. */
const OF_OTHER_AGENTS: Readonly<Record<string, string>> = {
  approvals: "/permissions",
  bug: "/debug",
  checkpoint: "/rewind",
  chat: "/resume",
  config: "/settings",
  doctor: "lathe doctor",
  hooks: "/extensions",
  memory: "/init",
  plugin: "/extensions",
  plugins: "/extensions",
  restore: "/rewind",
  skills: "/extensions",
  stats: "/cost",
  usage: "/cost",
  vim: "/settings",
};

/** `/etc is broken` begins with a path on this machine; any name with a slash is a path too. */
export const isPath = (name: string): boolean => name.includes("/") || existsSync(`/${name}`);

/** The error for an unknown command at a terminal. */
export function noSuchCommand(name: string, names: readonly string[]): string {
  const near = nearMiss(name, names);
  const meant = near === undefined ? OF_OTHER_AGENTS[name] : `/${near}`;
  return `There is no /${name}. ${meant === undefined ? "See /help." : `Did you mean ${meant}?`}`;
}

const MOST_NAMED = 12;

/** The same for a host without a screen, which has no /help and only the given commands. */
export function noSuchCommandHere(name: string, names: readonly string[]): string {
  const near = nearMiss(name, names);
  if (near !== undefined) return `There is no /${name}. Did you mean /${near}?`;
  const all = [...new Set(names)].sort();
  const named = all.slice(0, MOST_NAMED);
  const others = all.length - named.length;
  const more = others > 0 ? ` and ${others} more` : "";
  const list = named.map((one) => `/${one}`).join(", ");
  return `There is no /${name}. ${named.length === 0 ? "There are no commands here." : `There are ${list}${more}.`}`;
}

/**
 * Accepts an unfinished name, or one typo in a short name and two in a long one: an extra, missing or wrong letter, or
 * two letters swapped.
 */
function nearMiss(typed: string, names: readonly string[]): string | undefined {
  const most = typed.length > 5 ? 2 : 1;
  if (typed.length < 3) return undefined;
  const begun = names.find((name) => name.startsWith(typed));
  if (begun !== undefined) return begun;
  const near = names.map((name) => ({ name, slips: slipsBetween(typed, name) })).filter(({ slips }) => slips <= most);
  return near.sort((a, b) => a.slips - b.slips)[0]?.name;
}

function slipsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const above = rows[i - 1]!;
      row.push(
        Math.min(
          above[j]! + 1,
          row[j - 1]! + 1,
          above[j - 1]! + (isSame ? 0 : 1),
          isSwapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
