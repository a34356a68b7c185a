// Continue: `~/.continue` and the project's nearest `.continue`. Its rules are read; the rest is listed as unsupported.

import { AGENT_PLACES } from "../agent-places.ts";
import type { Frontmatter } from "../frontmatter.ts";
import { foldersOf, inHomes } from "../homes.ts";
import { markdownFolder } from "../layouts.ts";
import type { Provider } from "../search.ts";
import { unsupportedFiles } from "../unsupported.ts";

const FOLDERS = foldersOf(AGENT_PLACES.continue);

export const continueDev: Provider = {
  id: "continue",
  name: "Continue",
  priority: 35,
  loaders: {
    rule: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, `${path}/rules`, level, { nested: true, translate: appliesByDefault }),
    ),
    unsupported: (search) =>
      unsupportedFiles(search, FOLDERS, {
        "config.yaml": "add its models with lathe models, its servers with lathe mcp add",
        "config.json": "add its models with lathe models, its servers with lathe mcp add",
        mcpServers: "add the server with lathe mcp add",
        prompts: "copy it to .lathe/prompts",
      }),
  },
};

/** A rule without globs always applies, unless it says otherwise. */
function appliesByDefault({ alwaysApply, globs, ...rest }: Frontmatter): Frontmatter {
  if (alwaysApply === true || (alwaysApply === undefined && globs === undefined)) return { ...rest, alwaysApply: true };
  return globs === undefined ? rest : { ...rest, globs };
}
