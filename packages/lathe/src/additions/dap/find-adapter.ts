// Chooses the adapter for a program: the requested one, or the best that fits and is installed.

import { posix } from "node:path";
import { ToolFailure } from "@lathe/agent";
import { type ExecutionEnvironment, quoteShell } from "@lathe/agent/world";
import { ADAPTER_ROWS, type AdapterRow } from "./adapter-rows.ts";

/** An adapter and the program that it runs with. */
export interface FoundAdapter {
  readonly row: AdapterRow;
  readonly program: string;
}

const SEARCH_MS = 20_000;
const SHEBANG_BYTES = 100;

export async function adapterFor(
  rows: readonly AdapterRow[],
  env: ExecutionEnvironment,
  { adapter, isTrusted }: { readonly adapter?: string | undefined; readonly isTrusted: boolean },
): Promise<FoundAdapter> {
  for (const row of rows) {
    const program = await installedProgram(row, env, isTrusted);
    if (program !== undefined) return { row, program };
  }
  const installed = await installedAdapters(env, isTrusted);
  const names = installed.map(({ row }) => row.name).join(", ") || "none";
  const fitting = rows.map(({ name, install }) => `${name} (${install})`).join(" or ");
  const hint = fitting === "" ? "Name one as `adapter`." : `To debug this, install ${fitting}.`;
  if (adapter !== undefined && rows.length === 0)
    throw new ToolFailure(`There is no adapter ${adapter}. Known: ${ADAPTER_ROWS.map(({ name }) => name).join(", ")}.`);
  throw new ToolFailure(`No debugger adapter available. Installed adapters: ${names}. ${hint}`);
}

/** Adapters that can debug a program, the best first. This runs no program. */
export async function rowsForLaunch(
  { adapter, program }: { readonly adapter?: string | undefined; readonly program: string },
  env: ExecutionEnvironment,
): Promise<readonly AdapterRow[]> {
  if (adapter !== undefined) return rowsNamed(adapter);
  if (program.startsWith("-m ")) return rowsNamed("debugpy");
  const fileType = posix.extname(program);
  const byType = ADAPTER_ROWS.filter(({ fileTypes }) => fileType !== "" && fileTypes.includes(fileType));
  if (byType.length > 0) return byType;
  const kind = (await env.stat(program))?.kind;
  const start = kind === "file" ? await firstBytes(program, env) : "";
  const interpreter = /^#!.*\b(node|python)/.exec(start)?.[1];
  if (interpreter !== undefined) return rowsNamed(interpreter === "node" ? "node" : "debugpy");
  // A source file or a script in a language that none of these adapters debug.
  if (fileType !== "" && kind === "file" && !/^(?:\x7fELF|MZ|[\xcf\xce]\xfa\xed\xfe)/.test(start)) return [];
  const isFolder = kind === "directory";
  const marked: AdapterRow[] = [];
  for (const row of ADAPTER_ROWS)
    if ((isFolder || row.isNative || row.name === "delve") && (await hasMarker(row, program, isFolder, env)))
      marked.push(row);
  return [...marked, ...ADAPTER_ROWS.filter((row) => row.isNative && !marked.includes(row))];
}

/** A port is most likely debugpy's. A process is taken for a native one unless its program is a known interpreter. */
export async function rowsForAttach(
  { adapter, pid }: { readonly adapter?: string | undefined; readonly pid?: number | undefined },
  env: ExecutionEnvironment,
): Promise<readonly AdapterRow[]> {
  if (adapter !== undefined) return rowsNamed(adapter);
  const first = pid === undefined ? rowsNamed("debugpy") : rowsNamed(await interpreterOf(pid, env));
  const native = ADAPTER_ROWS.filter(({ isNative }) => isNative);
  const others = ADAPTER_ROWS.filter(({ isNative }) => !isNative);
  return [...new Set([...first, ...native, ...others])];
}

async function interpreterOf(pid: number, env: ExecutionEnvironment): Promise<string> {
  const script = `readlink /proc/${pid}/exe || ps -o comm= -p ${pid}`;
  const { stdout } = await env.execCommand(script, SEARCH_MS, { internal: true });
  const name = posix.basename(stdout.trim());
  return /^(?:python|pypy)/i.test(name) ? "debugpy" : /^node/.test(name) ? "node" : "";
}

export async function installedAdapters(
  env: ExecutionEnvironment,
  isTrusted: boolean,
): Promise<readonly FoundAdapter[]> {
  const found = await Promise.all(
    ADAPTER_ROWS.map(async (row) => ({ row, program: await installedProgram(row, env, isTrusted) })),
  );
  return found.flatMap(({ row, program }) => (program === undefined ? [] : [{ row, program }]));
}

const rowsNamed = (name: string): readonly AdapterRow[] => ADAPTER_ROWS.filter((row) => row.name === name);

async function installedProgram(
  row: AdapterRow,
  env: ExecutionEnvironment,
  isTrusted: boolean,
): Promise<string | undefined> {
  const top = env.workingDirectory();
  const names = row.programs
    .filter((name) => isTrusted || !isProjects(name))
    .map((name) => quoteShell(isProjects(name) ? posix.resolve(top, name) : name));
  const script = `for p in ${names.join(" ")}; do q=$(command -v "$p") || continue; ${row.check ?? "true"} || continue; printf %s "$q"; break; done`;
  const { stdout } = await env.execCommand(script, SEARCH_MS, { internal: true });
  return posix.isAbsolute(stdout) ? stdout : undefined;
}

/** A program from the project. */
const isProjects = (name: string): boolean => name.includes("/") && !posix.isAbsolute(name);

async function firstBytes(program: string, env: ExecutionEnvironment): Promise<string> {
  return Buffer.from(await env.readBytes(program, { start: 0, end: SHEBANG_BYTES })).toString("latin1");
}

async function hasMarker(
  { rootMarkers }: AdapterRow,
  program: string,
  isFolder: boolean,
  env: ExecutionEnvironment,
): Promise<boolean> {
  const folders = new Set([isFolder ? program : posix.dirname(program), env.workingDirectory()]);
  for (const folder of folders)
    for (const marker of rootMarkers) if (await env.fileExists(posix.join(folder, marker))) return true;
  return false;
}
