// The tool that proposes a goal with its parts for the user's sign-off.

import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "@lathe/agent/contract";
import { shellProblem } from "@lathe/agent/policy";
import { listOf, object, type StaticFields, text } from "@lathe/llm/schema";
import type { StepOf, WorkflowWork } from "../work.ts";
import type { WorkflowState } from "../workflow.ts";
import { ultragoal, ultragoalData, ultragoalJson } from "./definition.ts";
import description from "./ultragoal.md";

const part = {
  text: text({ minLength: 1, maxLength: 2_000 }),
  until: text({ description: "Shell command", minLength: 1, maxLength: 2_000 }),
};
const params = { ...part, parts: listOf(object(part), { minItems: 1, maxItems: 40 }) };
type Args = StaticFields<typeof params>;

export function ultragoalTool(work: WorkflowWork, steps: StepOf): ToolDef<Args> {
  return {
    name: "ultragoal",
    label: "Goal",
    description: description.trim(),
    schema: object(params),
    tier: "read",
    replay: "safe",
    exclusive: true,
    timeoutMs: 0,
    summary: ({ text: what }) => what,
    card: ({ text: what }, result) => ({
      verb: result ? "Proposed" : "Proposing",
      subject: `a goal: ${what}`,
      asks: true,
    }),
    execute: async (args, context) => {
      const told = work.resultOf(context.callId);
      if (told !== undefined) return told;
      const { current } = work;
      if (current?.workflow !== ultragoal.name) throw new ToolFailure("No goal is being set.");
      for (const { until } of [args, ...args.parts]) {
        const problem = shellProblem(until);
        if (problem !== undefined) throw new ToolFailure(`until: the shell cannot read \`${until}\`: ${problem}.`);
      }
      return propose(work, steps, { args, current, context });
    },
  };
}

function propose(
  work: WorkflowWork,
  steps: StepOf,
  { args, current, context }: { readonly args: Args; readonly current: WorkflowState; readonly context: ToolContext },
): Promise<string | ToolResult> {
  // After a kill, the repeated call finds the state unchanged.
  if (current.state !== "sign-off" || current.gate?.key !== context.callId) {
    const before = ultragoalData(current.data);
    const signed = current.state === "executing" ? before.proposed : before.signed;
    const data = ultragoalJson({ wish: before.wish, proposed: args, ...(signed ? { signed } : {}) });
    work.move("sign-off", { data, gate: { key: context.callId } });
  }
  return work.decide(steps, context);
}
