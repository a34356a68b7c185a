// Steps of a landing carried out in a view, where nothing is lost when one fails.

import { join } from "node:path";
import { quoteShell } from "../env/shell-quote.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import { EnvError } from "../process/types.ts";
import type { LandingStep } from "./landing-journal.ts";

export async function putInView(env: ExecutionEnvironment, { path, before, after }: LandingStep): Promise<void> {
  if (before.kind === "link" || (after.kind === "absent" && before.kind === "file")) await env.deleteFile(path);
  if (after.kind === "file") await env.writeFile(path, after.bytes, { mode: after.mode });
  if (after.kind !== "link") return;
  const command = `mkdir -p ${quoteShell(join(path, ".."))} && ln -sfn ${quoteShell(after.target)} ${quoteShell(path)}`;
  const { exitCode, output } = await env.execCommand(command, 60_000);
  if (exitCode !== 0) throw new EnvError("io", `${path} could not be put into the view: ${output.trim()}`, { path });
}
