// The values read from agents' files: servers, hooks and rules in one common form.

import { expect, it } from "vitest";
import type { ItemKind, ItemValues } from "../../src/found/discovery/types.ts";
import { HOME_FILES, PROJECT_FILES } from "./layouts.ts";
import { discoveryIn, twoFolders } from "./place-kit.ts";

async function values<K extends ItemKind>(kind: K): Promise<Record<string, ItemValues[K]>> {
  const folders = await twoFolders(HOME_FILES, PROJECT_FILES);
  const { all } = await discoveryIn(folders).of(kind);
  const text = JSON.stringify(Object.fromEntries([...all].reverse().map(({ name, value }) => [name, value])));
  return JSON.parse(text.replaceAll(folders.home, "~").replaceAll(folders.project, "."));
}

it("servers of every agent have one form: how to start or reach them, with what, and how long to wait", async () => {
  expect(await values("mcp-server")).toMatchObject({
    local: { transport: "stdio", command: "local-server", args: ["--stdio"] },
    github: { transport: "http", url: "https://api.example/mcp", headers: { Authorization: "Bearer secret" } },
    docs: {
      transport: "stdio",
      command: "npx",
      args: ["-y", "docs-server"],
      env: { TOKEN: "t" },
      startTimeoutMs: 20_000,
    },
    remote: {
      transport: "http",
      url: "https://remote.example/mcp",
      headers: { Authorization: "Bearer $".concat("{REMOTE_TOKEN}") },
    },
    charts: { command: "~/.claude/plugins/cache/market/tools/1.0.0/serve", args: ["--port", "0"] },
    search: { transport: "http", url: "https://search.example/mcp", timeoutMs: 5000 },
    old: { transport: "sse", url: "https://old.example/sse" },
    weather: { command: "node", args: ["~/.gemini/extensions/weather/server.js"] },
    db: { transport: "stdio", command: "db-server", args: ["--ro"], env: { DSN: "x" }, enabled: true },
    cloud: { transport: "http", url: "https://cloud.example/mcp" },
    figma: { transport: "http", url: "https://figma.example/mcp" },
    notes: { command: "notes", enabled: false },
    browser: { transport: "stdio", command: "browser-server" },
  });
});

it("hooks of every agent have one form: event, pattern, command and time", async () => {
  expect(Object.values(await values("hook"))).toEqual(
    expect.arrayContaining([
      { event: "PostToolUse", matcher: "Edit|Write", type: "command", command: "prettier --write", timeoutMs: 30_000 },
      { event: "Stop", type: "command", command: "notify-send done" },
      {
        event: "SessionStart",
        type: "command",
        command: "~/.claude/plugins/cache/market/tools/1.0.0/start.sh",
        root: "~/.claude/plugins/cache/market/tools/1.0.0",
      },
      { event: "preToolUse", matcher: "Shell", type: "command", command: "gate", cwd: "." },
      { event: "pre", type: "module", path: "./.lathe/hooks/pre/log.ts" },
    ]),
  );
});

it("G-93 rules say in one way when they hold: always, for some files, or by their description", async () => {
  const rules = await values("rule");
  const meta = Object.fromEntries(Object.entries(rules).map(([name, { frontmatter }]) => [name, frontmatter]));
  expect(meta).toEqual({
    tabs: { alwaysApply: true },
    python: { globs: ["**/*.py"] },
    always: { alwaysApply: true },
    react: { description: "React", globs: ["src/**/*.tsx"] },
    global_rules: { alwaysApply: true },
    api: { globs: "api/**" },
    "01-code": { alwaysApply: true },
    tone: { alwaysApply: true },
  });
});

it("commands of Gemini and OpenCode are texts with a description, as those of the others", async () => {
  expect(await values("command")).toMatchObject({
    "test:gen": { frontmatter: { description: "Writes a test" }, body: "Write a test for {{args}}." },
    audit: { frontmatter: { description: "Audits" }, body: "Audit $ARGUMENTS." },
    standup: { frontmatter: { description: "Standup notes", agent: "build" }, body: "Write standup notes." },
  });
  expect(await values("agent")).toMatchObject({
    explorer: { frontmatter: { name: "explorer", description: "Looks around" }, body: "Search." },
  });
});
