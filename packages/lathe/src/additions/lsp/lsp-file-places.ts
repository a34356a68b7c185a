// Where lsp.json files may lie. The later one wins.

import { join } from "node:path";
import { LSP_FILES } from "../../config/trust/trust.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";

export interface LspFilePlace {
  readonly file: string;
  /** It takes effect once the folder is trusted. */
  readonly isProjects: boolean;
}

export function lspFilePlaces({ cwd, paths, machine: { userHome } }: Workspace): LspFilePlace[] {
  const inFolder = (folder: string, isProjects: boolean): LspFilePlace[] =>
    LSP_FILES.map((name) => ({ file: join(folder, name), isProjects }));
  return [
    ...inFolder(userHome, false),
    ...inFolder(join(userHome, ".gemini"), false),
    ...inFolder(paths.home, false),
    ...inFolder(join(cwd, ".gemini"), true),
    ...inFolder(join(cwd, ".lathe"), true),
    ...inFolder(cwd, true),
  ];
}
