// Files outside the tree that affect how a check ends: configuration in the home folder and above the project, files
// that the check or a link names, caches. Changes since the work began are detected by ctime.

import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../world/env/is-inside.ts";
import { hasFresh, IS_MADE, isFresh, lstatOf, namesIn, statOf } from "./freshness.ts";

const HOME_CONFIGURATION = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".bashrc", ".bash_profile", ".profile", ".zshenv", ".zshrc"],
  ...[".cargo/config.toml", ".cargo/config", ".config/pip/pip.conf", ".pip/pip.conf", ".config/go/env", ".nvmrc"],
  ...[".config/pytest.ini", ".gitconfig", ".config/git/config", ".makerc", ".tool-versions"],
  ...[
    ".config/mise/config.toml",
    ".config/pnpm/rc",
    ".m2/settings.xml",
    ".gradle/init.gradle",
    ".gradle/init.gradle.kts",
  ],
  ...[".gradle/gradle.properties", ".bundle/config", ".rspec", ".bazelrc", ".asdfrc", ".pyenv/version", ".gemrc"],
  ...[".rustup/settings.toml", ".nvm/alias/default", ".bash_env", ".pythonrc", ".pythonrc.py", ".condarc", ".pylintrc"],
];

/** Absolute paths. */
export const changedHomeFiles = (home: string, since: number): string[] =>
  HOME_CONFIGURATION.map((name) => join(home, name)).filter((path) => isFreshFile(path, since));

/** Runners do not look for scripts above the project. */
const IS_SCRIPT = /\.(?:sh|bash|mk)$/;

/** Configuration in the folders above the project, because runners look for it there too. */
export function changedAbove(root: string, since: number, isConfiguration: (name: string) => boolean): string[] {
  const found: string[] = [];
  for (let folder = root; folder !== dirname(folder); ) {
    folder = dirname(folder);
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      const isIt = isFreshFile(path, since) && statOf(path)?.isFile() && !IS_SCRIPT.test(name) && isConfiguration(name);
      if (isIt) found.push(path);
    }
  }
  return found;
}

/** A check may also name files that it writes, such as reports; these are the kinds that it runs or reads. */
const IS_CODE = /\.(?:sh|bash|[cm]?[jt]s|py|rb|pl|php|lua|mk|ini|toml|ya?ml|cfg|conf)$|(?:^|\/)[Mm]akefile$/;

/** The changed programs, scripts and configuration files outside of the root that these commands name. */
export function changedNamed(
  commands: readonly string[],
  {
    root,
    cwd,
    home,
    since,
  }: { readonly root: string; readonly cwd: string; readonly home?: string | undefined; readonly since: number },
): string[] {
  const read = commands.map((command) => command.replace(/\d*&?>{1,2}[|&]?\s*\S+/g, " "));
  const words = read.flatMap((command) => command.split(/[\s"'=;|&()<>`]+/)).filter((word) => word.includes("/"));
  const paths = words.map((word) => resolve(cwd, word.replace(/^(?:~|\$\{?HOME\}?)(?=\/)/, home ?? "~")));
  const outside = [...new Set(paths)].filter((path) => !isInside(path, root) && !path.startsWith("/dev/"));
  return outside.filter((path) => {
    const stat = statOf(path);
    const isCode = IS_CODE.test(path) || ((stat?.mode ?? 0) & 0o111) !== 0;
    return stat?.isFile() === true && isCode && isFreshFile(path, since);
  });
}

/** The targets of links outside of the root in which a file was changed, apart from what test runs leave behind. */
export function changedBehind(
  links: readonly { readonly path: string; readonly target: string }[],
  root: string,
  since: number,
): string[] {
  return links.flatMap(({ path, target }) => {
    const place = resolve(dirname(path), target);
    if (isInside(place, root) || !existsSync(place)) return [];
    return hasFreshFile(realpathSync(place), since, { left: MOST_LOOKED_AT }) ? [place] : [];
  });
}

function hasFreshFile(path: string, since: number, looks: { left: number }): boolean {
  const stat = lstatOf(path);
  if (!stat || --looks.left < 0 || IS_MADE.test(path)) return false;
  if (!stat.isDirectory()) return isFresh(stat, since);
  return namesIn(path).some((name) => hasFreshFile(join(path, name), since, looks));
}

/** Git's configuration and hooks count if a check uses git. */
export function changedGit(commands: readonly string[], root: string, since: number): string[] {
  if (!commands.some((command) => /(?<![\w./-])git(?![\w/.-])/.test(command))) return [];
  const hooks = namesIn(join(root, ".git/hooks")).map((name) => `.git/hooks/${name}`);
  return [".git/config", ".git/info/attributes", ...hooks]
    .map((name) => join(root, name))
    .filter((path) => isFreshFile(path, since));
}

const isFreshFile = (path: string, since: number): boolean =>
  isFresh(lstatOf(path), since) || (lstatOf(path)?.isSymbolicLink() === true && isFresh(statOf(path), since));

/** Where results of earlier runs are cached, relative to the root. */
const CACHES = [
  ...[".pytest_cache", ".testmondata", ".mypy_cache", ".ruff_cache", ".eslintcache", ".stylelintcache", ".cache"],
  ...["node_modules/.cache", "node_modules/.vite", "node_modules/.vitest", "node_modules/.vite-temp", ".jest-cache"],
  ...[".turbo", ".nx/cache", ".nyc_output", ".parcel-cache", ".tap", ".test-cache", ".test-results", ".tsbuildinfo"],
  ...["tsconfig.tsbuildinfo", ".gradle", ".rspec_status", "lastfailed"],
];
const MOST_LOOKED_AT = 500;

/** Caches that were written since the work began; absolute. A cache that is too large to examine counts as changed. */
export function changedCaches(folders: readonly string[], since: number): string[] {
  const paths = folders.flatMap((folder) => CACHES.map((name) => join(folder, name)));
  return paths.filter((path) => hasFresh(path, since, { left: MOST_LOOKED_AT }));
}

/**
 * Folders with compiled Python beside these files. Such a file names the source that it was compiled from, and Python
 * trusts it.
 */
export function compiledPython(files: readonly string[], since: number): string[] {
  const folders = new Set(files.filter((path) => path.endsWith(".py")).map(dirname));
  return [...folders]
    .map((folder) => join(folder, "__pycache__"))
    .filter((path) => namesIn(path).some((name) => isFresh(lstatOf(join(path, name)), since)));
}
