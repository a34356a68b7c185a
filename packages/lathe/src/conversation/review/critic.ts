// The critic's verdict on each finding: findings that the critic does not confirm are not reported.

import type { BatchTask } from "@lathe/agent/contract";
import { type JsonSchema, parseJson } from "@lathe/llm";
import type { ConfirmedFinding, DroppedFinding, Finding } from "./types.ts";

/** The most findings for one critic. */
const MOST_AT_ONCE = 12;

export const VERDICTS: JsonSchema = {
  type: "object",
  required: ["verdicts"],
  properties: {
    verdicts: {
      type: "array",
      items: {
        type: "object",
        required: ["finding", "holds", "reason"],
        properties: {
          finding: { type: "integer", description: "Number of the finding" },
          holds: { type: "boolean" },
          reason: { type: "string" },
          duplicate_of: { type: "integer", description: "Number of the finding that says the same" },
        },
      },
    },
  },
};

interface Verdict {
  readonly finding: number;
  readonly holds: boolean;
  readonly reason: string;
  readonly duplicate_of?: number;
}

/** The assignment of one critic, with its share of the findings. */
type CriticTask = BatchTask & { readonly id: string; readonly description: string };

/** Findings are numbered from 1 across all tasks. */
export function criticTasks(findings: readonly Finding[]): CriticTask[] {
  const tasks: CriticTask[] = [];
  for (let from = 0; from < findings.length; from += MOST_AT_ONCE) {
    const part = findings.slice(from, from + MOST_AT_ONCE);
    const listed = part.map((finding, i) => describeFinding(finding, from + i + 1)).join("\n\n");
    tasks.push({
      id: `critic-${tasks.length + 1}`,
      description: `review: findings ${from + 1} to ${from + part.length}`,
      assignment: `Give a verdict on each of these findings.\n\n${listed}`,
    });
  }
  return tasks;
}

function describeFinding({ path, line, quote, priority, title, body }: Finding, number: number): string {
  return `${number}. ${path}:${line} (${priority}) ${title}\nQuote: ${JSON.stringify(quote)}\n${body}`;
}

export interface JudgedFindings {
  readonly confirmed: readonly ConfirmedFinding[];
  readonly dropped: readonly DroppedFinding[];
}

/** `outputs`: what the critics yielded; undefined for one that failed. */
export function applyVerdicts(findings: readonly Finding[], outputs: readonly (string | undefined)[]): JudgedFindings {
  const verdicts = new Map<number, Verdict>();
  // A critic's verdicts on other critics' findings are ignored.
  for (const [i, output] of outputs.entries())
    for (const verdict of verdictsIn(output))
      if (Math.floor((verdict.finding - 1) / MOST_AT_ONCE) === i) verdicts.set(verdict.finding, verdict);
  const confirmed = new Map<number, ConfirmedFinding>();
  const dropped: DroppedFinding[] = [];
  for (const [i, finding] of findings.entries()) {
    const verdict = verdicts.get(i + 1);
    const first = confirmed.get(verdict?.duplicate_of ?? 0);
    if (!verdict) dropped.push({ ...finding, dropped: "no_verdict", why: "the critic gave no verdict" });
    else if (first) {
      const lenses = [...new Set([...first.lenses, ...finding.lenses])];
      confirmed.set(verdict.duplicate_of ?? 0, { ...first, lenses });
      dropped.push({ ...finding, dropped: "duplicate", why: `the same as "${first.title}"` });
    } else if (verdict.holds) confirmed.set(i + 1, { ...finding, reason: verdict.reason });
    else dropped.push({ ...finding, dropped: "refuted", why: verdict.reason });
  }
  return { confirmed: [...confirmed.values()], dropped };
}

function verdictsIn(output: string | undefined): readonly Verdict[] {
  // Output that is still not JSON was already sent back three times.
  const { verdicts } = (parseJson(output ?? "") ?? {}) as { verdicts?: readonly Verdict[] };
  return Array.isArray(verdicts) ? verdicts : [];
}
