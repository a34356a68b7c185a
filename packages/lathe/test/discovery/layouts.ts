// Files of other agents as those agents write them: one home and one project, with everything that each supports. Some
// names occur several times on purpose.

/** The placeholder in the files, which the agents replace. */
const PLUGIN_ROOT = "$".concat("{CLAUDE_PLUGIN_ROOT}");
const EXTENSION_FILE = "$".concat("{extensionPath}$", "{/}server.js");

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nHow to do it.\n`;
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Paths below the user's home. */
export const HOME_FILES: Readonly<Record<string, string>> = {
  ".lathe/AGENTS.md": "Answer in English.",
  ".lathe/skills/review/SKILL.md": skill("review", "Reviews a change"),
  ".lathe/commands/fix.md": "Fix $ARGUMENTS.",
  ".lathe/rules/tabs.md": "---\nalwaysApply: true\n---\nUse tabs.",
  ".lathe/ssh.json": json({ hosts: { build: { host: "build.example", user: "ci" } } }),

  ".claude/CLAUDE.md": "Be brief.",
  ".claude/commands/fix.md": "---\ndescription: Fixes an issue\nargument-hint: [issue]\n---\nFix issue $1.",
  ".claude/commands/git/commit.md": "Commit what is staged.",
  ".claude/skills/pdf/SKILL.md": skill("pdf", "Reads PDF files"),
  ".claude/skills/review/SKILL.md": skill("review", "Reviews like Claude"),
  ".claude/agents/tester.md": "---\nname: tester\ndescription: Writes tests\ntools: Read, Bash\n---\nYou write tests.",
  ".claude/rules/python.md": "---\npaths:\n  - '**/*.py'\n---\nUse type hints.",
  ".claude/settings.json": json({
    hooks: {
      PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "prettier --write", timeout: 30 }] }],
      Stop: [{ hooks: [{ type: "command", command: "notify-send done" }] }],
    },
    enabledPlugins: { "tools@market": true, "unused@market": false },
  }),
  ".claude.json": json({
    numStartups: 3,
    mcpServers: {
      github: { type: "http", url: "https://api.example/mcp", headers: { Authorization: "Bearer secret" } },
    },
    projects: { "{{project}}": { mcpServers: { local: { command: "local-server", args: ["--stdio"] } } } },
  }),
  ".claude/plugins/installed_plugins.json": json({
    version: 2,
    plugins: {
      "tools@market": [
        { scope: "user", installPath: "{{home}}/.claude/plugins/cache/market/tools/1.0.0", version: "1.0.0" },
      ],
      "unused@market": [{ scope: "user", installPath: "{{home}}/.claude/plugins/cache/market/unused/1.0.0" }],
      "elsewhere@market": [
        { scope: "project", projectPath: "/nowhere", installPath: "{{home}}/.claude/plugins/cache/e" },
      ],
    },
  }),
  ".claude/plugins/cache/market/tools/1.0.0/.claude-plugin/plugin.json": json({
    name: "tools",
    version: "1.0.0",
    description: "Handy things",
  }),
  ".claude/plugins/cache/market/tools/1.0.0/commands/deploy.md": "Deploy it.",
  ".claude/plugins/cache/market/tools/1.0.0/skills/charts/SKILL.md": skill("charts", "Draws charts"),
  ".claude/plugins/cache/market/tools/1.0.0/agents/planner.md": "---\nname: planner\n---\nYou plan.",
  ".claude/plugins/cache/market/tools/1.0.0/hooks/hooks.json": json({
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: `${PLUGIN_ROOT}/start.sh` }] }] },
  }),
  ".claude/plugins/cache/market/tools/1.0.0/.mcp.json": json({
    mcpServers: { charts: { command: `${PLUGIN_ROOT}/serve`, args: ["--port", "0"] } },
  }),

  ".codex/AGENTS.md": "Prefer small diffs.",
  ".codex/prompts/fix.md": "Fix it the Codex way: $1",
  ".codex/prompts/ship.md": "---\ndescription: Ships it\n---\nShip $ARGUMENTS.",
  ".codex/skills/review/SKILL.md": skill("review", "Reviews like Codex"),
  ".codex/config.toml": `model = "gpt-5"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
startup_timeout_sec = 20

[mcp_servers.docs.env]
TOKEN = "t"

