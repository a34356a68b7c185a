// The only place of the edit core that writes. All files are compared with what the plan was made from before the first write;
// a failure while writing puts back what was already written.

import { EnvError, type ExecutionEnvironment } from "../env/types.ts";
import { ToolFailure } from "../tools/types.ts";
import type { FileChange } from "./workspace.ts";

export async function commitChanges(
  env: ExecutionEnvironment,
  changes: readonly FileChange[],
  signal: AbortSignal,
): Promise<void> {
  for (const change of changes) await refuseRace(env, change);
  signal.throwIfAborted();
  // Removals last: a moved file exists twice for a moment rather than not at all.
  const ordered = [...changes.filter((change) => change.after), ...changes.filter((change) => !change.after)];
  const done: FileChange[] = [];
  for (const change of ordered) {
    done.push(change);
    try {
      await put(env, change, change.after);
    } catch (error) {
      await restore(env, done, change, error);
    }
  }
}

async function refuseRace(env: ExecutionEnvironment, { target, before }: FileChange): Promise<void> {
  const now = await env.stat(target.real);
  const same =
    before && now
      ? Buffer.compare(before.bytes, await env.readBytes(target.real)) === 0
      : (before === undefined) === (now === undefined);
  if (same) return;
  throw new ToolFailure(
    `${target.path} was changed by something else while this edit was being prepared. Read it again and repeat the edit. Nothing was written.`,
  );
}

async function put(env: ExecutionEnvironment, change: FileChange, content: FileChange["after"]): Promise<void> {
  if (!content) return env.deleteFile(change.target.real);
  await env.writeFile(
    change.target.real,
    content.bytes,
    content.mode === undefined ? {} : { mode: content.mode & 0o7777 },
  );
}

async function restore(
  env: ExecutionEnvironment,
  done: readonly FileChange[],
  failed: FileChange,
  cause: unknown,
): Promise<never> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const lost: string[] = [];
  for (const change of [...done].reverse()) {
    try {
      if (change === failed && (await unchanged(env, change))) continue;
      await put(env, change, change.before);
    } catch (error) {
      if (error instanceof EnvError && error.code === "not_found" && !change.before) continue;
      lost.push(change.target.path);
    }
  }
  const state =
    lost.length === 0
      ? "Everything is as it was before the call."
      : `These files could not be put back, look at them: ${lost.join(", ")}.`;
  throw new ToolFailure(`${failed.target.path} could not be written: ${reason} ${state}`, {
    effects: lost.length === 0 ? "none" : "unknown",
  });
}

async function unchanged(env: ExecutionEnvironment, { target, before }: FileChange): Promise<boolean> {
  const now = await env.stat(target.real);
  if (!now || !before) return !now && !before;
  return Buffer.compare(before.bytes, await env.readBytes(target.real)) === 0;
}
