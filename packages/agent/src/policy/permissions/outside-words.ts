// What a rule does not cover although its words match: operands and values of options that lead out of the working
// folders or to files that run later. We do not know what an ordinary program does with its words, so each that can be
// a path counts as a file that it may write. A rule covers such a word only if the rule itself contains it.

import { posix } from "node:path";
import type { ShellPart } from "../../contract/shell.ts";
import { programName } from "../shell/danger.ts";
import { isCode } from "../shell/interpreters.ts";
import { climbsLater, pathCandidates } from "../shell/path-candidates.ts";
import type { CommandAccess } from "./match.ts";
import { rememberedRun } from "./remembered-runs.ts";
import type { Rule } from "./rule.ts";
import { isInside, protectionOf } from "./sensitive-paths.ts";
import { isInRoots, type Places } from "./verdict.ts";

export interface Covering {
  /** The words of the rule's pattern. */
  readonly named: readonly string[];
  /** A word that is unknown until it runs counts as leading outside. */
  readonly isStrict: boolean;
  /** The rules of the session: a file that defines what a remembered one runs is not covered either. */
  readonly rules?: readonly Rule[] | undefined;
}

/** Why the rule does not cover the command, as a sentence; undefined if it may. */
export function beyondRule(item: CommandAccess, places: Places, covering: Covering): string | undefined {
  const { part } = item;
  // What harmless commands read and write is known and judged file by file.
  if (part === undefined || part.isHarmless || part.through.some((name) => AWAY.test(name))) return undefined;
  const base = part.cwd === undefined ? undefined : item.cwd;
  const isAway = base === undefined || !isInRoots(base, places);
  for (const [word, texts] of pathsIn(part, covering.isStrict)) {
    if (covering.named.includes(word)) continue;
    if (texts === undefined) return `What ${word.slice(0, 80)} means is not known before it runs.`;
    const isFlags = /^-\w+$/.test(word);
    for (const text of texts) {
      const run = definedRun(text, part, covering.rules);
      if (run !== undefined) return run;
      const path = meantBy(text, part, { base, isAway, places, isFlags });
      if (path === undefined || STREAMS.test(path) || isNamed(word, path, covering.named, places, base)) continue;
      if (!isInRoots(path, places))
        return isAway ? "It runs outside the working folders." : `${word.slice(0, 80)} is outside the working folders.`;
      const why = protectionOf(path, places);
      if (why !== undefined) return why;
    }
  }
  return undefined;
}

/** Their words are paths on another machine. */
const AWAY = /^(?:ssh|(?:docker|podman|nerdctl|kubectl) exec)$/;
const STREAMS = /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** `shell(rm /tmp/x/*)` covers what is below that folder. */
function isNamed(
  word: string,
  path: string,
  named: readonly string[],
  places: Places,
  base: string | undefined,
): boolean {
  if (climbsLater(word)) return false;
  return named.some((pattern) => {
    const folder = /^([^*]*\/)[^*]*\*/.exec(pattern)?.[1];
    if (folder === undefined || !word.startsWith(folder)) return false;
    const value = folder.slice(folder.lastIndexOf("=") + 1);
    const meant = posix.resolve(base ?? "/", value.replace(/^~(?=\/)/, places.userHome));
    return meant !== "/" && isInside(path, meant);
  });
}

/** It may change what a remembered rule runs. */
function definedRun(text: string, { words, links = [] }: ShellPart, rules: readonly Rule[] = []): string | undefined {
  if (rules.length === 0 || isRecording(words)) return undefined;
  const path = links.find((one) => one.text === text)?.path ?? text;
  const rule = rememberedRun(path, rules);
  return rule && `You allowed ${rule}, and ${text.slice(0, 80)} defines what it runs.`;
}

/** Subcommands of git that leave the files they name as they are. */
const RECORDS = /^(?:add|blame|cat-file|check-ignore|commit|diff|grep|log|ls-files|push|reset|rev-parse|show|status)$/;

const isRecording = ([program = "", subcommand = ""]: readonly string[]): boolean =>
  programName(program) === "git" && RECORDS.test(subcommand);

const climbs = (path: string): boolean => path.split("/").includes("..");

interface Base {
  /** The folder in which it runs; undefined if unknown. */
  readonly base: string | undefined;
  readonly isAway: boolean;
  readonly places: Places;
  /** The word consists of letters behind a dash, which are hardly a path. */
  readonly isFlags: boolean;
}

/** The path that the text means; undefined if it is an ordinary one below the folder in which the command runs. */
function meantBy(text: string, { links = [] }: ShellPart, { base, isAway, places, isFlags }: Base): string | undefined {
  const path = text.replace(/^~(?=\/|$)/, places.userHome);
  if (climbsLater(path) || /^~[a-z_][\w-]*(?:\/|$)/i.test(path)) return UNKNOWN;
  const link = links.find((one) => one.text === text);
  if (link) return link.path;
  if (isFlags) return undefined;
  if (path.startsWith("/")) return posix.normalize(path);
  if (base === undefined) return UNKNOWN;
  return climbs(path) || isAway || /(?:^|\/)\./.test(path) ? posix.resolve(base, path) : undefined;
}

/** Outside of every folder. */
const UNKNOWN = "/…";

/** Options whose value is only text, which a here-document often writes. */
const TEXTS: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^git$/, /^(?:-\w*m|--message|--author|--date|--trailer)$/],
  [/^(?:gh|glab)$/, /^(?:-[tb]|--title|--body|--description|--notes)$/],
];

/** Each word that may contain paths, and those that it may mean; undefined if they are unknown. */
function pathsIn(part: ShellPart, isStrict: boolean): [word: string, paths: readonly string[] | undefined][] {
  const name = programName(part.words[0] ?? "").toLowerCase();
  const isText = (word: string): boolean => TEXTS.some(([program, option]) => program.test(name) && option.test(word));
  const words = part.words.flatMap((word, at): [string, readonly string[] | undefined][] => {
    const before = part.words[at - 1] ?? "";
    if (at === 0 || isCode(part.words, at) || isText(before) || isText(word.split("=")[0] ?? "")) return [];
    if (!part.unknown.includes(at)) return [[word, pathCandidates(word)]];
    const guesses = part.guesses?.[at];
    const isGlob = guesses === undefined && /^[^$`]*[*?[{][^$`]*$/.test(word) && word !== "{}";
    if (guesses === undefined && !isGlob) return isStrict ? [[word, undefined]] : [[word, pathCandidates(word)]];
    return [[word, [word, ...(guesses ?? [])].flatMap(pathCandidates)]];
  });
  return CONTAINERS.test(name) ? mounted(part.words, words) : words;
}

/** In a container, only some options name paths of this machine. */
const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl)$/;
const MOUNTS = /^(?:-v|--volume|--mount|--env-file|--cidfile|-f|--file|--device)$/;

function mounted(
  all: readonly string[],
  words: [word: string, paths: readonly string[] | undefined][],
): [word: string, paths: readonly string[] | undefined][] {
  if (!all.slice(1, 4).some((word) => /^(?:run|exec|create)$/.test(word))) return words;
  return words
    .filter(
      ([word]) =>
        MOUNTS.test(word.split("=")[0] ?? "") || /^-[vf]./.test(word) || MOUNTS.test(all[all.indexOf(word) - 1] ?? ""),
    )
    .map(([word, paths]) => [word, paths?.filter((path) => !word.includes(`:${path}`))]);
}
