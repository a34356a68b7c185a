// `/skill:team`: the bundled skill without states and gates. It drives `lathe team`, in tmux panes on this machine.

import type { PromptCommand } from "../../conversation/session-contract.ts";
import { bundledSkill } from "../../found/skills/bundled/index.ts";
import { skillPrompt } from "../../found/skills/skills.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { usageError } from "../../platform/usage/exit.ts";

export const teamCommand = ({ paneStarter }: Machine): PromptCommand => ({
  name: "skill:team",
  arguments: "<what to do>",
  description: "divide work among workers in panes of tmux, and bring together what they did",
  whileWorking: true,
  expand: (wish) => {
    if (!paneStarter)
      throw usageError(
        "A team needs panes of tmux. Start the session with lathe --tmux (lathe --tmux -c continues the last one), and use /skill:team there.",
      );
    if (paneStarter.member) throw usageError("A worker cannot lead a team. Use /skill:team in the leader's pane.");
    if (wish === "") throw usageError("Say what the team should do: /skill:team <what to do>");
    return skillPrompt(bundledSkill("team"), wish);
  },
});
