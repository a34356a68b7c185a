// Runs checks: in a view with the wanted files, or in the project if no view is possible.

import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import type { LandingStep } from "../files/isolate/landing-journal.ts";
import { openView } from "../files/isolate/open-view.ts";
import { putInView } from "../files/isolate/put-in-view.ts";
import type { ViewKind } from "../files/isolate/types.ts";
import { quoteShell } from "../world/env/shell-quote.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import { EnvError } from "../world/process/types.ts";
import { changedCaches } from "./outside.ts";
import type { ChangedPrograms } from "./programs.ts";
import type { Check, CheckRun, RunOf, VerifyPlace } from "./types.ts";

/** A place where checks can run, with the files that they should see. */
export interface CheckPlace {
  readonly env: ExecutionEnvironment;
  readonly kind: ViewKind | "project";
  close(): Promise<void>;
}

/** Views that include ignored files: without node_modules, most checks cannot run. */
const USUAL_KINDS: readonly ViewKind[] = ["overlay", "reflink"];

/** Undefined if no view is possible here; the reasons were passed to `why`. */
export async function openCheckView(
  place: VerifyPlace,
  steps: readonly LandingStep[],
  { of, signal, why }: { readonly of: RunOf; readonly signal: AbortSignal; readonly why: (reason: string) => void },
): Promise<CheckPlace | undefined> {
  for (const kind of place.kinds ?? USUAL_KINDS) {
    if (kind === "none") continue;
    try {
      const view = await openView({ ...place, kind, id: `${place.id}-${of.replace(" ", "-")}`, signal });
      try {
        await putInView(view.env, steps);
      } catch (error) {
        await view.close();
        throw error;
      }
      return { env: view.env, kind: view.kind, close: () => view.close() };
    } catch (error) {
      if (!(error instanceof EnvError) || error.code !== "unavailable") throw error;
      why(error.message);
    }
  }
  return undefined;
}

/** What a check finds besides the files of the tree. */
export interface Surroundings {
  /** Absent if nothing should be hidden from it. */
  readonly since?: number | undefined;
  readonly programs?: ChangedPrograms | undefined;
  /** Folders whose caches are examined; absolute. */
  readonly folders: readonly string[];
  /** Further folders left by earlier runs; absolute. */
  readonly stale: readonly string[];
}

/** Removes what earlier runs left, and returns the variables for running a check. */
export async function prepare(
  { env, kind }: CheckPlace,
  root: string,
  { since, programs, folders, stale }: Surroundings,
): Promise<Readonly<Record<string, string>>> {
  if (kind === "project" || since === undefined) return {};
  const caches = [...changedCaches(folders, since), ...stale].map((path) => relative(root, path));
  if (caches.length > 0) await env.execCommand(`rm -rf -- ${caches.map(quoteShell).join(" ")}`, 60_000, { cwd: root });
  if (!programs || (programs.shadowed.size === 0 && programs.added.length === 0)) return {};
  return { PATH: `${await programsOfStart(env, root, programs)}:${await pathOf(env, root)}` };
}

async function pathOf(env: ExecutionEnvironment, root: string): Promise<string> {
  const { stdout } = await env.execCommand('printf %s "$PATH"', 10_000, { cwd: root, internal: true });
  return stdout;
}

/** Makes a folder in the view with the programs as they were when the work began. */
async function programsOfStart(env: ExecutionEnvironment, root: string, programs: ChangedPrograms): Promise<string> {
  const inside = (await env.stat(join(root, ".git")))?.kind === "directory" ? ".git/lathe-programs" : ".lathe-programs";
  const folder = join(root, inside);
  const write = (name: string, script: string): Promise<void> =>
    env.writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const [name, path] of programs.shadowed) await write(name, `exec ${quoteShell(path)} "$@"`);
  for (const name of programs.added)
    await write(
      name,
      `echo ${quoteShell(`${name}: was installed during the work; checks use the programs from before`)} >&2\nexit 127`,
    );
  return folder;
}

export async function runCheck(
  { env }: CheckPlace,
  { command, timeoutMs }: Check,
  {
    of,
    cwd,
    variables,
    signal,
  }: {
    readonly of: RunOf;
    readonly cwd: string;
    readonly variables?: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<CheckRun> {
  const { exitCode, output, timedOut, aborted, durationMs, note } = await env.execCommand(command, timeoutMs, {
    cwd,
    signal,
    interleaved: true,
    ...(variables && Object.keys(variables).length > 0 ? { env: variables } : {}),
  });
  signal.throwIfAborted();
  const late = timedOut ? `\n[no result within ${timeoutMs / 1000} s]` : "";
  const text = `${output}${late}${note === undefined ? "" : `\n[${note}]`}`;
  return {
    command,
    of,
    passed: exitCode === 0 && !timedOut && !aborted,
    exitCode,
    timedOut,
    output: text,
    outputDigest: createHash("sha256").update(text).digest("hex"),
    durationMs,
  };
}
