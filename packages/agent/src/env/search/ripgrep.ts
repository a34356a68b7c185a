// The ripgrep engine: arguments in, parsed results out. The runner starts the program, so that the same engine serves a
// local disk and a remote machine that has ripgrep.

import { dirname, join, relative, resolve } from "node:path/posix";
import { pathError } from "../fs-error.ts";
import { EnvError, type GlobOptions, type GlobResult, type GrepOptions, type GrepResult } from "../types.ts";
import { FirstFiles } from "./first-files.ts";
import { compileFilter, compileGlob, nameGlob } from "./path-glob.ts";
import { badRegex, rejectLineBreaks } from "./regex.ts";
import { newestFirst, type TimedPath } from "./results.ts";
import { MatchParser } from "./ripgrep-output.ts";
import { DEFAULT_GREP_RESULTS, type Search } from "./types.ts";

export interface RipgrepRunner {
  /** Runs ripgrep in `cwd` until it ends or the signal is aborted. */
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

/** Above so many hits a sorted, early ending run is cheaper than reading them all. */
const MANY_HITS = 20_000;

const COMMON = ["--no-config", "--no-messages", "--no-ignore-files"];

/** Outside of any repository .gitignore files apply too; inside one they apply up to its root. */
async function ignoreArguments(runner: RipgrepRunner, directory: string): Promise<string[]> {
  for (let at = directory; ; at = dirname(at)) {
    if ((await runner.kind(join(at, ".git"))) !== undefined) return [];
    if (at === dirname(at)) return ["--no-require-git"];
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
  rejectLineBreaks(pattern);
  const filter = options.globFilter === undefined ? undefined : compileFilter(options.globFilter);
  const kind = await runner.kind(path);
  if (kind === undefined) throw pathError("not_found", path);
  const cwd = kind === "file" ? resolve(path, "..") : path;
  const target = kind === "file" ? `./${relative(cwd, path)}` : "./";
  const max = options.maxResults ?? DEFAULT_GREP_RESULTS;
  const mode = options.mode ?? "content";
  const wanted = (name: string): boolean =>
    (kind === "file" || (filter?.(name) ?? true)) && !options.leaveOut?.(join(cwd, name));
  // A single file is always asked for its matches: only they say whether it is binary.
  const format = mode === "content" || kind === "file" ? "json" : mode === "count" ? "count" : "files";
  const args = [
    ...COMMON,
    ...(await ignoreArguments(runner, cwd)),
    "--engine=auto",
    "--crlf",
    "--no-mmap",
    ...(options.caseInsensitive ? ["--ignore-case"] : []),
  ];
  if (kind !== "file") args.push(...nameArguments(options.globFilter));
  if (format === "count") args.push("--null", "--count");
  if (format === "files") args.push("--null", "--files-with-matches");
  if (format === "json") args.push("--json");
  if (mode === "content") args.push(`--context=${options.context ?? 0}`, `--max-count=${max + 1}`);

  const attempt = async (sorted: boolean): Promise<FirstFiles | undefined> => {
    const files = new FirstFiles(max, mode, sorted);
    const stop = new AbortController();
    const parser = new MatchParser(format, kind === "file", (file) => {
      if (wanted(file.path)) files.add(file);
      if (files.complete || (!sorted && files.hits > MANY_HITS)) stop.abort();
    });
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const sortArguments = sorted ? ["--sort=path"] : [];
    const { exitCode, stderr } = await runner.run(
      [...args, ...sortArguments, "--regexp", pattern, "--", target],
      cwd,
      (chunk) => parser.push(chunk),
      signal,
    );
    options.signal?.throwIfAborted();
    if (stop.signal.aborted) return sorted ? files : undefined;
    // Unreadable files also give 2, but say nothing with --no-messages.
    if (exitCode > 1 && stderr.trim() !== "") throw badRegex(pattern, regexFault(stderr));
    return files;
  };
  const files = (await attempt(false)) ?? (await attempt(true));
  return files!.result(cwd, base, options.context ?? 0);
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
    ...(await ignoreArguments(runner, root)),
    "--files",
    "--hidden",
    "--null",
    "--glob=!.git",
    ...nameArguments(rest),
  ];
  if (options.maxResults !== undefined) args.push("--sortr=modified");
  args.push("--", "./");
  const signal = options.signal ?? new AbortController().signal;
  const { exitCode, stderr } = await runner.run(args, root, (chunk) => chunks.push(chunk), signal);
  options.signal?.throwIfAborted();
  if (exitCode > 1 && stderr.trim() !== "")
    throw new EnvError("io", `Listing files failed in ${root}: ${stderr.trim()}`);
  const names: string[] = [];
  for (const entry of Buffer.concat(chunks).toString("utf8").split("\0")) {
    const name = entry.slice(2);
    if (name !== "" && matches(name)) names.push(name);
  }
  const { maxResults } = options;
  const candidates =
    maxResults === undefined ? await timed(runner, root, names) : await newest(runner, root, names, maxResults);
  const prefix = relative(base, root);
  const inside = prefix !== ".." && !prefix.startsWith("../");
  const shown = inside ? (prefix === "" ? "" : `${prefix}/`) : `${root === "/" ? "" : root}/`;
  const { paths } = newestFirst(
    candidates.map(({ path, mtimeMs }) => ({ path: shown + path, mtimeMs })),
    maxResults,
  );
  return { paths, truncated: paths.length < names.length };
}

async function timed(runner: RipgrepRunner, root: string, names: readonly string[]): Promise<TimedPath[]> {
  const times = await runner.mtimes(root, names);
  return names.map((path, i) => ({ path, mtimeMs: times[i]! }));
}

/** Of names that come newest first: the first `count` and those as old as the last of them, whose order is by name. */
async function newest(
  runner: RipgrepRunner,
  root: string,
  names: readonly string[],
  count: number,
): Promise<TimedPath[]> {
  const found = await timed(runner, root, names.slice(0, count));
  const oldest = found.at(-1)?.mtimeMs ?? 0;
  while (found.length < names.length && found.at(-1)!.mtimeMs === oldest) {
    found.push(...(await timed(runner, root, names.slice(found.length, found.length + 100))));
  }
  return found;
}

/** A file type restricts by name and, unlike --glob, leaves gitignore in force. */
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
