// Chooses the files to load: those that discovery found, and those that the settings and the command line name. A file
// named twice is loaded once.

import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { isWrittenForPi } from "../../found/discovery/pi-extensions.ts";
import type { Found, HookValue, ModuleValue } from "../../found/discovery/types.ts";
import { readIfThere } from "../../platform/home/small-file.ts";

export interface ExtensionSource {
  readonly kind: "extension" | "tool" | "hook";
  readonly name: string;
  /** The file to load: absolute, symlinks resolved. */
  readonly file: string;
  /** Where the file comes from, in the user's words: `project`, `user`, `settings`, `--extension`. */
  readonly from: string;
  /** Whose tool and argument names its handlers use. */
  readonly dialect: "lathe" | "pi";
}

export interface FoundSources {
  readonly sources: readonly ExtensionSource[];
  /** One line per problem. */
  readonly problems: readonly string[];
}

const CODE = /^\.[cm]?[jt]s$/;

export async function findSources(workspace: SessionWorkspace): Promise<FoundSources> {
  const problems: string[] = [];
  const named = [
    ...workspace.extensions.files.map((path) => ({ path, from: "--extension" })),
    ...workspace.settings.extensions.map((path) => ({ path, from: "settings" })),
  ];
  const all = [
    ...named.flatMap(({ path, from }) => namedSources(workspace, path, from, problems)),
    ...(await discoverSources(workspace)),
  ];
  const byFile = new Map<string, ExtensionSource>();
  for (const source of all) if (!byFile.has(source.file)) byFile.set(source.file, source);
  return { sources: [...byFile.values()], problems };
}

/** Extensions that `--extension` and the settings name: a file, or a folder with one or several extensions. */
function namedSources(
  { machine, cwd }: SessionWorkspace,
  path: string,
  from: string,
  problems: string[],
): readonly ExtensionSource[] {
  const full = resolve(from === "--extension" ? machine.cwd : cwd, path.replace(/^~(?=\/|$)/, machine.userHome));
  if (!existsSync(full)) {
    problems.push(`There is no extension ${path} (${from}).`);
    return [];
  }
  const files = statSync(full).isDirectory() ? entriesOf(full) : [full];
  if (files.length === 0) problems.push(`${path} (${from}) holds no extension: it needs an index.ts.`);
  return files.map((file) => ({ kind: "extension", name: nameOf(file), ...fileAndDialect(file), from }));
}

/** A folder with a manifest or an index is one extension; any other folder has one extension per file. */
function entriesOf(folder: string): readonly string[] {
  const manifest = manifestOf(join(folder, "package.json"));
  if (manifest.length > 0) return manifest.map((path) => join(folder, path)).filter((file) => existsSync(file));
  const index = ["index.ts", "index.js"].map((name) => join(folder, name)).find((file) => existsSync(file));
  if (index !== undefined) return [index];
  return readdirSync(folder)
    .filter((name) => CODE.test(extname(name)) && !name.endsWith(".d.ts"))
    .sort()
    .map((name) => join(folder, name));
}

function manifestOf(file: string): readonly string[] {
  try {
    const manifest = JSON.parse(readIfThere(file) ?? "{}") as Record<string, { extensions?: unknown } | undefined>;
    const listed = (manifest["lathe"] ?? manifest["omp"] ?? manifest["pi"])?.extensions;
    return Array.isArray(listed) ? listed.filter((path): path is string => typeof path === "string") : [];
  } catch {
    return []; // unreadable manifest: try the index
  }
}

/** An `index.ts` is named after its folder. */
export function nameOf(file: string): string {
  const name = basename(file, extname(file));
  return name === "index" ? basename(dirname(file)) : name;
}

async function discoverSources(workspace: SessionWorkspace): Promise<readonly ExtensionSource[]> {
  const discovery = await workspace.discovery();
  const [extensions, tools, hooks] = await Promise.all([
    discovery.of<"extension">("extension"),
    discovery.of<"tool">("tool"),
    discovery.of<"hook">("hook"),
  ]);
  const modules = (kind: "extension" | "tool", items: readonly Found<ModuleValue>[]): ExtensionSource[] =>
    items
      .filter(({ value }) => CODE.test(extname(value.entry)))
      .map(({ name, value, source }) => ({ kind, name, ...fileAndDialect(value.entry), from: source.level }));
  const moduleHooks = hooks.active.flatMap(({ name, value, source }: Found<HookValue>): ExtensionSource[] =>
    value.type === "module" && value.path !== undefined
      ? [{ kind: "hook", name, ...fileAndDialect(value.path), from: source.level }]
      : [],
  );
  return [...modules("extension", extensions.active), ...modules("tool", tools.active), ...moduleHooks];
}

function fileAndDialect(path: string): Pick<ExtensionSource, "file" | "dialect"> {
  const file = realpathSync(path);
  return { file, dialect: textsOf(file).some(isWrittenForPi) ? "pi" : "lathe" };
}

/** The text of the file, and of the other files in its folder if the extension has a folder of its own. */
function textsOf(file: string): readonly string[] {
  const folder = dirname(file);
  const hasFolder = basename(file, extname(file)) === "index" || existsSync(join(folder, "package.json"));
  const beside = hasFolder ? readdirSync(folder).filter((name) => CODE.test(extname(name))) : [];
  return [file, ...beside.map((name) => join(folder, name))].map((path) => readIfThere(path) ?? "");
}
