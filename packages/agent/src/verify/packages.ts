// Installed packages that were changed since the work began. A package that a manifest or lock file newly names may be
// installed; no other one may change.

import { isAbsolute, join } from "node:path";
import { quoteShell } from "../world/env/shell-quote.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import { lstatOf, namesIn } from "./freshness.ts";
import type { Change } from "./types.ts";

const FOLDERS = ["node_modules", ".venv", "venv", "vendor"];
const MANIFEST =
  /(?:^|\/)(?:package\.json|[^/]*lock[^/]*|[^/]*\.toml|requirements[^/]*|Pipfile|composer\.json|go\.(?:mod|sum)|setup\.(?:py|cfg)|Gemfile)$/;
const LOOK_MS = 60_000;
const MOST = 20_000;

export interface PackageLook {
  /** Shows the project as it is. */
  readonly env: ExecutionEnvironment;
  /** Folders of the project that may have packages of their own; absolute. */
  readonly folders: readonly string[];
  /** Package folders outside of the project, where nothing may be installed. */
  readonly outside: readonly string[];
  readonly cwd: string;
  readonly since: number;
  readonly changes: readonly Change[];
  readonly signal: AbortSignal;
}

export interface ChangedPackages {
  /** Changed files of packages that were there before, or that no manifest newly names. */
  readonly tampered: readonly string[];
  /** Packages were installed although no manifest was changed. */
  readonly isUndeclared: boolean;
}

/** The package folders inside these folders. */
const packageFolders = (folders: readonly string[]): string[] => [
  ...folders.flatMap((folder) => FOLDERS.map((name) => join(folder, name))).filter((path) => lstatOf(path)),
];

/** Where Python finds the user's own packages. */
export const userPackages = (home: string): string[] =>
  namesIn(join(home, ".local/lib"))
    .filter((name) => name.startsWith("python"))
    .map((name) => join(home, ".local/lib", name, "site-packages"));

export async function changedPackages(look: PackageLook): Promise<ChangedPackages> {
  const inside = await freshFiles(look, packageFolders(look.folders));
  const outside = await freshFiles(
    look,
    look.outside.filter((path) => lstatOf(path)),
  );
  return judge(
    inside,
    outside.filter((path) => !/\.pyc$/.test(path)),
    look,
  );
}

async function freshFiles({ env, cwd, since, signal }: PackageLook, folders: readonly string[]): Promise<string[]> {
  if (folders.length === 0) return [];
  const seconds = (since / 1000).toFixed(3);
  // The trailing slash follows a link to packages elsewhere.
  const places = folders.map((path) => quoteShell(isAbsolute(path) ? `${path}/` : path)).join(" ");
  const command = `/usr/bin/find ${places} \\( -type f -o -type l \\) -newerct ${quoteShell(`@${seconds}`)} -print 2>/dev/null | head -n ${MOST}`;
  const { stdout } = await env.execCommand(command, LOOK_MS, { cwd, signal, internal: true });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((path) => path.replace("//", "/"));
}

function judge(
  inside: readonly string[],
  outside: readonly string[],
  { changes, since }: PackageLook,
): ChangedPackages {
  const files = inside.filter((path) => !/\/node_modules\/\.(?!bin\/|pnpm\/)|\/__pycache__\//.test(path));
  const named = namesOf(changes);
  const made = new Set(files.flatMap((path) => /^(.*)\/package\.json$/.exec(path)?.[1] ?? []));
  const isNew = (folder: string): boolean => {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)?.[1];
    return named.isAllowed(name, (lstatOf(folder)?.birthtimeMs ?? 0) < since);
  };
  const wheels = files.flatMap((path) => /\/([^/]+)\.dist-info\/RECORD$/.exec(path)?.[1] ?? []);
  const areWheelsNew =
    wheels.length > 0 && wheels.every((wheel) => named.isAllowed(/^(.*?)-\d/.exec(wheel)?.[1], false));
  const isInstalled = (path: string): boolean => {
    if (/site-packages\//.test(path)) return areWheelsNew && !/site-packages\/[^/]+\.pth$/.test(path);
    const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?(?!\.)[^/]+)\//.exec(path)?.[1];
    return folder === undefined ? made.size > 0 : made.has(folder) && isNew(folder);
  };
  return {
    tampered: [...files.filter((path) => !isInstalled(path)), ...outside],
    isUndeclared: made.size + wheels.length > 0 && !named.isChanged,
  };
}

/** The packages that changes of manifests and lock files name. */
function namesOf(changes: readonly Change[]) {
  const manifests = changes.filter(({ path }) => MANIFEST.test(path));
  const text = (state: Change["before"]): string =>
    state.kind === "file" ? Buffer.from(state.bytes).toString("utf8") : "";
  const known = new Set<string>();
  let added = "";
  let old = "";
  for (const { before, after } of manifests) {
    old += `${text(before)}\n`;
    for (const line of text(before).split("\n")) known.add(line.trim().replace(/,$/, ""));
    for (const line of text(after).split("\n")) if (!known.has(line.trim().replace(/,$/, ""))) added += `${line}\n`;
  }
  return {
    isChanged: manifests.length > 0,
    /** Allowed if it is new, or if its line has changed because another version was requested. */
    isAllowed: (name: string | undefined, wasThere: boolean): boolean => {
      if (name === undefined) return true;
      const asWord = new RegExp(`(?<![\\w@-])${wordOf(name)}(?![\\w-])`, "i");
      return asWord.test(added) || (!wasThere && !asWord.test(old));
    },
  };
}

/** Wheels have `_` where manifests may have `-` or `.`. */
const wordOf = (name: string): string => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/[-_]/g, "[-_.]");
