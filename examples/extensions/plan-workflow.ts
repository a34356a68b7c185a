// /plan-first <task>: the model writes a plan and changes nothing; when the person agrees, the plan is carried out.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  let isPlanning = false;
  lathe.on("tool_call", (event) => {
    if (isPlanning && event.tier !== "read")
      return { block: true, reason: "Only the plan for now: read what you need, then describe the steps." };
  });
  lathe.registerCommand("plan-first", {
    description: "plan a task, then carry it out when you agree",
    arguments: "<task>",
    run: async (task, context) => {
      if (task === "") {
        context.ui.notify("Name the task: /plan-first <task>", "warning");
        return;
      }
      isPlanning = true;
      try {
        await context.submit(`Make a plan for this task and change nothing yet: ${task}`);
      } finally {
        isPlanning = false;
      }
      context.session.appendEntry("plan", { task, plan: context.session.messages().at(-1)?.text });
      return (await context.ui.confirm("Carry out this plan?")) ? "Carry out the plan." : undefined;
    },
  });
}
