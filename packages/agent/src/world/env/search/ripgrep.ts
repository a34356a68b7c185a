// The ripgrep engine: arguments in, parsed results out. A runner starts the program, so the same engine serves the
// local disk and remote machines that have ripgrep.

import { dirname, join, relative, resolve } from "node:path/posix";
import { pathError } from "../fs-error.ts";
import {
  EnvError,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  type WalkOptions,
} from "../types.ts";
import { FirstFiles, hitsPerFile } from "./first-files.ts";
import { compileFilter, compileGlob, nameGlob } from "./path-glob.ts";
import { acrossLineEnds, badRegex, rejectLineBreaks } from "./regex.ts";
import { foldersOf, globResult, shownPrefix, type TimedPath } from "./results.ts";
import { MatchParser } from "./ripgrep-output.ts";
import type { Search } from "./types.ts";

export interface RipgrepRunner {
  /** Runs ripgrep in `cwd` until it ends or the signal aborts. */
  run(
    args: readonly string[],
    cwd: string,
    onStdout: (chunk: Buffer) => void,
    signal: AbortSignal,
  ): Promise<{ exitCode: number; stderr: string }>;
  kind(path: string): Promise<"file" | "directory" | undefined>;
  /** Modification times of `names` in `directory`, in their order. */
  mtimes(directory: string, names: readonly string[]): Promise<number[]>;
}

/** For more hits than this, a sorted run that stops early is cheaper than reading them all. */
const MANY_HITS = 20_000;

const COMMON = ["--no-config", "--no-messages", "--no-ignore-files"];

async function walkArguments(
  runner: RipgrepRunner,
  directory: string,
  { hidden, gitignore = true }: WalkOptions,
): Promise<string[]> {
  const shown = hidden ? ["--hidden", "--glob=!.git"] : [];
  if (!gitignore) return [...shown, "--no-ignore", "--glob=!.git"];
  // Outside any repository, .gitignore files apply too; inside one, they apply up to its root.
  for (let at = directory; ; at = dirname(at)) {
    if ((await runner.kind(join(at, ".git"))) !== undefined) return shown;
    if (at === dirname(at)) return [...shown, "--no-require-git"];
  }
}

export function ripgrepSearch(runner: RipgrepRunner): Search {
  return {
    grep: (pattern, path, base, options) => grep(runner, pattern, path, base, options),
    glob: (pattern, path, base, options) => glob(runner, pattern, path, base, options),
  };
}

async function grep(
  runner: RipgrepRunner,
  pattern: string,
  path: string,
  base: string,
  options: GrepOptions,
): Promise<GrepResult> {
  if (!options.multiline) rejectLineBreaks(pattern);
  const filter = options.globFilter === undefined ? undefined : compileFilter(options.globFilter);
  const kind = await runner.kind(path);
  if (kind === undefined) throw pathError("not_found", path);
  const cwd = kind === "file" ? resolve(path, "..") : path;
  const target = kind === "file" ? `./${relative(cwd, path)}` : "./";
  const mode = options.mode ?? "content";
  const isWanted = (name: string): boolean =>
    (kind === "file" || (filter?.(name) ?? true)) && !options.leaveOut?.(join(cwd, name));
  // For a single file we always request the matches, because only they reveal whether it is binary.
  const format = mode === "content" || kind === "file" ? "json" : mode === "count" ? "count" : "files";
  const args = [
    ...COMMON,
    ...(await walkArguments(runner, cwd, kind === "file" ? { gitignore: options.gitignore } : options)),
    "--engine=auto",
    "--crlf",
    "--no-mmap",
    ...(options.caseInsensitive ? ["--ignore-case"] : []),
    ...(options.multiline ? ["--multiline"] : []),
  ];
  if (kind !== "file") args.push(...nameArguments(options.globFilter));
  if (format === "count") args.push("--null", "--count");
  if (format === "files") args.push("--null", "--files-with-matches");
  if (format === "json") args.push("--json");
  const { before = 0, after = 0, within } = options;
  const perFile = mode === "count" ? Number.POSITIVE_INFINITY : hitsPerFile(options);
  if (mode === "content") args.push(`--before-context=${before}`, `--after-context=${after}`);
  // ripgrep counts adjacent multi-line matches as one.
  if (mode === "content" && !within && !options.multiline) args.push(`--max-count=${perFile}`);

  const attempt = async (sorted: boolean): Promise<FirstFiles | undefined> => {
    const files = new FirstFiles(options, sorted);
    const stop = new AbortController();
    const parser = new MatchParser({ format, dropBinary: kind === "file", perFile, within, before, after }, (file) => {
      if (isWanted(file.path)) files.add(file);
      if (files.complete || (!sorted && files.hits > MANY_HITS)) stop.abort();
    });
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const sortArguments = sorted ? ["--sort=path"] : [];
    const { exitCode, stderr } = await runner.run(
      [...args, ...sortArguments, "--regexp", options.multiline ? acrossLineEnds(pattern) : pattern, "--", target],
      cwd,
      (chunk) => parser.push(chunk),
      signal,
    );
    options.signal?.throwIfAborted();
    if (stop.signal.aborted) return sorted ? files : undefined;
    // Unreadable files also give exit code 2, but print nothing with --no-messages.
    if (exitCode > 1 && stderr.trim() !== "") throw badRegex(pattern, regexFault(stderr));
    return files;
  };
  const files = (await attempt(false)) ?? (await attempt(true));
  return files!.result(cwd, base);
}

