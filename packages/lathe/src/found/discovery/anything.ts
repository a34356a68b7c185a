// Whether any agent has files here at all. Most starts find none and load nothing of the rest.

import { existsSync } from "node:fs";
import type { Place } from "./place.ts";

const IN_HOME = [
  ".claude",
  ".claude.json",
  ".codex",
  ".agents",
  ".gemini",
  ".config/opencode",
  ".cursor",
  ".codeium/windsurf",
  ".cline",
  "Documents/Cline",
  ".copilot",
  ".config/Code/User/mcp.json",
];

/** Of Lathe's own, which has settings and sessions in any case. */
const IN_LATHE_HOME = [
  "AGENTS.md",
  "SYSTEM.md",
  "APPEND_SYSTEM.md",
  "TITLE_SYSTEM.md",
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
];

const IN_PROJECT = [
  ".lathe",
  ".claude",
  ".codex",
  ".agents",
  ".gemini",
  ".opencode",
  "opencode.json",
  "opencode.jsonc",
  ".cursor",
  ".windsurf",
  ".clinerules",
  ".cline",
  ".github/copilot-instructions.md",
  ".github/instructions",
  ".github/prompts",
  ".github/agents",
  ".github/chatmodes",
  ".github/skills",
  ".github/hooks",
  ".vscode/mcp.json",
  ".mcp.json",
  "mcp.json",
];

/** Variables that put an agent's folder elsewhere. */
const ELSEWHERE = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"];

export function isAnythingHere({ env, userHome, latheHome, folders }: Place): boolean {
  const isIn = (folder: string, names: readonly string[]): boolean =>
    names.some((name) => existsSync(`${folder}/${name}`));
  return (
    ELSEWHERE.some((name) => env[name]) ||
    isIn(latheHome, IN_LATHE_HOME) ||
    isIn(userHome, IN_HOME) ||
    folders.some((folder) => isIn(folder, IN_PROJECT))
  );
}
