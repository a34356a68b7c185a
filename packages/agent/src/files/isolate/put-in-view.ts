// Carries out the steps of a landing in a view, where a failure loses nothing.

import { join } from "node:path";
import { quoteShell } from "../../world/env/shell-quote.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import { EnvError } from "../../world/process/types.ts";
import { forEachBounded } from "../edit/bounded-concurrency.ts";
import type { LandingStep } from "./landing-journal.ts";
import { Swaps } from "./swaps.ts";

/** Removals first, because a file may replace a folder, or a folder a file. */
export async function putInView(env: ExecutionEnvironment, steps: readonly LandingStep[]): Promise<void> {
  const isRemoved = ({ before, after }: LandingStep): boolean =>
    before.kind === "link" || (after.kind === "absent" && before.kind === "file");
  await forEachBounded(steps.filter(isRemoved), ({ path }) => env.deleteFile(path));
  for (const path of new Swaps(steps).folders())
    await runInView(env, path, `! test -d ${quoteShell(path)} || find ${quoteShell(path)} -depth -exec rmdir {} \\;`);
  await forEachBounded(steps, (step) => putOne(env, step));
}

async function putOne(env: ExecutionEnvironment, { path, before, after }: LandingStep): Promise<void> {
  // Folders without files are not listed, so one may be where a file has to go.
  if (before.kind === "absent" && after.kind !== "absent" && (await env.stat(path))?.kind === "directory")
    await runInView(env, path, `find ${quoteShell(path)} -depth -exec rmdir {} \\;`);
  if (after.kind === "file") await env.writeFile(path, after.bytes, { mode: after.mode });
  if (after.kind !== "link") return;
  const [folder, target, link] = [join(path, ".."), after.target, path].map(quoteShell);
  await runInView(env, path, `mkdir -p ${folder} && ln -sfn -- ${target} ${link}`);
}

async function runInView(env: ExecutionEnvironment, path: string, command: string): Promise<void> {
  const { exitCode, output } = await env.execCommand(command, 60_000);
  if (exitCode !== 0)
    throw new EnvError("io", `${path} could not be written to the isolated copy: ${output.trim()}`, { path });
}
