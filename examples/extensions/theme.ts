// A theme, and a command that tries it on. Colours that are not named stay those of the dark theme.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.registerTheme({
    name: "harbour",
    vars: { sea: "#5fafd7", sand: "#d7af87" },
    colors: { accent: "sea", warning: "sand", statusLineModel: "sea" },
  });
  lathe.registerCommand("harbour", {
    description: "use the theme harbour",
    run: (_argument, { ui }) => {
      ui.notify(ui.setTheme("harbour") ? "Harbour it is." : "There is nothing to colour here.");
    },
  });
}
