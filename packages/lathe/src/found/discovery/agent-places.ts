// Where each agent keeps its files: one table for the providers that read them, and for the check whether there are
// any. Context files in the open part of a project (AGENTS.md, CLAUDE.md) are not listed: a session reads those without
// discovery.

import { existsSync } from "node:fs";
import type { Place } from "./place.ts";

export interface AgentPlaces {
  /** Folders below the user's home; the first is the agent's main one. */
  readonly user: readonly string[];
  /** The variable that can name another main folder. */
  readonly movedBy?: string;
  /** Folders below each folder of a project; the first is the agent's main one. */
  readonly project: readonly string[];
}

export const LSP_FILES = ["lsp.json", ".lsp.json", "lsp.yaml", ".lsp.yaml", "lsp.yml", ".lsp.yml"] as const;

export const AGENT_PLACES = {
  claude: { user: [".claude", ".claude.json"], movedBy: "CLAUDE_CONFIG_DIR", project: [".claude"] },
  codex: { user: [".codex"], movedBy: "CODEX_HOME", project: [".codex"] },
  agents: { user: [".agents"], project: [".agents"] },
  gemini: { user: [".gemini"], project: [".gemini"] },
  opencode: { user: [".config/opencode"], project: [".opencode", "opencode.json", "opencode.jsonc"] },
  cursor: { user: [".cursor"], project: [".cursor", ".cursorrules"] },
  windsurf: { user: [".codeium/windsurf"], project: [".windsurf", ".windsurfrules"] },
  cline: { user: [".cline", "Documents/Cline"], project: [".clinerules", ".cline"] },
  continue: { user: [".continue"], project: [".continue"] },
  github: {
    user: [".copilot"],
    project: [
      ".github/copilot-instructions.md",
      ".github/instructions",
      ".github/prompts",
      ".github/agents",
      ".github/chatmodes",
      ".github/skills",
      ".github/hooks",
    ],
  },
  vscode: { user: [".config/Code/User/mcp.json"], project: [".vscode/mcp.json"] },
  mcpJson: { user: [], project: [".mcp.json", "mcp.json"] },
  lspJson: { user: LSP_FILES, project: LSP_FILES },
} as const satisfies Readonly<Record<string, AgentPlaces>>;

const GITHUB = ".github/";
/** Lathe's folder in a project. */
export const LATHE_FOLDER = ".lathe";
export const SYSTEM_PROMPTS = ["SYSTEM.md", "APPEND_SYSTEM.md", "TITLE_SYSTEM.md"] as const;

/**
 * The files and folders that discovery reads in Lathe's folders. The user's folder always holds settings and sessions
 * as well.
 */
const LATHE_FILES = [
  ...SYSTEM_PROMPTS,
  "AGENTS.md",
  "skills",
  "commands",
  "rules",
  "prompts",
  "instructions",
  "agents",
  "hooks",
  "hooks.json",
  "tools",
  "extensions",
  "mcp.json",
  "plugins",
  "settings.json",
  "ssh.json",
  ...LSP_FILES,
] as const;

export const latheFile = (home: string, name: (typeof LATHE_FILES)[number]): string => `${home}/${name}`;

const CONFIG_VARIABLE = "XDG_CONFIG_HOME";

/** Resolves a path of the table below the user's home, or below the user's configuration folder. */
function userPath({ env, userHome }: Place, path: string): string {
  const config = env[CONFIG_VARIABLE];
  return config && path.startsWith(".config/") ? `${config}${path.slice(".config".length)}` : `${userHome}/${path}`;
}

/** The agent's main folder of the user. */
export function userFolder(place: Place, { user, movedBy }: AgentPlaces): string {
  return (movedBy && place.env[movedBy]) || userPath(place, user[0] ?? "");
}

/** Whether any agent has files here at all. Most starts find none and then skip loading the rest. */
export function isAnythingHere({ env, userHome, latheHome, folders }: Place): boolean {
  const agents: readonly AgentPlaces[] = Object.values(AGENT_PLACES);
  const isIn = (folder: string, names: readonly string[]): boolean =>
    names.some((name) => existsSync(`${folder}/${name}`));
  const inProject = [LATHE_FOLDER, ...agents.flatMap(({ project }) => project)];
  // Most folders have no .github, so this saves looking for seven names in it.
  const inGithub = inProject.filter((name) => name.startsWith(GITHUB));
  const others = inProject.filter((name) => !name.startsWith(GITHUB));
  return (
    [CONFIG_VARIABLE, ...agents.flatMap(({ movedBy }) => movedBy ?? [])].some((name) => env[name]) ||
    isIn(latheHome, LATHE_FILES) ||
    agents.some(({ user }) => isIn(userHome, user)) ||
    folders.some((folder) => isIn(folder, others) || (isIn(folder, [GITHUB]) && isIn(folder, inGithub)))
  );
}
