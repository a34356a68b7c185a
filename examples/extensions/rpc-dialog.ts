// Dialogs work at the terminal and over RPC: /release asks what it needs, then tells the model.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.registerCommand("release", {
    description: "prepare a release",
    run: async (_argument, { ui }) => {
      const kind = await ui.select("What kind of release?", ["patch", "minor", "major"]);
      if (kind === undefined) return;
      const title = await ui.input("Title?", "what is new");
      if (!(await ui.confirm(`Prepare a ${kind} release?`, title, { timeout: 60_000 }))) return;
      ui.setStatus("release", `${kind} release`);
      return `Prepare a ${kind} release titled "${title ?? ""}": update the version and the changelog.`;
    },
  });
}
