// The tool with which the model asks the questions of an interview and proposes its specification.

import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "@lathe/agent/contract";
import type { JsonObject } from "@lathe/llm";
import { choice, flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { StepOf, WorkflowWork } from "../work.ts";
import type { WorkflowState } from "../workflow.ts";
import { deepInterview, type InterviewData, interviewData } from "./definition.ts";
import description from "./interview.md";

const params = {
  op: choice(["ask", "spec"]),
  question: optional(text({ maxLength: 4_000 })),
  options: optional(listOf(object({ label: text({ minLength: 1 }), description: optional(text()) }), { maxItems: 12 })),
  multi: optional(flag()),
  recommended: optional(integer({ minimum: 0 })),
  title: optional(text({ maxLength: 200 })),
  text: optional(text({ maxLength: 60_000 })),
};
type Args = StaticFields<typeof params>;

const CARD_LINES = 30;

export function interviewTool(work: WorkflowWork, steps: StepOf): ToolDef<Args> {
  return {
    name: "interview",
    label: "Interview",
    description: description.trim(),
    schema: object(params),
    tier: "read",
    // The gate and the state record what was done already.
    replay: "safe",
    exclusive: true,
    // No limit, because users take their time.
    timeoutMs: 0,
    summary: ({ op, question, title }) => `${op} ${question ?? title ?? ""}`.trim(),
    card: ({ op, question, title, text: spec }, result) => ({
      verb: op === "ask" ? (result ? "Asked" : "Asking") : result ? "Proposed" : "Proposing",
      subject: op === "ask" ? (question ?? "") : `a specification: ${title ?? ""}`,
      asks: true,
      ...(op === "spec" && spec !== undefined
        ? { body: { kind: "markdown" as const, text: spec, collapsed: CARD_LINES } }
        : result
          ? { outcome: result.text.replace(/^The user answered: /, "") }
          : {}),
    }),
    execute: (args, context) => {
      const told = work.resultOf(context.callId);
      if (told !== undefined) return told;
      const { current } = work;
      if (current?.workflow !== deepInterview.name) throw new ToolFailure("No interview is going on.");
      return args.op === "ask" ? ask(args, current, context) : propose(args, current, context);
    },
  };

  function ask(args: Args, current: WorkflowState, context: ToolContext): Promise<string | ToolResult> {
    const { question = "", options = [], multi, recommended } = args;
    if (question.trim() === "") throw new ToolFailure("ask needs a question.");
    if (new Set(options.map(({ label }) => label)).size < options.length)
      throw new ToolFailure("Two options have the same label.");
    if (current.state !== "asking")
      throw new ToolFailure("The specification waits for the user's decision. Propose it again with op spec.");
    const pending = { question: question.trim(), options, ...(multi ? { multi } : {}), recommended };
    waitAt("asking", { ...interviewData(current.data), pending }, current, context);
    return work.decide(steps, context);
  }

  function propose(args: Args, current: WorkflowState, context: ToolContext): Promise<string | ToolResult> {
    const { title = "", text: spec = "" } = args;
    const interview = interviewData(current.data);
    if (title.trim() === "" || spec.trim() === "") throw new ToolFailure("spec needs a title and a text.");
    if (interview.asked.length === 0)
      throw new ToolFailure("Nothing has been asked yet: a specification needs at least one answer from the user.");
    const { pending: _, ...rest } = interview;
    waitAt("review", { ...rest, spec: { title: title.trim(), text: spec.trim() } }, current, context);
    return work.decide(steps, context);
  }

  /** After a kill, the repeated call finds the state unchanged. */
  function waitAt(to: string, data: InterviewData, current: WorkflowState, { callId }: ToolContext): void {
    if (current.state === to && current.gate?.key === callId) return;
    work.move(to, { data: data as unknown as JsonObject, gate: { key: callId } });
  }
}
