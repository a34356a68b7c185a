// The tool that runs the rounds of ralplan: planner, reviewers, gate. Finished steps are in the state, so that a call
// that is repeated after a kill continues where the last one stopped.

import type { Session } from "@lathe/agent";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "@lathe/agent/contract";
import { judgeClaims } from "@lathe/agent/research";
import { object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { StepOf, WorkflowWork } from "../work.ts";
import { PlanningAgents } from "./agents.ts";
import { MOST_ROUNDS, type RalplanData, REVIEWERS, ralplan, ralplanData, ralplanJson } from "./definition.ts";
import description from "./ralplan.md";

const params = { task: optional(text({ maxLength: 60_000 })) };
type Args = StaticFields<typeof params>;

export function ralplanTool(session: Session, work: WorkflowWork, steps: StepOf): ToolDef<Args> {
  return {
    name: "ralplan",
    label: "Plan",
    description: description.trim(),
    schema: object(params),
    // Its agents only read, and each of their calls is checked.
    tier: "read",
    replay: "safe",
    exclusive: true,
    timeoutMs: 0,
    summary: ({ task = "" }) => task.slice(0, 200),
    card: (_args, result) => ({
      verb: result ? "Planned" : "Planning",
      // Most of the time, the tool waits for the agents, not the user.
      subject: "with architect and critic",
    }),
    execute: async ({ task }, context) => {
      const told = work.resultOf(context.callId);
      if (told !== undefined && !work.current) return told;
      const { current } = work;
      if (current?.workflow !== ralplan.name) throw new ToolFailure("No planning is going on.");
      const data = ralplanData(current.data);
      if (task === undefined && data.task === undefined) throw new ToolFailure("The first call needs the task.");
      if (task !== undefined && current.state === "planning" && data.task !== task)
        work.move("planning", { data: ralplanJson({ ...data, task }) });
      return runRounds(session, work, steps, context);
    },
  };
}

async function runRounds(
  session: Session,
  work: WorkflowWork,
  steps: StepOf,
  context: ToolContext,
): Promise<string | ToolResult> {
  const agents = new PlanningAgents(session, context.callId, context.signal);
  let said: string | ToolResult = "";
  for (;;) {
    const { current } = work;
    if (!current) return said;
    const data = ralplanData(current.data);
    if (current.state === "planning") {
      if (data.round > MOST_ROUNDS) {
        const told = `Architect and critic did not agree on ${MOST_ROUNDS} plans. Open objections:\n${data.objections.join("\n")}`;
        work.move("disagreed", { last: { callId: context.callId, told } });
        return told;
      }
      const draft = await agents.draft(data);
      work.move("reviewing", { data: ralplanJson({ ...data, draft, reviews: {}, objections: [] }) });
    } else if (current.state === "reviewing") {
      await collectReviews(work, agents);
      settleReviews(work, context);
    } else {
      said = await work.decide(steps, context);
      // Without an answer, the input ends here.
      if (work.current?.state === "approval") return said;
    }
  }
}

/** Asks for the missing verdicts, and stores each as soon as it arrives. */
async function collectReviews(work: WorkflowWork, agents: PlanningAgents): Promise<void> {
  const { reviews } = presentData(work);
  const missing = REVIEWERS.filter((name) => reviews[name] === undefined);
  const asked = missing.map(async (name) => {
    const review = await agents.review(name, presentData(work));
    const data = presentData(work);
    work.move("reviewing", { data: ralplanJson({ ...data, reviews: { ...data.reviews, [name]: review } }) });
  });
  const failed = (await Promise.allSettled(asked)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

function settleReviews(work: WorkflowWork, { callId }: ToolContext): void {
  const data = presentData(work);
  const { draft, reviews, round } = data;
  const evidence = REVIEWERS.flatMap((name) => reviews[name]?.evidence ?? []);
  const objections = [
    ...REVIEWERS.flatMap((name) => {
      const { verdict, reason } = reviews[name] ?? {};
      return verdict === "request-changes" ? [`${name}: ${reason}`] : [];
    }),
    ...judgeClaims(draft?.claims ?? [], evidence).flatMap(({ claim, rejectReason }) =>
      rejectReason === undefined ? [] : [`The claim "${claim}" does not hold. ${rejectReason}`],
    ),
  ];
  if (objections.length > 0)
    work.move("planning", { data: ralplanJson({ ...data, round: round + 1, reviews: {}, objections }) });
  // Each plan has its own gate.
  else work.move("approval", { data: ralplanJson(data), gate: { key: `${callId}-${round}` } });
}

function presentData(work: WorkflowWork): RalplanData {
  const { current } = work;
  if (current?.workflow !== ralplan.name) throw new ToolFailure("The planning was ended.");
  return ralplanData(current.data);
}
