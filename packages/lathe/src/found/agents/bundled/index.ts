// The agents that are always there. A file of the user's or of the project's with the same name replaces one.

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

/** In the order in which people and models are shown them. */
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

/** Names that other versions and other agents have for them. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = { task: ["executor"], plan: ["planner"] };
