// Where tokens of git hosts are looked for. It is read at every start, so it loads nothing.

import { join } from "node:path";

export type Variables = Readonly<Record<string, string | undefined>>;

/** In this order. Those of enterprise servers have names of their own, so that no token reaches another server than the one it is for. */
export const GITHUB = ["GITHUB_TOKEN", "GH_TOKEN"];
export const ENTERPRISE = ["GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN"];
export const GITLAB = ["GITLAB_TOKEN"];
export const TOKEN_VARIABLES = [...GITHUB, ...ENTERPRISE, ...GITLAB];

/** Where `gh` keeps its logins. */
export function ghHostsFile(env: Variables, userHome: string): string {
  const folder = env["GH_CONFIG_DIR"] || join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "gh");
  return join(folder, "hosts.yml");
}
