// What decides how a check ends and is no file of the tree: programs, installed packages, caches, configuration in the home folder. What was
// changed there since the work began is found by the time of its last change, which no program can set back.

import { lstatSync, readdirSync, type Stats } from "node:fs";
import { isAbsolute, join } from "node:path";
import { quoteShell } from "../world/env/shell-quote.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";

/** Programs that were made or changed since the work began. */
export interface ChangedPrograms {
  /** Others would be found first now; by name, where they were found before. */
  readonly shadowed: ReadonlyMap<string, string>;
  /** They were not there before. */
  readonly added: readonly string[];
  /** Written over: what was there before is gone. Absolute. */
  readonly overwritten: readonly string[];
}

export function changedPrograms(path: string, since: number): ChangedPrograms {
  const shadowed = new Map<string, string>();
  const added = new Set<string>();
  const overwritten: string[] = [];
  const folders = path.split(":").filter(isAbsolute);
  const fresh = new Set<string>();
  for (const folder of folders) {
    const isNewLink = isFresh(lstatOf(folder), since) && lstatOf(folder)!.isSymbolicLink();
    for (const name of namesIn(folder)) {
      const file = join(folder, name);
      const stat = lstatOf(file);
      if (isNewLink || isFresh(stat, since)) {
        const wasThere = stat !== undefined && stat.birthtimeMs < since && !isNewLink;
        if (wasThere && !stat.isDirectory()) overwritten.push(file);
        else if (!shadowed.has(name)) fresh.add(name);
      } else if (fresh.has(name)) {
        fresh.delete(name);
        shadowed.set(name, file);
      }
    }
  }
  for (const name of fresh) added.add(name);
  return { shadowed, added: [...added], overwritten };
}

const HOME_CONFIGURATION = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".bashrc", ".bash_profile", ".profile", ".zshenv", ".zshrc"],
  ...[".cargo/config.toml", ".cargo/config", ".config/pip/pip.conf", ".pip/pip.conf", ".config/go/env", ".nvmrc"],
  ...[
    ".config/pytest.ini",
    ".gitconfig",
    ".config/git/config",
    ".makerc",
    ".tool-versions",
    ".config/mise/config.toml",
  ],
];

/** Absolute paths. */
export function changedHomeFiles(home: string, since: number): string[] {
  return HOME_CONFIGURATION.map((name) => join(home, name)).filter((path) => isFresh(lstatOf(path), since));
}

/** Where results of earlier runs are kept, relative to the root. */
const CACHES = [
  ...[".pytest_cache", ".testmondata", ".mypy_cache", ".ruff_cache", ".eslintcache", ".stylelintcache", ".cache"],
  ...["node_modules/.cache", "node_modules/.vite", "node_modules/.vitest", "node_modules/.vite-temp", ".jest-cache"],
  ...[".turbo", ".nx/cache", ".nyc_output", ".parcel-cache", ".tap", ".test-cache", ".test-results", ".tsbuildinfo"],
  ...["tsconfig.tsbuildinfo", ".gradle", ".rspec_status", "lastfailed"],
];
const MOST_LOOKED_AT = 500;

/** Caches that something was written to since the work began; relative to the root. */
export function changedCaches(root: string, since: number): string[] {
  return CACHES.filter((name) => hasFresh(join(root, name), since, { left: MOST_LOOKED_AT }));
}

/** One that is too large to be looked at counts as changed. */
function hasFresh(path: string, since: number, looks: { left: number }): boolean {
  const stat = lstatOf(path);
  if (!stat) return false;
  if (--looks.left < 0 || isFresh(stat, since)) return true;
  return stat.isDirectory() && namesIn(path).some((name) => hasFresh(join(path, name), since, looks));
}

const PACKAGE_FOLDERS = ["node_modules", ".venv", "venv", "vendor"];
const LOOK_MS = 60_000;

/**
 * Installed packages of which something was changed since the work began, though they were not installed anew. `env` shows the project
 * as it is. Relative to the root.
 */
export async function changedPackages(
  root: string,
  env: ExecutionEnvironment,
  since: number,
  signal: AbortSignal,
): Promise<{ readonly tampered: readonly string[]; readonly installed: number }> {
  const folders = PACKAGE_FOLDERS.filter((name) => lstatOf(join(root, name))?.isDirectory());
  if (folders.length === 0) return { tampered: [], installed: 0 };
  const seconds = (since / 1000).toFixed(3);
  const command = `/usr/bin/find ${folders.map(quoteShell).join(" ")} \\( -type f -o -type l \\) -newerct ${quoteShell(`@${seconds}`)} -print 2>/dev/null | head -n 5000`;
  const { stdout } = await env.execCommand(command, LOOK_MS, { cwd: root, signal, internal: true });
  return judgePackages(stdout.split("\n").filter((line) => line !== ""));
}

/** `changed`: files in folders of packages. */
function judgePackages(changed: readonly string[]): { tampered: string[]; installed: number } {
  const files = changed.filter((path) => !/(?:^|\/)(?:node_modules\/\.(?!bin\/|pnpm\/)|__pycache__\/)/.test(path));
  const made = new Set(files.flatMap((path) => /^(.*)\/package\.json$/.exec(path)?.[1] ?? []));
  const hasWheel = files.some((path) => /\.dist-info\/RECORD$/.test(path));
  const isInstalled = (path: string): boolean => {
    if (/site-packages\//.test(path)) return hasWheel && !/site-packages\/[^/]+\.pth$/.test(path);
    const folder = packageOf(path);
    return folder === undefined ? made.size > 0 : made.has(folder);
  };
  return { tampered: files.filter((path) => !isInstalled(path)), installed: made.size + (hasWheel ? 1 : 0) };
}

/** Undefined: it belongs to none, such as a link in `.bin`. */
function packageOf(path: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?(?!\.)[^/]+)\//.exec(path)?.[1];
}

const isFresh = (stat: Stats | undefined, since: number): boolean => stat !== undefined && stat.ctimeMs >= since;

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // A folder that may not be read decides nothing for the programs of this user.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
