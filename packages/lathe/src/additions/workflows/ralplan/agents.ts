// The planner and the two reviewers: bundled read-only agents, each asked for one answer as data.

import type { Session } from "@lathe/agent";
import { ToolFailure } from "@lathe/agent/contract";
import { researchEvidenceEntry, researchPlanItem } from "@lathe/agent/research";
import { type JsonSchema, parseJson } from "@lathe/llm";
import { Checker, choice, listOf, object, type Schema, text } from "@lathe/llm/schema";
import type { Draft, DraftReview, RalplanData, Reviewer } from "./definition.ts";
import plannerTask from "./planner.md";
import reviewerTask from "./reviewer.md";

const draftSchema: Schema<Draft> = object({
  title: text({ minLength: 1 }),
  plan: text("The plan as Markdown"),
  adr: text("The decision as Markdown: Context, Decision, Consequences"),
  claims: listOf(
    researchPlanItem,
    "Statements that the plan rests on and that could be wrong; none when there are none",
  ),
});
const reviewSchema: Schema<DraftReview> = object({
  verdict: choice(["approve", "request-changes"]),
  reason: text("What has to change, or what was checked"),
  evidence: listOf(researchEvidenceEntry, "What was found about the claims"),
});

/** Asks agents on behalf of one call. */
export class PlanningAgents {
  readonly #session: Session;
  readonly #callId: string;
  readonly #signal: AbortSignal;

  constructor(session: Session, callId: string, signal: AbortSignal) {
    this.#session = session;
    this.#callId = callId;
    this.#signal = signal;
  }

  draft(data: RalplanData): Promise<Draft> {
    const { task = data.wish, draft, objections } = data;
    const before =
      draft === undefined
        ? ""
        : `\n\n# The plan before\n\n${draft.plan}\n\n# Objections to it\n\n${objections.map((one) => `- ${one}`).join("\n")}`;
    return this.#ask("plan", "planner", plannerTask, `# Task\n\n${task}${before}`, draftSchema);
  }

  review(reviewer: Reviewer, { task = "", draft }: RalplanData): Promise<DraftReview> {
    const claims = JSON.stringify(draft?.claims ?? [], null, 2);
    const shown = `# Task\n\n${task}\n\n# Plan\n\n${draft?.plan}\n\n# Decision\n\n${draft?.adr}\n\n# Claims\n\n${claims}`;
    return this.#ask(reviewer, reviewer, reviewerTask, shown, reviewSchema);
  }

  async #ask<T>(agent: string, name: string, context: string, assignment: string, schema: Schema<T>): Promise<T> {
    const { subagents } = this.#session;
    const { started, failed } = await subagents.spawnForHost({
      callId: this.#callId,
      agent,
      context: context.trim(),
      tasks: [{ id: name, description: name, assignment }],
      narrow: (type) => ({ ...type, output: schema as JsonSchema }),
    });
    const [child] = started;
    if (!child) throw new ToolFailure(`The ${name} did not start: ${failed[0]?.why ?? "no reason was given"}.`);
    try {
      const { status, output } = await subagents.wait(child.agentId, this.#signal);
      const value = parseJson(output);
      const problem = status === "completed" ? new Checker(schema).wrongIn(value) : "it failed";
      if (problem !== undefined)
        throw new ToolFailure(`The ${name} gave no usable answer: ${problem}. Call the tool again to ask once more.`);
      return value as T;
    } finally {
      if (this.#signal.aborted) await subagents.close(child.agentId);
    }
  }
}
