import { flag, integer, listOf, object, oneOf, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolContext, type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { type Job, type Jobs, jobState, jobStatus, takeOutput } from "../../run/jobs.ts";
import { typedAccess, typeInto } from "../../run/typed-input.ts";
import { tail, verbOf } from "../card.ts";
import { SHELL_OUTPUT } from "../output.ts";
import { AgentJobs, splitIds } from "./agent-jobs.ts";
import description from "./description.md";

const id = integer({ description: "A job id", minimum: 1 });
const anyId = oneOf(id, text("An agent's id"));
const params = {
  poll: optional(listOf(anyId, "Wait for these jobs and agents only")),
  until: optional(text("Regular expression: stop waiting when a line of the output matches it")),
  wait: optional(integer({ description: "Seconds to wait at most", minimum: 0, maximum: 600 })),
  cancel: optional(listOf(anyId, "End these jobs and agents, with everything they started")),
  list: optional(flag("Only list all jobs and agents")),
  send: optional(
    object({ id, input: text("Text to type, \\n for Enter, \\u0003 for Ctrl-C") }, "Type into a job with a terminal"),
  ),
};
type Args = StaticFields<typeof params>;

export const jobTool: ToolDef<Args> = {
  name: "job",
  label: "Jobs",
  description: description.trim(),
  schema: object(params),
  tier: ({ send }) => (send ? "exec" : "read"),
  replay: "never",
  output: SHELL_OUTPUT,
  // The tool has its own deadline.
  timeoutMs: 0,
  needs: ["jobs"],
  access: ({ send }, scope) => (send ? typedAccess(send.input, scope) : []),
  summary: ({ poll, cancel, list, send }) => {
    if (list) return "list";
    if (send) return `type into job ${send.id}`;
    return [poll && `wait for ${poll.join(", ")}`, cancel && `end ${cancel.join(", ")}`].filter(Boolean).join("; ");
  },
  card: ({ cancel, send }, result) => {
    const verbs = send
      ? ["Typing", "Typed", "Type"]
      : cancel
        ? ["Ending", "Ended", "End"]
        : ["Waiting", "Waited", "Wait"];
    return {
      verb: verbOf(verbs as [string, string, string], result),
      subject: send ? `into job ${send.id}` : cancel ? `job ${cancel.join(", ")}` : "for background jobs",
      body: result && result.text !== "" ? tail(result.text) : undefined,
    };
  },
  async execute(args, context) {
    const { jobs, subagents } = context.services;
    if (!jobs) throw new ToolFailure("Background commands cannot run here.");
    const agents = new AgentJobs(subagents);
    const result = (sections: readonly string[], otherwise: string) => resultOf(jobs, agents, sections, otherwise);
    if (args.list) {
      if (args.poll || args.cancel || args.send) throw new ToolFailure("`list` goes alone.");
      return result(
        [section("Jobs", jobs.list().map(headline)), section("Agents", agents.list())],
        "There are no jobs.",
      );
    }
    const unwanted = splitIds(args.cancel ?? []);
    const ended = [...(await cancelJobs(jobs, unwanted.jobs)), ...(await agents.cancel(unwanted.agents))];
    if (args.send) await typeInto(jobs.get(args.send.id), args.send.input);
    // A call that only cancels jobs does not wait for others.
    if (args.cancel && !args.poll && !args.send) return result([section("Cancelled", ended)], "");
    const wanted = args.poll && splitIds(args.poll);
    const polled = wanted
      ? wanted.jobs.map((one) => jobs.get(one))
      : args.send
        ? [jobs.get(args.send.id)]
        : jobs.runningJobs();
    const watched = agents.watch(wanted?.agents ?? (args.send ? [] : agents.runningIds()), context.signal);
    return jobs.watch(polled, { ...waitOf(args, context), enough: watched.ended }, async () => {
      const reports = watched.leave();
      const isRunning = (job: Job): boolean => jobState(job) === "running";
      const [completed, running] = [polled.filter((job) => !isRunning(job)), polled.filter(isRunning)];
      return result(
        [
          section("Cancelled", ended),
          section("Completed", [...(await Promise.all(completed.map(withOutput))), ...reports.completed]),
          section("Still running", [...(await Promise.all(running.map(withOutput))), ...reports.running]),
        ],
        "No job is running.",
      );
    });
  },
};

const TYPED_WAIT_MS = 2_000;

function waitOf({ until, wait, send }: Args, { services, signal }: ToolContext) {
  const patience = send && until === undefined ? TYPED_WAIT_MS : (services.background?.pollMs ?? 30_000);
  return {
    ms: wait === undefined ? patience : wait * 1000,
    signal,
    pattern: until === undefined ? undefined : patternOf(until),
  };
}

function patternOf(until: string): RegExp {
  try {
    return new RegExp(until);
  } catch (error) {
    throw new ToolFailure(`\`until\` is not a regular expression: ${(error as Error).message}`);
  }
}

async function cancelJobs(jobs: Jobs, ids: readonly number[]): Promise<readonly string[]> {
  return Promise.all(
    ids.map(async (one) => {
      const job = jobs.find(one);
      if (!job) return `### job ${one}: not_found`;
      if (jobState(job) !== "running") return `### job ${one}: already_completed (${jobStatus(job)})`;
      await jobs.cancel(job, true);
      return withOutput(job);
    }),
  );
}

const headline = (job: Job): string => {
  const state = jobState(job);
  const how = state === "running" ? "" : ` (${jobStatus(job)})`;
  return `### job ${job.id}: ${state}${how}\n$ ${job.handle.command}`;
};

async function withOutput(job: Job): Promise<string> {
  const head = headline(job);
  const output = (await takeOutput(job)).trimEnd();
  return `${head}\n${output === "" ? "(no new output)" : output}`;
}

const section = (title: string, parts: readonly string[]): string =>
  parts.length === 0 ? "" : `## ${title} (${parts.length})\n${parts.join("\n")}`;

function resultOf(jobs: Jobs, agents: AgentJobs, sections: readonly string[], otherwise: string) {
  const shown = sections.filter((one) => one !== "").join("\n\n");
  return {
    content: [{ kind: "text" as const, text: shown === "" ? otherwise : shown }],
    details: {
      jobs: jobs.list().map((job) => ({ id: job.id, status: jobState(job), command: job.handle.command })),
      ...agents.details(),
    },
    effects: "done" as const,
  };
}
