import { integer, object, type StaticFields } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { jobStatus } from "../../run/jobs.ts";
import { verbOf } from "../card.ts";
import description from "./description.md";

const params = { job_id: integer({ description: "The job id that was returned when the job started", minimum: 1 }) };

export const jobStopTool: ToolDef<StaticFields<typeof params>> = {
  name: "job_stop",
  label: "Stop job",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  summary: ({ job_id }) => `job ${job_id}`,
  card({ job_id }, result) {
    const command = result?.details["command"];
    return {
      verb: verbOf(["Stopping", "Stopped", "Stop"], result),
      subject: typeof command === "string" ? `job ${job_id}: ${command}` : `job ${job_id}`,
      outcome: /has ended: (.*)\.$/.exec(result?.text ?? "")?.[1]?.replace(/(,| after) \d+ ms$/, ""),
    };
  },
  async execute({ job_id }, { services }) {
    if (!services.jobs) throw new ToolFailure("Background commands cannot run here.");
    const job = services.jobs.get(job_id);
    await services.jobs.cancel(job, true);
    return {
      content: [{ kind: "text", text: `Job ${job.id} has ended: ${jobStatus(job)}.` }],
      details: { jobId: job.id, command: job.handle.command },
      effects: "done",
    };
  },
};
