// Texts about a goal: how users write one, and the prompts for the model.

import { shellProblem } from "@lathe/agent/policy";
import { usageError } from "../../platform/usage/exit.ts";
import beginText from "./begin.md";
import failedText from "./failed.md";
import { type Goal, openSubGoals, type WantedGoal } from "./goal.ts";
import openPartsText from "./open-parts.md";

/** Parses what follows `/goal`. */
export function goalOf(argument: string): WantedGoal {
  const [, text = "", until = ""] = /^(.*?)\s*--until[\s=]+(.*)$/s.exec(argument) ?? [];
  const command = until.trim().replace(/^(['"])(.*)\1$/s, "$2");
  if (text.trim() === "" || command.trim() === "")
    throw usageError("A goal needs a text and a command that proves it: /goal <text> --until <command>");
  return readableGoal({ text, until: command });
}

/** Refuses a command that the shell cannot read, before anything is sent. */
export function readableGoal({ text, until }: WantedGoal): WantedGoal {
  const command = until.trim();
  const problem = shellProblem(command);
  if (problem !== undefined)
    throw usageError(`--until: the shell cannot read \`${command}\`: ${problem}. Give a command such as 'npm test'.`);
  return { text: text.trim(), until: command };
}

/** The prompt that starts the work. */
export const beginPrompt = (goal: WantedGoal): string => fill(beginText, { ...goal });

/** A check that did not prove the goal. */
export interface Failure {
  readonly reasons: readonly string[];
  readonly output: string;
}

export function failedPrompt({ reasons, output }: Failure): string {
  const shown = output.trim();
  return fill(failedText, {
    reasons: reasons.join(" "),
    output: shown === "" ? "" : `What it printed:\n\n\`\`\`\n${shown}\n\`\`\`\n\n`,
  });
}

export const openPartsPrompt = (goal: Goal): string =>
  fill(openPartsText, {
    until: goal.until,
    open: openSubGoals(goal)
      .map((subGoal) => `${goal.subGoals.indexOf(subGoal) + 1}. ${subGoal.text} (until: ${subGoal.until})`)
      .join("\n"),
  });

/** Replaces placeholders in one pass, so that inserted values are not expanded again. */
const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.trim().replace(/\{\{(\w+)\}\}/g, (place, name: string) => values[name] ?? place);
