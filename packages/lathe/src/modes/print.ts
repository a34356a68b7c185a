// One-shot text: stdout gets the last answer and nothing else; everything about the run goes to stderr.

import type { InputContent } from "@lathe/agent";
import type { ExitCode } from "../cli/exit.ts";
import type { OpenSession } from "../run/open-session.ts";
import { outcomeOf } from "../run/outcome.ts";
import { runPrompts } from "../run/run-prompts.ts";
import type { Workspace } from "../run/workspace.ts";

export async function printMode(
  workspace: Workspace,
  open: OpenSession,
  prompts: readonly InputContent[],
): Promise<ExitCode> {
  const { stdout, stderr } = workspace.machine;
  const report = await runPrompts(open.session, prompts, open.permissions, (event) => {
    if (event.kind === "warning") stderr.write(`lathe: ${event.data.message}\n`);
    if (event.kind === "retry")
      stderr.write(`lathe: ${event.data.message}; trying again in ${Math.round(event.data.delay_ms / 1000)} s\n`);
  });
  const outcome = outcomeOf(report);
  if (report.text !== "") stdout.write(report.text.endsWith("\n") ? report.text : `${report.text}\n`);
  if (outcome.message) stderr.write(`lathe: ${outcome.message}\n`);
  return outcome.exitCode;
}
