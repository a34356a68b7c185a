// Detects texts that write a file and then run it: the program did not exist yet when its words were judged.

import { posix } from "node:path";
import type { ShellPart } from "../../contract/shell.ts";
import { programName } from "./danger.ts";
import { isInterpreter } from "./interpreters.ts";

/** The parts, with a doubt about those that run, or go through, what another part of the same text may have created. */
export function withSelfMade(parts: readonly ShellPart[]): readonly ShellPart[] {
  const made = parts.flatMap((part) => changedBy(part).map((path) => resolvePath(path, part)));
  if (made.length === 0) return parts;
  const links = parts.map((part) => ({ part, links: linksOf(part) })).filter((one) => one.links.length > 0);
  return parts.map((part) => {
    const others = links.flatMap((one) => (one.part === part ? [] : one.links));
    const doubt = part.doubt ?? selfMade(part, made) ?? throughLink(part, others);
    return doubt === part.doubt ? part : { ...part, doubt, isHarmless: false, isReadOnly: false };
  });
}

const CHANGES_FILES = /^(?:ln|chmod|install|mv|cp|rsync|tar|unzip|dd|curl|wget)$/;

/** The files it writes; for a program that may write to any of its words, all of them. */
function changedBy({ words, writes }: ShellPart): readonly string[] {
  const [program = "", ...others] = words;
  return CHANGES_FILES.test(programName(program)) ? [...writes, ...others] : writes;
}

function selfMade(part: ShellPart, made: readonly string[]): string | undefined {
  const [program = "", ...others] = part.words;
  const name = programName(program);
  const run = [...(program.includes("/") ? [program] : []), ...(isInterpreter(name) ? others : [])];
  if (run.some((path) => made.some((written) => overlap(resolvePath(path, part), written))))
    return "it runs a file that the same text makes or changes";
  if (name === "git" && made.some((path) => STEERS_GIT.test(path))) return "the same text changes what git reads";
  return undefined;
}

/**
 * Where a command may leave a link; `below`: only inside, because what it moves itself was already checked at its
 * source.
 */
interface PossibleLink {
  readonly path: string;
  readonly isBelow: boolean;
}

function linksOf(part: ShellPart): readonly PossibleLink[] {
  const [program = "", ...others] = part.words;
  const name = programName(program);
  const keeps =
    name === "cp" && others.some((word) => /^-[a-zA-Z]*[PadrR]|^--(?:archive|recursive|no-dereference)$/.test(word));
  if (!keeps && !/^(?:ln|mv|rsync|tar|unzip)$/.test(name)) return [];
  const paths = part.writes.length > 0 ? part.writes : others;
  return paths.map((path) => ({ path: resolvePath(path, part), isBelow: name === "mv" }));
}

function throughLink(part: ShellPart, links: readonly PossibleLink[]): string | undefined {
  const paths = [...part.writes, ...part.reads, ...part.trees].map((path) => resolvePath(path, part));
  const isThrough = paths.some((path) =>
    links.some((link) => (link.isBelow ? path.startsWith(`${link.path}/`) : overlap(path, link.path))),
  );
  return isThrough ? "the same text may make a link there" : undefined;
}

/** Together they make any folder a repository, with settings that name programs. */
const STEERS_GIT = /(?:^|\/)(?:HEAD|config|objects|refs|commondir|gitdir|\.git|\.gitattributes|\.gitmodules)(?:\/|$)/i;

/** The same file, or one inside the other; with a glob or unknown folder, only the names are compared. */
function overlap(run: string, written: string): boolean {
  if (/[*?[{$]/.test(written)) return true;
  if (!run.startsWith("/") || !written.startsWith("/")) return posix.basename(run) === posix.basename(written);
  return run === written || run.startsWith(`${written}/`);
}

function resolvePath(path: string, { cwd }: ShellPart): string {
  if (path.startsWith("/")) return posix.normalize(path);
  return cwd === undefined ? path : posix.join(cwd, path);
}
