// The skills that are always there; all but `team` begin a workflow. A skill of the user's or of the project's with the same name is used instead.

import { parseMarkdown } from "../../discovery/frontmatter.ts";
import deepInterview from "./deep-interview.md";
import ralplan from "./ralplan.md";
import team from "./team.md";
import ultragoal from "./ultragoal.md";

/** By name, as their files have them. */
export const BUNDLED_SKILLS: Readonly<Record<string, string>> = {
  "deep-interview": deepInterview,
  ralplan,
  team,
  ultragoal,
};

/** As it is put before the model. */
export function bundledSkill(name: string): { readonly name: string; readonly body: string } {
  return { name, body: parseMarkdown(BUNDLED_SKILLS[name] ?? "").body };
}