async function glob(
  runner: RipgrepRunner,
  pattern: string,
  path: string,
  base: string,
  options: GlobOptions,
): Promise<GlobResult> {
  const { base: directory, matches, rest } = compileGlob(pattern);
  const kind = await runner.kind(path);
  if (kind === undefined) throw pathError("not_found", path);
  if (kind !== "directory") throw pathError("not_directory", path);
  const root = resolve(path, directory);
  if ((await runner.kind(root)) !== "directory") return { paths: [], truncated: false };
  const chunks: Buffer[] = [];
  const args = [
    ...COMMON,
    ...(await walkArguments(runner, root, { hidden: true, ...options })),
    "--files",
    "--null",
    // Folders are derived from the files in them; and an explicitly requested name is listed even if it is hidden.
    ...(options.directories || options.hidden === false ? [] : nameArguments(rest)),
  ];
  const { maxResults, enough, signal } = options;
  // With sorting, ripgrep prints nothing until it has sorted everything.
  const isSorted = maxResults !== undefined && enough === undefined;
  if (isSorted) args.push("--sortr=modified");
  args.push("--", "./");
  const stop = AbortSignal.any([signal, enough].filter((one) => one !== undefined));
  const { exitCode, stderr } = await runner.run(args, root, (chunk) => chunks.push(chunk), stop);
  signal?.throwIfAborted();
  const isPartial = enough?.aborted ?? false;
  if (!isPartial && exitCode > 1 && stderr.trim() !== "")
    throw new EnvError("io", `Listing files failed in ${root}: ${stderr.trim()}`);
  const all: string[] = [];
  const entries = Buffer.concat(chunks).toString("utf8").split("\0");
  // The text after the last zero byte is an incomplete name.
  for (const entry of entries.slice(0, -1)) all.push(entry.slice(2));
  const names = all.filter((one) => matches(one));
  const candidates = isSorted ? await newest(runner, root, names, maxResults) : await withTimes(runner, root, names);
  const shown = shownPrefix(root, base);
  const folders = options.directories ? foldersOf(all).filter((one) => matches(one)) : [];
  return globResult(
    candidates.map(({ path, mtimeMs }) => ({ path: shown + path, mtimeMs })),
    folders.map((name) => shown + name),
    maxResults,
    isPartial || candidates.length < names.length,
  );
}

async function withTimes(runner: RipgrepRunner, root: string, names: readonly string[]): Promise<TimedPath[]> {
  const times = await runner.mtimes(root, names);
  return names.map((path, i) => ({ path, mtimeMs: times[i]! }));
}

/** The first `count` names, newest first, plus all that are as old as the last of them; those are sorted by name. */
async function newest(
  runner: RipgrepRunner,
  root: string,
  names: readonly string[],
  count: number,
): Promise<TimedPath[]> {
  const found = await withTimes(runner, root, names.slice(0, count));
  const oldest = found.at(-1)?.mtimeMs ?? 0;
  while (found.length < names.length && found.at(-1)!.mtimeMs === oldest) {
    found.push(...(await withTimes(runner, root, names.slice(found.length, found.length + 100))));
  }
  return found;
}

/** Unlike --glob, a file type filters by name and keeps gitignore in force. */
function nameArguments(pattern: string | undefined): string[] {
  const name = pattern === undefined ? undefined : nameGlob(pattern);
  return name === undefined || name === "*" ? [] : [`--type-add=wanted:${name}`, "--type=wanted"];
}

function regexFault(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.replace(/^rg: /, "").trim())
    .filter((line) => line !== "");
  const error = lines.find((line) => line.startsWith("error: "))?.slice("error: ".length);
  return error ?? lines[0] ?? "it could not be compiled";
}
