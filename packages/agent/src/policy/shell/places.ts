// Where commands run, as far as the text tells.

import { posix } from "node:path";
import { childrenOf, commandsIn } from "./children.ts";
import type { ShellWord } from "./shell-words.ts";
import type { Command, Script } from "./syntax.ts";

export interface Place {
  /** Undefined if unknown until it runs. */
  cwd: string | undefined;
  /** False after a `cd` that may have failed: what follows may still run in the previous directory. */
  isCertain: boolean;
  /** The value of `isCertain` once the last `cd` is known to have succeeded. */
  ifWorked?: boolean;
}

/** Moves `place` like `cd`, `pushd` or `popd`. */
export function move(place: Place, words: readonly ShellWord[], home: string | undefined): void {
  const operands = words.slice(1).filter(({ value, isKnown }) => !(isKnown && /^-[LPe@]+$|^--$/.test(value)));
  const [target] = operands;
  const isPlain = words[0]?.value !== "popd" && operands.length <= 1 && (target?.isKnown ?? true);
  const path = target ? target.value : home;
  const before = place.cwd;
  place.ifWorked = place.isCertain || (path?.startsWith("/") ?? false);
  if (!isPlain || path === undefined || path === "-" || path === "" || /^[-+]\d/.test(path)) place.cwd = undefined;
  else place.cwd = resolve(place, path);
  place.isCertain &&= place.cwd === before && before !== undefined;
}

/** Undefined if unknown. */
export function resolve(place: Place, path: string): string | undefined {
  if (path.startsWith("/")) return posix.normalize(path);
  if (place.cwd === undefined || (!place.isCertain && climbs(path))) return undefined;
  return posix.normalize(`${place.cwd}/${path}`);
}

function climbs(path: string): boolean {
  return path.includes("..") && path.split("/").includes("..");
}

// Links whose targets differ from process to process.
const OWN_LINKS = /^\/+proc\/+(?:[^/]+\/+)*(?:root|cwd|exe|fd|map_files)(?:\/|$)|^\/+dev\/+fd\/+[^/]+\//;

/** Whether the text of a path determines the file: after a folder that may be a link, `..` leads anywhere. */
export function isPlainPath(path: string, place: Place, start: string): boolean {
  if (path.startsWith("/") && OWN_LINKS.test(posix.normalize(path))) return false;
  if (!climbs(path)) return true;
  return place.isCertain && place.cwd === start && !climbs(path.replace(/^(?:\.\.\/)*(?:\.\.$)?/, ""));
}

const MOVES = /^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/;

/** Whether part of the script may change the directory for what follows. */
export function changesDirectory(script: Script): boolean {
  return commandsIn(script).some(commandMoves);
}

export function commandMoves(command: Command): boolean {
  if (command.kind === "subshell") return false;
  const [program] = command.kind === "simple" ? command.words : [];
  if (program && (!program.isKnown || MOVES.test(program.value))) return true;
  const { scripts, commands } = childrenOf(command);
  return scripts.some(changesDirectory) || commands.some(commandMoves);
}
