import { integer, object, optional, type StaticFields } from "@lathe/llm/schema";
import type { Card, CardResult } from "../../../contract/card.ts";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { jobStatus, takeOutput } from "../../run/jobs.ts";
import { tail, verbOf } from "../card.ts";
import { SHELL_OUTPUT } from "../output.ts";
import { withoutAdded } from "../shell/card.ts";
import description from "./description.md";

const params = {
  job_id: integer({ description: "The job id that was returned when the job started", minimum: 1 }),
  wait_ms: optional(
    integer({ description: "Milliseconds to wait for the job to end; 0 when not given", minimum: 0, maximum: 600_000 }),
  ),
};

export const jobOutputTool: ToolDef<StaticFields<typeof params>> = {
  name: "job_output",
  label: "Job output",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "never",
  summary: ({ job_id }) => `job ${job_id}`,
  card: ({ job_id }, result) => jobCard(`job ${job_id}`, result),
  output: SHELL_OUTPUT,
  timeoutMs: 0,
  async execute({ job_id, wait_ms = 0 }, context) {
    const { jobs } = context.services;
    if (!jobs) throw new ToolFailure("Background commands cannot run here.");
    const job = jobs.get(job_id);
    const text = await jobs.watch([job], { ms: wait_ms, signal: context.signal }, () => takeOutput(job));
    const body = text === "" ? "(no new output)" : text.replace(/\n$/, "");
    return {
      content: [{ kind: "text", text: `${body}\n[job ${job.id}: ${jobStatus(job)}]` }],
      details: { jobId: job.id, command: job.handle.command, running: job.handle.running },
      effects: "none",
    };
  },
};

function jobCard(job: string, result: CardResult | undefined): Card {
  const command = result?.details["command"];
  const output = withoutAdded(result?.text.replace(/\n?\[job \d+: [^\]]*\]\s*$/, "") ?? "");
  const status = /\[job \d+: ([^\]]*)\]\s*$/.exec(result?.text ?? "")?.[1];
  return {
    verb: verbOf(["Checking", "Checked", "Check"], result),
    subject: typeof command === "string" ? `${job}: ${command}` : job,
    outcome: status?.replace(/(,| after) \d+ ms$/, ""),
    failed: status !== undefined && !/^(running|exit code: 0\b)/.test(status),
    body: output === "" || output === "(no new output)" ? undefined : tail(output),
  };
}
