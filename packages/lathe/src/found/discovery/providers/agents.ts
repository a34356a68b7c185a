// The conventions that several agents share: AGENTS.md in every folder of the project, and skills in `.agents`.

import { AGENT_PLACES } from "../agent-places.ts";
import { everyHome, foldersOf } from "../homes.ts";
import { skillFolder, textFile } from "../layouts.ts";
import type { Provider } from "../look.ts";

const FOLDERS = foldersOf(AGENT_PLACES.agents);

export const agents: Provider = {
  id: "agents",
  name: "AGENTS.md and .agents",
  priority: 70,
  loaders: {
    "context-file": (look) => {
      textFile(look, `${FOLDERS.user(look)}/AGENTS.md`, "user");
      for (const folder of look.place.folders) textFile(look, `${folder}/AGENTS.md`, "project");
    },
    skill: (look) => {
      for (const { path, level } of everyHome(look, FOLDERS)) skillFolder(look, `${path}/skills`, level);
    },
  },
};
