// Where a plugin or marketplace comes from: a folder, a git repository or an npm package.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { usageError } from "../../platform/usage/exit.ts";

export type PluginSource =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string }
  | { readonly kind: "npm"; readonly spec: string };

const GIT_URL = /^(?:https?|ssh|git|file):\/\/|^git@|\.git(?:#|$)/;
const GITHUB = /^(?:github:)?([\w.-]+\/[\w.-]+)(#.+)?$/;

/** Parses a source as users write it. */
export function readSource(written: string, cwd: string): PluginSource {
  if (written.trim() === "") throw usageError("Name a folder, a git URL, owner/repository or npm:<package>.");
  const path = resolve(cwd, written);
  if (existsSync(path)) return { kind: "folder", path };
  if (written.startsWith("npm:")) return { kind: "npm", spec: specOf(written.slice(4), cwd) };
  if (GIT_URL.test(written)) return git(written);
  const [, repository, ref = ""] = GITHUB.exec(written) ?? [];
  if (repository !== undefined && !written.startsWith(".")) return git(`https://github.com/${repository}.git${ref}`);
  throw usageError(
    `${written} is not a folder, git address or package. Write a path, a git URL, owner/repository or npm:<package>.`,
  );
}

/** Parses a source in a marketplace's list; paths are below the marketplace. */
export function sourceInMarketplace(written: unknown, root: string): PluginSource | undefined {
  if (typeof written === "string") {
    const path = resolve(root, written);
    return path === root || path.startsWith(`${root}/`) ? { kind: "folder", path } : undefined;
  }
  const { source, repo, url, ref, package: name } = (written ?? {}) as Readonly<Record<string, unknown>>;
  const at = typeof ref === "string" ? { ref } : {};
  if (source === "github" && typeof repo === "string")
    return { kind: "git", url: `https://github.com/${repo}.git`, ...at };
  if (source === "url" && typeof url === "string") return { kind: "git", url, ...at };
  return source === "npm" && typeof name === "string" ? { kind: "npm", spec: name } : undefined;
}

/** A text that works from any folder: `readSource` returns the same source for it. */
export function shownSource(source: PluginSource): string {
  if (source.kind === "folder") return source.path;
  if (source.kind === "npm") return `npm:${source.spec}`;
  return source.ref === undefined ? source.url : `${source.url}#${source.ref}`;
}

function git(written: string): PluginSource {
  const [url = "", ref] = written.split("#");
  if (ref?.startsWith("-") || url.startsWith("-")) throw usageError(`${written} is not a git address.`);
  return { kind: "git", url, ...(ref === undefined ? {} : { ref }) };
}

/** The path of a packed file, or a package name. */
function specOf(written: string, cwd: string): string {
  if (written.endsWith(".tgz")) return resolve(cwd, written);
  if (/^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~-]+)?$/.test(written)) return written;
  throw usageError(`"${written}" is not the name of a package. Write npm:<name> or npm:<name>@<version>.`);
}
