// `bash` of the four-tool set: the same operation as shell, with labelled sections.

import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../../contract/tool.ts";
import { timeoutNotice } from "../../../../world/process/requests.ts";
import {
  type CommandOutcome,
  environmentNote,
  runCommand,
  wentToBackground,
  wholeOutputNote,
} from "../../../run/run-command.ts";
import { changedNote } from "../../../run/shown-changes.ts";
import { outsideSandbox, SHELL_MEANING } from "../../shell/index.ts";
import { detachedResult } from "../../shell/result.ts";
import description from "./description.md";

const params = {
  command: text("The command"),
  timeout_ms: optional(integer({ description: "Milliseconds it may take", minimum: 1 })),
  ...outsideSandbox,
};

export const minimalBashTool: ToolDef<StaticFields<typeof params>> = {
  name: "bash",
  label: "Run",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  timeoutMs: 0,
  ...SHELL_MEANING,
  // Runs in the order of the answer, so that steering can still stop later calls.
  exclusive: true,
  async execute({ command, timeout_ms, outside_sandbox: outside }, context) {
    const outcome = await runCommand(command, context, { timeoutMs: timeout_ms, outside, name: "bash" });
    if (wentToBackground(outcome)) return detachedResult(command, outcome);
    return {
      content: [{ kind: "text", text: sections(outcome) }],
      details: { command, exitCode: outcome.exitCode, duration: outcome.durationMs },
      isError: outcome.exitCode !== 0 || outcome.timedOut,
      effects: outcome.timedOut || outcome.aborted ? "unknown" : "done",
      ...(outcome.artifact ? { artifact: outcome.artifact } : {}),
    };
  },
};

function sections(outcome: CommandOutcome): string {
  const parts: string[] = [];
  if (outcome.stdout !== "") parts.push(`stdout:\n${outcome.stdout.replace(/\n$/, "")}`);
  if (outcome.stderr !== "") parts.push(`stderr:\n${outcome.stderr.replace(/\n$/, "")}`);
  if (outcome.changed.length > 0) parts.push(changedNote(outcome.changed).trimEnd());
  const more = wholeOutputNote(outcome).trimEnd();
  if (more !== "") parts.push(more);
  if (outcome.note !== undefined) parts.push(environmentNote(outcome).trimEnd());
  parts.push(outcome.timedOut ? timeoutNotice(outcome.timeoutMs) : `exit code: ${outcome.exitCode}`);
  return parts.join("\n");
}