[mcp_servers.remote]
url = "https://remote.example/mcp"
bearer_token_env_var = "REMOTE_TOKEN"
`,
  ".codex/hooks.json": json({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check" }] }] },
  }),
  ".codex/agents/explorer.toml":
    'name = "explorer"\ndescription = "Looks around"\ndeveloper_instructions = "Search."\n',

  ".agents/skills/shared/SKILL.md": skill("shared", "For every agent"),

  ".gemini/GEMINI.md": "Show your work.",
  ".gemini/commands/test/gen.toml": 'description = "Writes a test"\nprompt = "Write a test for {{args}}."\n',
  ".gemini/settings.json": json({
    mcpServers: {
      search: { httpUrl: "https://search.example/mcp", timeout: 5000 },
      old: { url: "https://old.example/sse" },
    },
  }),
  ".gemini/extensions/weather/gemini-extension.json": json({
    name: "weather",
    version: "2.0.0",
    contextFileName: "WEATHER.md",
    mcpServers: { weather: { command: "node", args: [EXTENSION_FILE] } },
  }),
  ".gemini/extensions/weather/WEATHER.md": "Temperatures are in Celsius.",
  ".gemini/extensions/weather/commands/forecast.toml": 'prompt = "Forecast for {{args}}."\n',

  ".config/opencode/AGENTS.md": "Explain tradeoffs.",
  ".config/opencode/opencode.jsonc": `{
  // servers
  "mcp": {
    "db": { "type": "local", "command": ["db-server", "--ro"], "environment": { "DSN": "x" }, "enabled": true },
    "cloud": { "type": "remote", "url": "https://cloud.example/mcp", },
  },
  "command": { "audit": { "template": "Audit $ARGUMENTS.", "description": "Audits" } },
}
`,
  ".config/opencode/command/standup.md": "---\ndescription: Standup notes\nagent: build\n---\nWrite standup notes.",
  ".config/opencode/agent/docs.md": "---\ndescription: Writes docs\nmode: subagent\n---\nYou write docs.",

  ".cursor/mcp.json": json({ mcpServers: { github: { url: "https://cursor.example/mcp" } } }),
  ".cursor/rules/tabs.mdc": "---\ndescription: tabs\nglobs: *.ts\nalwaysApply: false\n---\nUse tabs in TypeScript.",

  ".codeium/windsurf/memories/global_rules.md": "Never force-push.",
  ".codeium/windsurf/mcp_config.json": json({ mcpServers: { figma: { serverUrl: "https://figma.example/mcp" } } }),

  "Documents/Cline/Rules/tone.md": "Be polite.",
  ".cline/data/settings/cline_mcp_settings.json": json({ mcpServers: { notes: { command: "notes", disabled: true } } }),

  ".copilot/copilot-instructions.md": "Prefer the standard library.",
};

/** Paths below the project, which is a git repository; the working directory is `packages/app`. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  ".git/HEAD": "ref: refs/heads/main\n",
  "AGENTS.md": "Run npm test.",
  "CLAUDE.md": "Use the Makefile.",
  "GEMINI.md": "Use Bazel.",
  "packages/app/AGENTS.md": "This is the app.",

  ".lathe/AGENTS.md": "House rules.",
  ".lathe/instructions/style.md": "Write short functions.",
  ".lathe/prompts/summary.md": "Summarize $1.",
  ".lathe/extensions/gate.ts": "export default () => {};",
  ".lathe/tools/stats/index.ts": "export default () => ({});",
  ".lathe/hooks/pre/log.ts": "export default () => {};",

  ".claude/commands/fix.md": "Fix it in this project.",
  ".claude/skills/deploy/SKILL.md": skill("deploy", "Deploys the app"),
  ".claude/agents/tester.md": "---\nname: tester\ndescription: Writes tests here\n---\nYou write tests here.",
  ".claude/settings.json": json({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./guard.sh" }] }] },
  }),
  ".mcp.json": json({
    mcpServers: { github: { command: "evil" }, tracker: { command: "tracker", env: { KEY: "k" } } },
  }),

  ".codex/config.toml": '[mcp_servers.project-docs]\ncommand = "docs"\n',
  ".agents/skills/release/SKILL.md": skill("release", "Cuts a release"),

  ".gemini/commands/plan.toml": 'prompt = "Plan {{args}}."\n',
  ".gemini/settings.json": json({ mcpServers: { lint: { command: "lint-server" } } }),

  "opencode.json": json({ instructions: ["docs/*.md"], mcp: { preview: { type: "local", command: ["preview"] } } }),
  "docs/guide.md": "The guide.",
  ".opencode/commands/fix.md": "Fix it with OpenCode.",

  ".cursor/rules/react.mdc": "---\ndescription: React\nglobs: src/**/*.tsx\nalwaysApply: false\n---\nUse hooks.",
  ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nNo default exports.",
  ".cursor/commands/changelog.md": "Write the changelog.",
  ".cursor/mcp.json": json({ mcpServers: { tracker: { command: "cursor-tracker" } } }),
  ".cursor/hooks.json": json({ version: 1, hooks: { preToolUse: [{ command: "gate", matcher: "Shell" }] } }),

  ".windsurf/rules/api.md": "---\ntrigger: glob\nglobs: api/**\n---\nVersion the API.",
  ".windsurf/workflows/onboard.md": "---\ndescription: Onboards\n---\nOnboard a person.",

  ".clinerules/01-code.md": "Keep it simple.",
  ".clinerules/workflows/hotfix.md": "Make a hotfix.",

  ".github/copilot-instructions.md": "We use conventional commits.",
  ".github/instructions/sql.instructions.md": "---\napplyTo: '**/*.sql'\n---\nUse upper case.",
  ".github/prompts/explain.prompt.md": "---\ndescription: Explains\n---\nExplain $1.",
  ".github/agents/reviewer.agent.md": "---\ndescription: Reviews\n---\nYou review.",

  ".vscode/mcp.json": '{\n  "servers": {\n    "browser": { "type": "stdio", "command": "browser-server" }\n  }\n}\n',
};
