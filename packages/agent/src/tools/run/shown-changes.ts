// Finds which of the files shown in the session a command changed. A file's stat decides whether we look at it, its
// content whether it really differs.

import type { ToolContext } from "../../contract/tool.ts";
import { forEachBounded } from "../../files/edit/bounded-concurrency.ts";
import { DocumentError, decodeDocument } from "../../files/edit/document.ts";
import { digestOf } from "../../files/edit/shown-files.ts";
import { shownPath } from "../../world/env/search/results.ts";
import { EnvError, type ExecutionEnvironment } from "../../world/env/types.ts";

/** The most recently used files only, because a remote environment pays a round trip for each. */
const MOST_FILES = 30;

/** Call before the command; the returned function names the changed files after it. */
export async function watchShownFiles({ env, services }: ToolContext): Promise<() => Promise<readonly string[]>> {
  const shown = services.shownFiles;
  const paths = shown?.recent(MOST_FILES) ?? [];
  if (!shown || paths.length === 0) return async () => [];
  const before = new Map<string, string>();
  await forEachBounded(paths, async (path) => void before.set(path, await stamp(env, path)));
  return async () => {
    const changed: string[] = [];
    await forEachBounded(paths, async (path) => {
      const now = await stamp(env, path);
      if (now === before.get(path)) return;
      const known = shown.latest(path);
      if (known && (await digestOnDisk(env, path)) !== known.digest) changed.push(shortPath(env, path));
    });
    return changed.sort();
  };
}

/** One line for the model; empty if nothing changed. */
export function changedNote(changed: readonly string[]): string {
  if (changed.length === 0) return "";
  return `[changed since you last saw ${changed.length === 1 ? "it" : "them"}: ${changed.join(", ")}; read again before editing]\n`;
}

/** A file that cannot be read counts as missing, because the command's own outcome must reach the model. */
async function stamp(env: ExecutionEnvironment, path: string): Promise<string> {
  try {
    const stat = await env.stat(path);
    return stat ? `${stat.size} ${stat.mtimeMs}` : "";
  } catch (error) {
    if (error instanceof EnvError) return "";
    throw error;
  }
}

async function digestOnDisk(env: ExecutionEnvironment, path: string): Promise<string | undefined> {
  try {
    return digestOf(decodeDocument(await env.readBytes(path)).text);
  } catch (error) {
    if (error instanceof EnvError || error instanceof DocumentError) return undefined;
    throw error;
  }
}

const shortPath = (env: ExecutionEnvironment, path: string): string => shownPath(path, env.workingDirectory());
