// The places where tokens of git hosts are found. This is read at every start, so it loads nothing.

import { join } from "node:path";

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Variables, in order of preference. Tokens of enterprise servers have their own names, so that each token reaches only
 * its own server.
 */
export const GITHUB = ["GITHUB_TOKEN", "GH_TOKEN"];
export const ENTERPRISE = ["GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN"];
export const GITLAB = ["GITLAB_TOKEN"];
export const TOKEN_VARIABLES = [...GITHUB, ...ENTERPRISE, ...GITLAB];

/** The file in which `gh` keeps its logins. */
export function ghHostsFile(env: Variables, userHome: string): string {
  const folder = env["GH_CONFIG_DIR"] || join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "gh");
  return join(folder, "hosts.yml");
}
