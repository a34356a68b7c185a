// The conventions that several agents share: AGENTS.md in every folder of the project, and skills in `.agents`.

import { AGENT_PLACES } from "../agent-places.ts";
import { everyHome, foldersOf } from "../homes.ts";
import { skillFolder, textFile } from "../layouts.ts";
import type { Provider } from "../search.ts";

const FOLDERS = foldersOf(AGENT_PLACES.agents);

export const agents: Provider = {
  id: "agents",
  name: "AGENTS.md and .agents",
  priority: 70,
  loaders: {
    "context-file": (search) => {
      textFile(search, `${FOLDERS.user(search)}/AGENTS.md`, "user");
      for (const folder of search.place.folders) textFile(search, `${folder}/AGENTS.md`, "project");
    },
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS)) skillFolder(search, `${path}/skills`, level);
    },
  },
};
