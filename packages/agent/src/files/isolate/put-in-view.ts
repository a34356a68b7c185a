// Steps of a landing carried out in a view, where nothing is lost when one fails.

import { join } from "node:path";
import { quoteShell } from "../../world/env/shell-quote.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import { EnvError } from "../../world/process/types.ts";
import { eachAtOnce } from "../edit/at-once.ts";
import type { LandingStep } from "./landing-journal.ts";
import { Swaps } from "./swaps.ts";

/** Removals first: a file may come to the place of a folder, or a folder to that of a file. */
export async function putInView(env: ExecutionEnvironment, steps: readonly LandingStep[]): Promise<void> {
  const isRemoved = ({ before, after }: LandingStep): boolean =>
    before.kind === "link" || (after.kind === "absent" && before.kind === "file");
  await eachAtOnce(steps.filter(isRemoved), ({ path }) => env.deleteFile(path));
  for (const path of new Swaps(steps).folders())
    await runInView(env, path, `! test -d ${quoteShell(path)} || find ${quoteShell(path)} -depth -exec rmdir {} \\;`);
  await eachAtOnce(steps, (step) => putOne(env, step));
}

async function putOne(env: ExecutionEnvironment, { path, before, after }: LandingStep): Promise<void> {
  // Folders without files are in no list, so one may have taken the place of a file.
  if (before.kind === "absent" && after.kind !== "absent" && (await env.stat(path))?.kind === "directory")
    await runInView(env, path, `find ${quoteShell(path)} -depth -exec rmdir {} \\;`);
  if (after.kind === "file") await env.writeFile(path, after.bytes, { mode: after.mode });
  if (after.kind !== "link") return;
  const [folder, target, link] = [join(path, ".."), after.target, path].map(quoteShell);
  await runInView(env, path, `mkdir -p ${folder} && ln -sfn -- ${target} ${link}`);
}

async function runInView(env: ExecutionEnvironment, path: string, command: string): Promise<void> {
  const { exitCode, output } = await env.execCommand(command, 60_000);
  if (exitCode !== 0) throw new EnvError("io", `${path} could not be put into the view: ${output.trim()}`, { path });
}
