// The folder that a child may be given to work in: inside its parent's, also where links lead.

import { ToolFailure } from "../contract/tool.ts";
import { realPathOf } from "../env/real-path.ts";
import type { ExecutionEnvironment } from "../env/types.ts";

export async function workingFolder(env: ExecutionEnvironment, wanted: string | undefined): Promise<string> {
  const cwd = wanted === undefined ? env.workingDirectory() : env.resolve(wanted);
  const [own, real] = await Promise.all([realPathOf(env, env.workingDirectory()), realPathOf(env, cwd)]);
  if (!isInside(env.workingDirectory(), cwd) || !isInside(own, real))
    throw new ToolFailure(`working_dir must lie inside ${env.workingDirectory()}; ${cwd} does not.`);
  return cwd;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}
