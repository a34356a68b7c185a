// Which file a path means: symbolic links are followed inside the working directory and refused when they lead out of it.

import { posix } from "node:path";
import { realPathOf } from "../env/real-path.ts";
import type { ExecutionEnvironment, FileStat } from "../env/types.ts";
import { sameNamed } from "../paths/same-name.ts";
import { ToolFailure } from "../contract/tool.ts";
import { eachAtOnce } from "./at-once.ts";

export interface Target {
  /** As the caller wrote it. */
  readonly path: string;
  /** Absolute, links not followed: the key of the shown-file record. */
  readonly absolute: string;
  /** Where the bytes are. */
  readonly real: string;
  readonly stat?: FileStat;
}

export async function resolveTargets(
  env: ExecutionEnvironment,
  paths: readonly string[],
): Promise<Map<string, Target>> {
  const root = env.resolve(env.workingDirectory());
  const realRoot = (await env.stat(root))?.realPath ?? root;
  const unique = [...new Set(paths)];
  const found = new Map<string, Target>();
  await eachAtOnce(unique, async (path) => {
    if (path.trim() === "") throw new ToolFailure("The path is empty. Name a file. Nothing was written.");
    const target = await locate(env, path);
    if (!target.stat && /^~(?:\/|$)/.test(path)) {
      throw new ToolFailure(
        `${path} does not mean your home directory here, and a directory named ~ is not created. Give the whole path. Nothing was written.`,
      );
    }
    if (within(target.absolute, root) && !within(target.real, realRoot) && !within(target.real, root)) {
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

async function locate(env: ExecutionEnvironment, path: string): Promise<Target> {
  const absolute = env.resolve(path);
  const there = await env.stat(absolute);
  const other = there ? undefined : await sameNamed(env, absolute);
  if (other === undefined) return locateAt(env, path, absolute, there);
  return { ...(await locateAt(env, path, other, await env.stat(other))), absolute };
}

async function locateAt(
  env: ExecutionEnvironment,
  path: string,
  absolute: string,
  stat: FileStat | undefined,
): Promise<Target> {
  if (stat?.kind === "dangling") return { path, absolute, real: await realPathOf(env, absolute) };
  if (stat) {
    if (stat.kind === "directory") throw new ToolFailure(`${path} is a directory, not a file. Nothing was written.`);
    if (stat.kind === "other") throw new ToolFailure(`${path} is not a regular file. Nothing was written.`);
    return { path, absolute, real: stat.realPath, stat };
  }
  let parent = posix.dirname(absolute);
  for (;;) {
    const above = await env.stat(parent);
    if (above && above.kind !== "directory") {
      throw new ToolFailure(`${path} cannot be created: ${parent} is a file. Nothing was written.`);
    }
    if (above) return { path, absolute, real: posix.join(above.realPath, posix.relative(parent, absolute)) };
    const next = posix.dirname(parent);
    if (next === parent) return { path, absolute, real: absolute };
    parent = next;
  }
}

function within(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}
