import type { JsonObject } from "@lathe/llm";
import { object, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { markdown, verbOf } from "../card.ts";
import description from "./description.md";

/** What the host decided about a plan. */
export interface PlanVerdict {
  readonly approved: boolean;
  /** What to change if the plan was not approved. */
  readonly feedback?: string | undefined;
}

/** Lets the model propose a plan before it changes anything. */
export interface PlanMode {
  readonly active: boolean;
  /** Undefined if no user could be asked; the session then waits for the next input. */
  propose(plan: string, signal: AbortSignal, callId: string): Promise<PlanVerdict | undefined>;
}

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly planMode?: PlanMode;
  }
}

const PLAN_LINES = 30;

function decisionOn({ approved, awaiting }: JsonObject): string | undefined {
  if (awaiting === true) return "waiting for your decision";
  return typeof approved === "boolean" ? (approved ? "approved" : "not approved") : undefined;
}

const params = { plan: text("The plan, as markdown") };

export const exitPlanModeTool: ToolDef<StaticFields<typeof params>> = {
  name: "exit_plan_mode",
  feature: "plan",
  label: "Plan",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  summary: () => "",
  card: ({ plan }, result) => ({
    verb: verbOf(["Proposing", "Proposed", "Propose"], result),
    subject: "a plan",
    outcome: result && decisionOn(result.details),
    failed: result?.details["approved"] === false,
    body: markdown(plan, PLAN_LINES),
    asks: true,
  }),
  timeoutMs: 0,
  async execute({ plan }, { services, signal, callId }) {
    const mode = services.planMode;
    if (!mode?.active) throw new ToolFailure("Plan mode is not on. Carry out the work directly.");
    if (plan.trim() === "")
      throw new ToolFailure("The plan is empty. Write down what you will change and how you will check it.");
    const verdict = await mode.propose(plan, signal, callId);
    if (!verdict) {
      services.session?.awaitInput({ what: "plan", text: plan });
      return {
        content: [{ kind: "text", text: "The plan was proposed. The decision will come in the next message." }],
        details: { plan, awaiting: true },
        effects: "none",
      };
    }
    const answer = verdict.approved
      ? "The plan is approved. Plan mode is off: carry it out now."
      : `The plan is not approved.${verdict.feedback ? ` ${verdict.feedback}` : ""} Stay in plan mode and propose a better one.`;
    return {
      content: [{ kind: "text", text: answer }],
      details: { plan, approved: verdict.approved },
      effects: "none",
    };
  },
};
