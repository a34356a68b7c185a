// Finds the servers that a folder needs, and the program that each would run.

import { posix } from "node:path";
import type { ExecutionEnvironment, ProgramArgv } from "@lathe/agent/world";
import { isJsonObject } from "@lathe/llm";
import type { ServerRow } from "./server-row.ts";
import { fileTypeOf } from "./server-rows.ts";

/** A server that fits a folder, with its program or what is missing. */
export interface FittingServer {
  readonly row: ServerRow;
  readonly root: string;
  readonly argv?: ProgramArgv;
  readonly variables?: Readonly<Record<string, string>>;
  /** Its program was not found. */
  readonly isMissing?: true;
  /** Why it does not run. */
  readonly off?: string;
}

/** Folders in which a project keeps its own programs. */
const OWN_PROGRAMS = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];
/** Since this version, TypeScript's compiler is itself a language server. */
const COMPILER = "tsc";
const COMPILER_WITH_SERVER = 7;

export const isFor = (row: ServerRow, path: string): boolean =>
  row.fileTypes.includes(fileTypeOf(path)) || row.fileTypes.includes(posix.basename(path));

/** The nearest folder, from the file's up to the project's, that has a marker of the row; undefined if none has. */
export async function rootFor(
  row: ServerRow,
  path: string,
  env: ExecutionEnvironment,
  project?: string,
): Promise<string | undefined> {
  const here = env.workingDirectory();
  const top = project !== undefined && here.startsWith(`${project}/`) && (await statOf(project, env)) ? project : here;
  const folders: string[] = [];
  for (let at = posix.dirname(path); ; at = posix.dirname(at)) {
    if (at === top || at.startsWith(`${top === "/" ? "" : top}/`)) folders.push(at);
    if (at === top || at === posix.dirname(at)) break;
  }
  // The project's own folder comes first, so that one server knows all parts of the project.
  for (const folder of [top, ...folders]) if (await hasMarker(row, folder, env)) return folder;
  return undefined;
}

/** Also undefined for files that the agent cannot see: it may be confined to a part of the project. */
const statOf = (path: string, env: ExecutionEnvironment) => env.stat(path).catch(() => undefined);

async function hasMarker(row: ServerRow, folder: string, env: ExecutionEnvironment): Promise<boolean> {
  const globs = row.rootMarkers.filter((marker) => marker.includes("*")).map(toPattern);
  for (const marker of row.rootMarkers)
    if (!marker.includes("*") && (await env.stat(posix.join(folder, marker)))) return true;
  if (globs.length === 0) return false;
  const names = await env.listDirectory(folder, 1);
  return names.some(({ name }) => globs.some((glob) => glob.test(name)));
}

