import { type ToolDef, ToolFailure } from "../../contract/tool.ts";
import { jobEnded, jobStatus } from "../../ops/run/jobs.ts";
import { plainOutput } from "../../ops/run/plain-output.ts";
import { SHELL_OUTPUT } from "../output.ts";
import { type ArgsOf, integer, optional, parameters } from "../params.ts";
import description from "./description.md";

const params = {
  job_id: integer("The job id that was returned when the job started", { minimum: 1 }),
  wait_ms: optional(
    integer("Milliseconds to wait for the job to end; 0 when not given", { minimum: 0, maximum: 600_000 }),
  ),
};

export const jobOutputTool: ToolDef<ArgsOf<typeof params>> = {
  name: "job_output",
  label: "Job output",
  description: description.trim(),
  schema: parameters(params),
  tier: "read",
  replay: "never",
  summary: ({ job_id }) => `job ${job_id}`,
  output: SHELL_OUTPUT,
  timeoutMs: 0,
  async execute({ job_id, wait_ms = 0 }, context) {
    const { jobs } = context.services;
    if (!jobs) throw new ToolFailure("Background commands cannot run here.");
    const job = jobs.get(job_id);
    await jobEnded(job, wait_ms, context.signal);
    const { text, next, missed } = job.handle.read(job.read);
    job.read = next;
    const lost = missed > 0 ? `[${missed} earlier bytes are no longer available]\n` : "";
    const body = text === "" ? "(no new output)" : plainOutput(text).replace(/\n$/, "");
    return {
      content: [{ kind: "text", text: `${lost}${body}\n[job ${job.id}: ${jobStatus(job)}]` }],
      details: { jobId: job.id, command: job.handle.command, running: job.handle.running },
      effects: "none",
    };
  },
};
