// Keeps the state of the repository before each input as a commit that no branch shows; /checkpoints lists them.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.on("before_agent_start", async ({ prompt }, { exec, session }) => {
    const { stdout } = await exec("git", ["stash", "create", prompt.slice(0, 60)]);
    const head = await exec("git", ["rev-parse", "HEAD"]);
    const commit = stdout.trim() || head.stdout.trim();
    if (commit === "") return;
    await exec("git", ["update-ref", `refs/lathe/${session.id}/${Date.now()}`, commit]);
    session.appendEntry("checkpoint", { commit, prompt: prompt.slice(0, 60) });
  });
  lathe.registerCommand("checkpoints", {
    description: "list the states of the repository before each input",
    run: (_argument, { session, ui }) => {
      const kept = session.entries("checkpoint") as { commit: string; prompt: string }[];
      for (const { commit, prompt } of kept) ui.notify(`${commit.slice(0, 8)}  ${prompt}`);
      if (kept.length === 0) ui.notify("There are no checkpoints in this session.");
    },
  });
}
