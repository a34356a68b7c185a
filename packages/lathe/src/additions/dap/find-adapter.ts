// Which adapter a program is debugged with: the named one, or the best of those that fit and are installed.

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
  wanted: { readonly adapter?: string | undefined; readonly program?: string | undefined },
): Promise<FoundAdapter> {
  for (const row of rows) {
    const program = await installedProgram(row, env);
    if (program !== undefined) return { row, program };
  }
  const installed = await installedAdapters(env);
  const names = installed.map(({ row }) => row.name).join(", ") || "none";
  const fitting = rows.map(({ name, install }) => `${name} (${install})`).join(" or ");
  const hint = fitting === "" ? "Name one as `adapter`." : `To debug this, install ${fitting}.`;
  if (wanted.adapter !== undefined && rows.length === 0)
    throw new ToolFailure(
      `There is no adapter ${wanted.adapter}. Known: ${ADAPTER_ROWS.map(({ name }) => name).join(", ")}.`,
    );
  throw new ToolFailure(`No debugger adapter available. Installed adapters: ${names}. ${hint}`);
}

/** Those that would do for a program, the best first. Nothing is run to find out. */
export async function rowsForLaunch(
  { adapter, program }: { readonly adapter?: string | undefined; readonly program: string },
  env: ExecutionEnvironment,
): Promise<readonly AdapterRow[]> {
  if (adapter !== undefined) return rowsNamed(adapter);
  if (program.startsWith("-m ")) return rowsNamed("debugpy");
  const fileType = posix.extname(program);
  const byType = ADAPTER_ROWS.filter(({ fileTypes }) => fileType !== "" && fileTypes.includes(fileType));
  if (byType.length > 0) return byType;
  const interpreted = fileType === "" ? await shebangRow(program, env) : undefined;
  if (interpreted !== undefined) return [interpreted];
  const isFolder = (await env.stat(program))?.kind === "directory";
  const marked: AdapterRow[] = [];
  for (const row of ADAPTER_ROWS)
    if ((isFolder || row.isNative || row.name === "delve") && (await hasMarker(row, program, isFolder, env)))
      marked.push(row);
  return [...marked, ...ADAPTER_ROWS.filter((row) => row.isNative && !marked.includes(row))];
}

/** A port is most likely debugpy's; a process is a native one unless it is known to be another. */
export function rowsForAttach({
  adapter,
  port,
}: {
  readonly adapter?: string | undefined;
  readonly port?: number | undefined;
}): readonly AdapterRow[] {
  if (adapter !== undefined) return rowsNamed(adapter);
  const native = ADAPTER_ROWS.filter(({ isNative }) => isNative);
  const others = ADAPTER_ROWS.filter(({ isNative }) => !isNative);
  return port === undefined ? [...native, ...others] : [...rowsNamed("debugpy"), ...native, ...others];
}

export async function installedAdapters(env: ExecutionEnvironment): Promise<readonly FoundAdapter[]> {
  const found = await Promise.all(
    ADAPTER_ROWS.map(async (row) => ({ row, program: await installedProgram(row, env) })),
  );
  return found.flatMap(({ row, program }) => (program === undefined ? [] : [{ row, program }]));
}

const rowsNamed = (name: string): readonly AdapterRow[] => ADAPTER_ROWS.filter((row) => row.name === name);

async function installedProgram(row: AdapterRow, env: ExecutionEnvironment): Promise<string | undefined> {
  const top = env.workingDirectory();
  const names = row.programs.map((name) => quoteShell(name.includes("/") ? posix.resolve(top, name) : name));
  const script = `for p in ${names.join(" ")}; do q=$(command -v "$p") || continue; ${row.check ?? "true"} || continue; printf %s "$q"; break; done`;
  const { stdout } = await env.execCommand(script, SEARCH_MS, { internal: true });
  return posix.isAbsolute(stdout) ? stdout : undefined;
}

async function shebangRow(program: string, env: ExecutionEnvironment): Promise<AdapterRow | undefined> {
  if ((await env.stat(program))?.kind !== "file") return undefined;
  const start = Buffer.from(await env.readBytes(program, { start: 0, end: SHEBANG_BYTES })).toString("latin1");
  const [, interpreter] = /^#!.*\b(node|python)/.exec(start) ?? [];
  return interpreter === undefined ? undefined : rowsNamed(interpreter === "node" ? "node" : "debugpy")[0];
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
