// Which file an edit may write: symbolic links are followed inside the working directory and refused if they lead out
// of it.

import { posix } from "node:path";
import type { Located } from "../../contract/paths/call-paths.ts";
import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import type { PartCodec } from "../target/format.ts";
import { targetOf } from "../target/target.ts";
import { forEachBounded } from "./bounded-concurrency.ts";
import { shownKey } from "./shown-files.ts";

/** A file to edit, or a text inside one, which exists or can be created. */
export interface Target extends Located {
  /** The text inside the file, such as a member of an archive. `absolute` then identifies both. */
  readonly part?: TargetPart;
}

export interface TargetPart {
  readonly codec: PartCodec;
  readonly inner: string;
}

export async function resolveTargets(scope: CallScope, paths: readonly string[]): Promise<Map<string, Target>> {
  const { env } = scope;
  const root = env.resolve(env.workingDirectory());
  const { real: realRoot } = await scope.paths.locate(root);
  const unique = [...new Set(paths)];
  const found = new Map<string, Target>();
  await forEachBounded(unique, async (path) => {
    if (path.trim() === "") throw new ToolFailure("The path is empty. Name a file. Nothing was written.");
    const target = await resolveWritable(scope, path);
    if (!target.stat && /^~(?:\/|$)/.test(target.path)) {
      throw new ToolFailure(
        `${path} does not mean your home directory here, and a directory named ~ is not created. Give the whole path. Nothing was written.`,
      );
    }
    if (isInside(target.absolute, root) && !isInside(target.real, realRoot) && !isInside(target.real, root)) {
      throw new ToolFailure(
        `${path} is reached through a symbolic link that leads out of the working directory (${target.real}). Nothing was written.`,
      );
    }
    if (!target.stat && path.endsWith("/")) {
      throw new ToolFailure(`${path} names a directory. Name the file in it. Nothing was written.`);
    }
    found.set(path, target);
  });
  return new Map(unique.map((path) => [path, found.get(path) as Target]));
}

/** A dangling link counts as a file that does not exist yet. */
async function resolveWritable(scope: CallScope, text: string): Promise<Target> {
  const { path, located: found, part } = await resolveEditable(scope, text);
  const { stat, ...file } = found;
  const located = { ...file, path, ...(part ? { part, absolute: shownKey(file.absolute, part.inner) } : {}) };
  if (stat?.kind === "dangling") return located;
  if (stat) {
    if (stat.kind === "directory") throw new ToolFailure(`${path} is a directory, not a file. Nothing was written.`);
    if (stat.kind === "other") throw new ToolFailure(`${path} is not a regular file. Nothing was written.`);
    return { ...located, stat };
  }
  for (let parent = posix.dirname(located.real); ; parent = posix.dirname(parent)) {
    const parentStat = await scope.env.stat(parent);
    if (parentStat?.kind === "directory" || parent === posix.dirname(parent)) return located;
    if (parentStat) throw new ToolFailure(`${path} cannot be created: ${parent} is a file. Nothing was written.`);
  }
}

/** The target of an edit that the text refers to. */
async function resolveEditable(
  scope: CallScope,
  text: string,
): Promise<{ readonly path: string; readonly located: Located; readonly part?: TargetPart }> {
  const target = await targetOf(text, "write", scope);
  if (target.kind !== "file") {
    throw new ToolFailure(`${text} is an address, not a file; write it as a whole. Nothing was written.`);
  }
  const { path, located, format, inner } = target;
  if (!format) return { path, located };
  if (!format.parts) {
    throw new ToolFailure(`${path} is part of a ${format.name} and cannot be edited as text. Nothing was written.`);
  }
  return { path, located, part: { codec: format.parts, inner: format.parts.normalise(inner, located.path) } };
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}
