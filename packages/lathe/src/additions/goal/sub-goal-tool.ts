// The tool with which the model declares sub-goals and proves them. The command decides, never the model.

import { type ToolDef, ToolFailure } from "@lathe/agent/contract";
import { shellProblem } from "@lathe/agent/policy";
import { commandAccess } from "@lathe/agent/tools";
import { choice, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type Goal, goalText, type SubGoal, withSubGoal } from "./goal.ts";
import type { Judgement } from "./judge.ts";
import description from "./sub-goal.md";

const params = {
  op: choice(["add", "done", "drop"]),
  text: optional(text()),
  until: optional(text("Shell command")),
  number: optional(integer({ minimum: 1 })),
  reason: optional(text()),
};
type Args = StaticFields<typeof params>;

/** What the tool needs of the goal. */
export interface GoalAtWork {
  /** Undefined if the branch has no goal. */
  readonly goal: Goal | undefined;
  write(goal: Goal): Promise<void>;
  judge(command: string, signal: AbortSignal): Promise<Judgement>;
}

export function subGoalTool(work: GoalAtWork): ToolDef<Args> {
  const active = (): Goal => {
    const goal = work.goal;
    if (goal?.state === "active") return goal;
    throw new ToolFailure(goal ? `The goal is ${goal.state}.` : "The session has no goal.");
  };
  return {
    name: "sub_goal",
    label: "Sub-goal",
    description: description.trim(),
    schema: object(params),
    tier: ({ op }) => (op === "done" ? "exec" : "read"),
    replay: "never",
    exclusive: true,
    timeoutMs: 0,
    access: async ({ op, number }, scope) => {
      const subGoal = op === "done" ? work.goal?.subGoals[(number ?? 0) - 1] : undefined;
      if (!subGoal) return [];
      return commandAccess(subGoal.until, (await scope.paths.locate(".")).real, scope);
    },
    summary: ({ op, text: what, number }) => `${op} ${what ?? number ?? ""}`.trim(),
    card: ({ op, text: what, number }, result) => ({
      verb: VERBS[op] ?? "Sub-goal",
      subject: what ?? subjectOf(work.goal, number),
      ...(result?.isError ? { outcome: "not proven" } : {}),
    }),
    preview: ({ number }) => ({
      lines: [
        { text: "Run this command to prove a sub-goal", kind: "question" },
        { text: work.goal?.subGoals[(number ?? 0) - 1]?.until ?? "" },
      ],
      shows: ["number"],
    }),
    execute: async (args, { signal }) => {
      const goal = active();
      if (args.op === "add") return addTo(goal, args, work);
      const subGoal = openSubGoal(goal, args.number);
      if (args.op === "drop") return drop(goal, args, work);
      const judgement = await work.judge(subGoal.until, signal);
      if (!judgement.isProven) return unprovenResult(args.number ?? 0, judgement);
      // The goal may have changed while the command ran.
      const next = withSubGoal(active(), args.number ?? 0, { state: "met", evidence: judgement.evidence });
      await work.write(next);
      return `Proven.\n${goalText(next)}`;
    },
  };
}

const VERBS: Readonly<Record<string, string>> = {
  add: "Added sub-goal",
  done: "Proved sub-goal",
  drop: "Dropped sub-goal",
};

const subjectOf = (goal: Goal | undefined, number: number | undefined): string =>
  (number === undefined ? undefined : goal?.subGoals[number - 1]?.text) ?? String(number ?? "");

async function addTo(goal: Goal, { text: what = "", until = "" }: Args, work: GoalAtWork): Promise<string> {
  if (what.trim() === "" || until.trim() === "")
    throw new ToolFailure("add needs text and until: a command that passes once the sub-goal is met.");
  const problem = shellProblem(until);
  if (problem !== undefined) throw new ToolFailure(`until: the shell cannot read \`${until.trim()}\`: ${problem}.`);
  const next: Goal = {
    ...goal,
    subGoals: [...goal.subGoals, { text: what.trim(), until: until.trim(), state: "open" }],
  };
  await work.write(next);
  return goalText(next);
}

async function drop(goal: Goal, { number = 0, reason = "" }: Args, work: GoalAtWork): Promise<string> {
  if (reason.trim() === "") throw new ToolFailure("drop needs a reason.");
  const next = withSubGoal(goal, number, { state: "dropped", reason: reason.trim() });
  await work.write(next);
  return goalText(next);
}

function openSubGoal(goal: Goal, number: number | undefined): SubGoal {
  const subGoal = number === undefined ? undefined : goal.subGoals[number - 1];
  if (!subGoal) throw new ToolFailure(`There is no sub-goal ${number ?? "without a number"}.\n${goalText(goal)}`);
  if (subGoal.state !== "open")
    throw new ToolFailure(`Sub-goal ${number} is ${subGoal.state} already.\n${goalText(goal)}`);
  return subGoal;
}

const unprovenResult = (number: number, { reasons, output }: Judgement & { readonly isProven: false }) => ({
  content: [
    {
      kind: "text" as const,
      text: [`Sub-goal ${number} is not proven. ${reasons.join(" ")}`, output.trim()].join("\n\n").trim(),
    },
  ],
  isError: true,
  effects: "none" as const,
});
