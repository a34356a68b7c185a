// The agents that are always available. A file of the user or the project with the same name replaces one.

import architect from "./architect.md";
import critic from "./critic.md";
import designer from "./designer.md";
import explore from "./explore.md";
import librarian from "./librarian.md";
import oracle from "./oracle.md";
import plan from "./plan.md";
import quickTask from "./quick_task.md";
import reviewer from "./reviewer.md";
import task from "./task.md";

/** Listed in the order in which users and models see them. */
export const BUNDLED_FILES: Readonly<Record<string, string>> = {
  explore,
  plan,
  designer,
  reviewer,
  task,
  quick_task: quickTask,
  librarian,
  oracle,
  architect,
  critic,
};

/** Other names for them, from other versions and other agents. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = { task: ["executor"], plan: ["planner"] };
