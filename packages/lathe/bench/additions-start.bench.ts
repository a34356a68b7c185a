// What skills, commands and servers of the user, and the tools for the web, cost at the start: the same run with and without them, side
// by side.

import { fileURLToPath } from "node:url";
import type { Bench } from "../../../scripts/bench-types.ts";
import { type Files, startTime } from "./start-time.ts";

const MCP_SERVER = fileURLToPath(new URL("../test/mcp/rogue-server.mjs", import.meta.url));
const SKILLS = 40;
const COMMANDS = 20;
const SERVERS = 5;

/** As people have them: half in Lathe's folder, half in another agent's. */
function skillsAndCommands(): Files {
  const files: Record<string, string> = {};
  const text = "Do this, then that, and check the result.\n".repeat(40);
  for (let i = 0; i < SKILLS; i++) {
    const folder = i % 2 ? ".claude" : ".lathe";
    files[`${folder}/skills/skill-${i}/SKILL.md`] =
      `---\nname: skill-${i}\ndescription: Use this when the work is about subject ${i}\n---\n${text}`;
  }
  for (let i = 0; i < COMMANDS; i++) {
    const folder = i % 2 ? ".claude" : ".lathe";
    files[`${folder}/commands/command-${i}.md`] =
      `---\ndescription: Does job ${i}\n---\nDo job ${i} with $ARGUMENTS.\n`;
  }
  return files;
}

function mcpServers(): Files {
  const all = Array.from({ length: SERVERS }, (_, i) => [
    `server${i}`,
    { command: process.execPath, args: [MCP_SERVER] },
  ]);
  return { ".lathe/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(all) }) };
}

/** All that sees the web and draws, with the keys that it needs, as far as settings can turn it on and off. */
function webTools(isOn: boolean): Files {
  const tools = ["web_search", "renderMermaid", "generate_image", "computer"];
  const more = isOn
    ? "browser:\n  stealth: true\nproviders:\n  webSearch: searxng\nsearxng:\n  endpoint: http://127.0.0.1:9\n"
    : "";
  return {
    ".lathe/config.yml": `${tools.map((tool) => `${tool}:\n  enabled: ${isOn}\n`).join("")}${more}`,
    ...(isOn ? { ".config/gh/hosts.yml": "github.com:\n  oauth_token: gho_0\n  user: someone\n" } : {}),
  };
}

const startOver = (what: string, files: () => Files, without: Files = {}, budget = 1.3): Bench => ({
  name: `start to first request with ${what} over the same without`,
  run: async () => ({ ...(await startTime(files(), without)), budget }),
});

export const benches: Bench[] = [
  startOver(`${SKILLS} skills and ${COMMANDS} commands`, skillsAndCommands),
  startOver(`${SERVERS} known MCP servers`, mcpServers),
  startOver(`${SKILLS} skills, ${COMMANDS} commands and ${SERVERS} known MCP servers`, () => ({
    ...skillsAndCommands(),
    ...mcpServers(),
  })),
  startOver("the tools for the web, git hosts, pictures and the desktop", () => webTools(true), webTools(false), 1.05),
];