const toPattern = (glob: string): RegExp =>
  new RegExp(`^${glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);

/** `isTrusted`: whether the folder's own programs, and servers that run its code, may run. */
export async function programFor(
  row: ServerRow,
  root: string,
  env: ExecutionEnvironment,
  isTrusted: boolean,
): Promise<FittingServer> {
  const fits = { row, root };
  if (row.isDisabled) return { ...fits, off: "switched off by lsp.json" };
  if (row.runsCode && !isTrusted)
    return { ...fits, off: "it runs code of the project, and the folder is not trusted: lathe trust" };
  const own = await ownProgram(row, root, env);
  if (own !== undefined && isTrusted) return { ...fits, argv: [own, ...row.args] };
  // If the folder is not trusted, PATH must not lead into it: package managers put the project's programs there.
  const path = isTrusted ? undefined : await pathOutside([root, env.workingDirectory()], env);
  // A version other than the project's would find other errors.
  const version =
    row.command === COMPILER && own === undefined
      ? ((await compilerVersion(root, env)) ?? (await compilerVersion(env.workingDirectory(), env)))
      : undefined;
  if (version !== undefined && version < COMPILER_WITH_SERVER)
    return { ...fits, off: `the project has TypeScript ${version}, which is not a language server`, isMissing: true };
  const program = await onPath(row, env, path);
  if (program === undefined && own !== undefined)
    return { ...fits, off: "its program belongs to the project, and the folder is not trusted: lathe trust" };
  if (program === undefined)
    return {
      ...fits,
      off: `${row.command}${row.command === COMPILER ? ` ${COMPILER_WITH_SERVER}` : ""} is not installed${row.install ? ` (${row.install})` : ""}`,
      isMissing: true,
    };
  const shared = row.name === "rust-analyzer" ? await throughLspmux(program, env) : undefined;
  const variables = path === undefined ? {} : { variables: { PATH: path } };
  return { ...fits, argv: shared ?? [program, ...row.args], ...variables };
}

/** The PATH without these folders. The server also finds interpreters and helpers through it. */
async function pathOutside(folders: readonly string[], env: ExecutionEnvironment): Promise<string> {
  const { stdout } = await env.execCommand('printf %s "$PATH"', 5000, { internal: true });
  const isOutside = (place: string): boolean =>
    posix.isAbsolute(place) && !folders.some((folder) => place === folder || place.startsWith(`${folder}/`));
  const places: string[] = [];
  for (const place of stdout.split(":").filter(isOutside)) {
    const real = (await statOf(place, env))?.realPath;
    if (real !== undefined && isOutside(real)) places.push(place);
  }
  return places.join(":");
}

async function ownProgram(row: ServerRow, root: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const top = env.workingDirectory();
  for (const folder of new Set([root, top])) {
    if (row.command === COMPILER && ((await compilerVersion(folder, env)) ?? 0) < COMPILER_WITH_SERVER) continue;
    for (const place of OWN_PROGRAMS) {
      const path = posix.join(folder, place, row.command);
      if ((await statOf(path, env))?.kind === "file") return path;
    }
  }
  return undefined;
}

/** The major version of TypeScript in the folder. */
async function compilerVersion(folder: string, env: ExecutionEnvironment): Promise<number | undefined> {
  const file = posix.join(folder, "node_modules/typescript/package.json");
  if ((await statOf(file, env))?.kind !== "file") return undefined;
  const said: unknown = JSON.parse(await env.readFile(file));
  return Number.parseInt(isJsonObject(said) ? String(said["version"]) : "", 10) || undefined;
}

async function onPath(
  { command, otherNames = [] }: ServerRow,
  env: ExecutionEnvironment,
  path?: string,
): Promise<string | undefined> {
  if (!/^[\w./+-]+$/.test(command)) return (await statOf(command, env))?.kind === "file" ? command : undefined;
  const options = { internal: true, ...(path === undefined ? {} : { env: { PATH: path } }) };
  const search = [command, ...otherNames].map((name) => `command -v ${name}`).join(" || ");
  const { stdout, exitCode } = await env.execCommand(search, PROGRAM_MS, options);
  const program = stdout.trim();
  if (exitCode !== 0 || !posix.isAbsolute(program)) return undefined;
  if (command !== COMPILER) return program;
  // Package managers put links or scripts on PATH, so only running the program shows its version.
  const { stdout: said } = await env.execCommand(`${command} --version`, PROGRAM_MS, options);
  return Number(/\d+/.exec(said)?.[0]) >= COMPILER_WITH_SERVER ? program : undefined;
}

const PROBE_MS = 1000;
const PROGRAM_MS = 5000;

/** lspmux shares one server among all its clients, if its own server is running. */
async function throughLspmux(program: string, env: ExecutionEnvironment): Promise<ProgramArgv | undefined> {
  const probe =
    '[ -z "$LATHE_DISABLE_LSPMUX$PI_DISABLE_LSPMUX$GJC_DISABLE_LSPMUX" ] && command -v lspmux && lspmux status >/dev/null 2>&1';
  const { stdout, exitCode } = await env.execCommand(probe, PROBE_MS, { internal: true });
  const path = stdout.trim();
  return exitCode === 0 && posix.isAbsolute(path) ? [path, "client", "--server-path", program] : undefined;
}
