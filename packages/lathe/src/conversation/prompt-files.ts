// What files of the user and of other agents add to the system prompt: SYSTEM.md, instruction files, and sections of the additions.

import type { MoreSurroundings } from "@lathe/agent";
import type { Workspace } from "../workspace/workspace.ts";
import type { Additions } from "./additions.ts";
import type { SessionRequest } from "./open-session.ts";

export async function promptFiles(
  _workspace: Workspace,
  { systemPrompt, userInstructions }: SessionRequest,
  additions: Additions,
): Promise<MoreSurroundings> {
  const sections = await additions.systemParts({ custom: systemPrompt, appended: userInstructions });
  return {
    ...(systemPrompt === undefined ? {} : { customPrompt: systemPrompt }),
    ...(sections.length === 0 ? {} : { sections: sections.map(({ name, text }) => ({ name, text })) }),
  };
}
