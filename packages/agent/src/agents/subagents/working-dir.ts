// The directory that a child may work in: its parent's, or one below it.

import { ToolFailure } from "../../contract/tool.ts";
import { isInside } from "../../policy/permissions/sensitive-paths.ts";
import { realPathOf } from "../../world/env/real-path.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** Throws for the model if the directory, or the target of a link, is elsewhere. */
export async function workingDirOf(env: ExecutionEnvironment, wished: string | undefined): Promise<string> {
  const root = env.workingDirectory();
  const cwd = wished === undefined ? root : env.resolve(wished);
  const [own, real] = await Promise.all([realPathOf(env, root), realPathOf(env, cwd)]);
  if (isInside(cwd, root) && isInside(real, own)) return cwd;
  throw new ToolFailure(`working_dir must lie inside ${root}; ${cwd} does not.`);
}
