// The skills that are always available; all but `team` start a workflow. A skill of the user or the project with the
// same name replaces one.

import { parseMarkdown } from "../../discovery/frontmatter.ts";
import deepInterview from "./deep-interview.md";
import ralplan from "./ralplan.md";
import team from "./team.md";
import ultragoal from "./ultragoal.md";

/** The texts of the files by name. */
export const BUNDLED_SKILLS: Readonly<Record<string, string>> = {
  "deep-interview": deepInterview,
  ralplan,
  team,
  ultragoal,
};

/** The skill in the form that is sent to the model. */
export function bundledSkill(name: string): { readonly name: string; readonly body: string } {
  return { name, body: parseMarkdown(BUNDLED_SKILLS[name] ?? "").body };
}
