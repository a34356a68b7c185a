// /standup [days]: asks the model for a summary of what was done lately, from the log.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.registerCommand("standup", {
    description: "summarize the commits of the last days",
    arguments: "[days]",
    complete: (typed) => ["1", "2", "7"].filter((days) => days.startsWith(typed)),
    run: async (days, { exec, ui }) => {
      const since = `${Number(days) || 1} days ago`;
      const { stdout, code, stderr } = await exec("git", ["log", `--since=${since}`, "--format=%h %s"]);
      if (code !== 0) throw new Error(stderr.trim());
      if (stdout.trim() === "") {
        ui.notify(`No commits since ${since}.`);
        return;
      }
      return `Summarize these commits for a stand-up meeting, in three lines:\n\n${stdout.trim()}`;
    },
  });
  lathe.registerShortcut("alt+shift+s", {
    description: "put /standup into the composer",
    run: ({ ui }) => ui.setEditorText("/standup 1"),
  });
}
