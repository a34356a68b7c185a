// Goals as an addition to sessions: `/goal`, and the work on a goal that the session already has or is started with.

import type { Session } from "@lathe/agent";
import type { AdditionMaker, PromptCommand } from "../../conversation/session-contract.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { GoalWork } from "./goal-work.ts";

export const goalAddition: AdditionMaker = async (workspace, request) => {
  let session: Session | undefined;
  let work: GoalWork | undefined;
  /** Loads the work on a goal: from then on, the model's claims of success must be proven. */
  const arm = async (): Promise<GoalWork> => {
    if (work) return work;
    const { armGoal } = await import("./arm.ts");
    work ??= armGoal(workspace, request, session as Session);
    return work;
  };
  // The command expands to a prompt, so it works in every host.
  const command: PromptCommand = {
    name: "goal",
    // Many users already have a command of this name.
    yields: true,
    arguments: "[<text> --until <command> | stop]",
    description: "work until a command passes; alone: show the goal",
    complete: (_target, typed) => ["stop"].filter((verb) => verb.startsWith(typed)),
    givesText: (argument) => argument !== "" && argument !== "stop",
    expand: async (argument, open) => {
      const tell = (text: string): void => open.session.warn(text, "goal");
      if (argument === "") {
        const { goalText } = await import("./goal.ts");
        const { goal } = await arm();
        tell(goal ? goalText(goal) : "This session has no goal. Set one: /goal <text> --until <command>");
        return undefined;
      }
      if (argument === "stop") {
        await (await arm()).cancel();
        tell("The goal is cancelled. Changed files stay as they are.");
        return undefined;
      }
      if (open.session.state === "processing")
        throw usageError("The agent is working. Interrupt it first, then set the goal.");
      const { beginPrompt, goalOf } = await import("./goal-words.ts");
      const wanted = goalOf(argument);
      await (await arm()).begin(wanted);
      return beginPrompt(wanted);
    },
  };
  return {
    name: "goal",
    goals: { begin: async (wanted, parts) => (await arm()).begin(wanted, parts) },
    commands: async () => [command],
    ready: async (made) => {
      session = made;
      if (request.goal) await (await arm()).begin(request.goal);
      else if (made.journal.leaf !== null && made.facts.read("goal") !== undefined) await arm();
    },
  };
};
