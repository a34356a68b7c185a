// SYSTEM.md and its companions (LS-07): in an agent's folder of the working directory itself, not above it, and in the
// user's folder.

import { SYSTEM_PROMPTS } from "./agent-places.ts";
import type { AgentFolders } from "./homes.ts";
import { textFile } from "./layouts.ts";
import type { Search } from "./search.ts";

export function systemPrompts(search: Search<"system-prompt">, { user, project }: AgentFolders): void {
  const { cwd, userHome } = search.place;
  if (cwd !== userHome) for (const name of SYSTEM_PROMPTS) textFile(search, `${cwd}/${project}/${name}`, "project");
  for (const name of SYSTEM_PROMPTS) textFile(search, `${user(search)}/${name}`, "user");
}
