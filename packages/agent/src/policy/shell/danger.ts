// Forms of commands that destroy work or hand over control of the machine. They need approval even under a broader
// rule: only a rule that names the dangerous words allows them.

import type { ShellContext, ShellDanger } from "../../contract/shell.ts";
import { gitDanger } from "./git-danger.ts";
import { attachedValues } from "./path-candidates.ts";
import { protectedPath } from "./protected-paths.ts";
import type { ShellWord } from "./shell-words.ts";

export interface DangerScope {
  readonly context: ShellContext;
  readonly cwd: string | undefined;
}

/** Needs approval in the sandbox as well, because the file remains. */
export const SETUID_SHAPE = "chmod u+s";

type Judge = (words: readonly ShellWord[], scope: DangerScope) => ShellDanger | undefined;

/** Judges by the program's lowercase name without its folder, because some file systems ignore case. */
const PROGRAMS: Readonly<Record<string, Judge>> = {
  rm: (words) => optionDanger(words, "rm -r", /^(?:-\w*[rRf]|--r|--f|--no-p)/, "it deletes without asking"),
  git: gitDanger,
  dd: ddDanger,
  chmod: (words, scope) => setuidDanger(words) ?? recursiveDanger(words, scope),
  install: setuidDanger,
  chown: recursiveDanger,
  chgrp: recursiveDanger,
  kill: killDanger,
  find: (words) => wordDanger(words, "find -delete", /^-delete$/, "it deletes what it finds"),
  shred: always("shred", "it destroys the content of files"),
  truncate: always("truncate", "it truncates files"),
  ...Object.fromEntries(
    ["pkill", "killall", "killall5", "skill", "xkill"].map((name) => [name, always(name, "it ends processes by name")]),
  ),
  ...Object.fromEntries(
    ["mkswap", "wipefs", "fdisk", "sfdisk", "parted", "blkdiscard"].map((name) => [
      name,
      always(name, "it overwrites a disk"),
    ]),
  ),
  ...Object.fromEntries(
    ["shutdown", "reboot", "halt", "poweroff"].map((name) => [name, always(name, "it stops the machine")]),
  ),
};

export function dangerOf(words: readonly ShellWord[], scope: DangerScope): ShellDanger | undefined {
  const name = programName(words[0]?.value ?? "").toLowerCase();
  if (/^mkfs(?:\.|$)/.test(name)) return { shape: "mkfs", reason: "it overwrites a disk", named: [0] };
  return Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name] as Judge)(words, scope) : undefined;
}

/** A protected file among the arguments of a program that may change it. */
export function pathDanger(words: readonly ShellWord[], scope: DangerScope): ShellDanger | undefined {
  for (const [index, { value }] of words.entries()) {
    if (index === 0) continue;
    const what = [value, value.slice(value.indexOf("=") + 1), ...attachedValues(value)]
      .map((path) => protectedPath(path, scope.cwd, scope.context.home))
      .find((found) => found !== undefined);
    if (what) return { shape: `write ${value}`, reason: `it may change ${what}`, named: [0, index] };
  }
  return undefined;
}

export function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

function always(shape: string, reason: string): Judge {
  return () => ({ shape, reason, named: [0] });
}

/** Options that make a program dangerous, and words that may turn out to be such an option. */
function optionDanger(
  words: readonly ShellWord[],
  shape: string,
  option: RegExp,
  reason: string,
  from = 1,
): ShellDanger | undefined {
  const dashes = words.findIndex(({ value, isKnown }) => isKnown && value === "--");
  const scanned = words.slice(from, dashes < 0 ? undefined : dashes);
  const found = scanned.flatMap(({ value, isKnown }, index) => (isKnown && option.test(value) ? [index + from] : []));
  if (found.length > 0) return { shape, reason, named: [...Array(from).keys(), ...found] };
  const unsure = scanned.find(({ isKnown, mayBeOption }) => !isKnown && mayBeOption);
  return unsure ? { shape, reason: `${unsure.value} may be an option with which ${reason}` } : undefined;
}

function wordDanger(words: readonly ShellWord[], shape: string, word: RegExp, reason: string): ShellDanger | undefined {
  const found = words.flatMap(({ value }, index) => (word.test(value) ? [index] : []));
  return found.length > 0 ? { shape, reason, named: [0, ...found] } : undefined;
}

function ddDanger(words: readonly ShellWord[]): ShellDanger | undefined {
  const reason = "it may overwrite a disk";
  for (const [index, { value, isKnown, isSplit }] of words.entries()) {
    if (index === 0) continue;
    if (!isKnown && (isSplit || /^of=/.test(value) || !/^\w+=/.test(value))) return { shape: "dd of=/dev", reason };
    if (/^of=\/+dev\//.test(value) && value !== "of=/dev/null")
      return { shape: "dd of=/dev", reason, named: [0, index] };
  }
  return undefined;
}

/** A mode that makes a file run as its owner, whoever starts it: `u+s`, `=rxs`, `4755`, `--mode=2755`. */
const SETUID =
  /^(?:-\w*m|--m\w*=)?(?:[ugoa]*(?:[-+=][rwxXtugo]*)*[+=][rwxXt]*s|0*[2-7][0-7]{3}(?![0-7])|.*,[ugoa]*[+=][rwxXt]*s)/;

function setuidDanger(words: readonly ShellWord[]): ShellDanger | undefined {
  const found = words.flatMap(({ value }, index) => (index > 0 && SETUID.test(value) ? [index] : []));
  return found.length === 0
    ? undefined
    : { shape: SETUID_SHAPE, reason: "the file runs as its owner", named: [0, ...found] };
}

function recursiveDanger(words: readonly ShellWord[], { context }: DangerScope): ShellDanger | undefined {
  const name = programName(words[0]?.value ?? "");
  const recursive = optionDanger(words, `${name} -R`, /^(?:-\w*R|--rec)/, "it changes a large tree");
  if (!recursive) return undefined;
  const operands = words.slice(1).filter(({ mayBeOption }) => !mayBeOption);
  const isWide = operands.slice(1).some(({ value, isKnown }) => !isKnown || isWidePath(value, context.home));
  return isWide || recursive.named === undefined ? recursive : undefined;
}

/** System folders, a home directory, and the working directory. */
function isWidePath(path: string, home: string | undefined): boolean {
  const clean = path.replace(/\/+$/, "") || "/";
  if (/^(?:\.{1,2}(?:\/\.{1,2})*|\*|\.\/\*|\/[^/]*(?:\/[^/]*)?)$/.test(clean)) return true;
  return clean === home || /^\/(?:etc|usr|var|boot|lib\w*|s?bin|opt|System|Library)\//.test(clean);
}

function killDanger(words: readonly ShellWord[]): ShellDanger | undefined {
  const isAsked = words.some(({ value }) => /^-(?:l|L|0|-list|-table)$/.test(value));
  // `$!` is a background job of this same text.
  const operands = words.slice(1).filter(({ value, isKnown }) => !(isKnown && /^-\D/.test(value)));
  if (isAsked || operands.every(({ value }) => /^(?:%\S+|\$!|-\d+)$/.test(value))) return undefined;
  const isKnown = words.every((word) => word.isKnown);
  return { shape: "kill", reason: "it ends another process", ...(isKnown && { named: [...words.keys()] }) };
}
