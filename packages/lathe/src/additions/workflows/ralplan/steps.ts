// The gate of ralplan: whether to carry out the plan that both reviewers approved.

import { judgeClaims } from "@lathe/agent/research";
import { approvalStep, choiceOf } from "../approval-step.ts";
import type { StepOf } from "../work.ts";
import { type Draft, type RalplanData, ralplanData, ralplanJson } from "./definition.ts";

/** Writes the plan and the decision, and returns their paths. */
type WritePlan = (draft: Draft, text: string) => Promise<readonly string[]>;

export const ralplanSteps =
  (writePlan: WritePlan): StepOf =>
  ({ state, data }) => {
    const planning = ralplanData(data);
    const { draft, round } = planning;
    if (state !== "approval" || !draft) return undefined;
    const text = `${draft.plan.trim()}${claimsText(planning)}`;
    return {
      ...approvalStep({
        stage: "ralplan",
        title: `Carry out the plan "${draft.title}"?`,
        text: `${text}\n\n# Decision\n\n${draft.adr.trim()}`,
        stageState: `approval, plan ${round}`,
        approve: "Approve it",
      }),
      settle: async (answer) => {
        const { decision, feedback, told } = choiceOf(answer);
        if (decision === "reject")
          return { to: "rejected", data, told: `The user rejected the plan. Do not carry it out.${told}` };
        if (decision === "request-changes") {
          const objection = feedback === "" ? "The user wants it changed." : `The user: ${feedback}`;
          const next = { ...planning, round: round + 1, reviews: {}, objections: [objection] };
          return { to: "planning", data: ralplanJson(next), told: `The user wants changes${told || "."}` };
        }
        const files = await writePlan(draft, text);
        return {
          to: "accepted",
          data: ralplanJson({ ...planning, files }),
          told: `Architect and critic agree, and the user approved the plan. It was written to ${files.join(" and ")}.${told}\n\n${text}`,
        };
      },
    };
  };

/** The claims behind the plan: accepted ones with their sources, uncertain ones marked. */
function claimsText({ draft, reviews }: RalplanData): string {
  const evidence = [...(reviews.architect?.evidence ?? []), ...(reviews.critic?.evidence ?? [])];
  const verdicts = judgeClaims(draft?.claims ?? [], evidence);
  if (verdicts.length === 0) return "";
  const rows = verdicts.map(({ claim, finalVerdict, survivingSources, unresolvedUnknowns }) => {
    const sources = survivingSources.map(({ source }) => source);
    const open = unresolvedUnknowns.length === 0 ? "" : ` Open: ${unresolvedUnknowns.join("; ")}.`;
    return `- ${finalVerdict}: ${claim}${sources.length === 0 ? "" : ` (${sources.join(", ")})`}${open}`;
  });
  return `\n\n# Claims\n\n${rows.join("\n")}`;
}
