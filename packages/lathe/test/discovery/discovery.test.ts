import { mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAnythingHere } from "../../src/found/discovery/agent-places.ts";
import type { Discovery } from "../../src/found/discovery/discovery.ts";
import type { Provider } from "../../src/found/discovery/search.ts";
import type { Found, ItemKind } from "../../src/found/discovery/types.ts";
import { warningLine } from "../../src/found/discovery/warning-line.ts";
import { HOME_FILES, PROJECT_FILES } from "./layouts.ts";
import { discoveryIn, twoFolders, writeFiles } from "./place-kit.ts";

const GIT = { ".git/HEAD": "ref: refs/heads/main\n" };
const trace = ({ source }: Found): string => `${source.provider} ${source.level}`;
const namesOf = async (discovery: Discovery, kind: ItemKind): Promise<string[]> =>
  (await discovery.of(kind)).active.map(({ name }) => name);
const rule = (text: string): string => `---\ndescription: d\n---\n${text}`;

describe("what wins", () => {
  it("EX-01 of a command in .lathe, .claude and .codex Lathe's own is active, the others are shadowed by it", async () => {
    const folders = await twoFolders(
      {},
      {
        ...GIT,
        ".codex/prompts/fix.md": "codex",
        ".claude/commands/fix.md": "claude",
        ".lathe/commands/fix.md": "lathe",
      },
    );
    const { active, all } = await discoveryIn(folders).of("command");
    expect(active.map(trace)).toEqual(["native project"]);
    expect(all.map((item) => [trace(item), item.shadowedBy?.path])).toEqual([
      ["native project", undefined],
      ["claude project", join(folders.project, ".lathe/commands/fix.md")],
      ["codex project", join(folders.project, ".lathe/commands/fix.md")],
    ]);
    const without = await discoveryIn(folders, { disabledProviders: ["native"] }).of("command");
    expect(without.active.map(trace)).toEqual(["claude project"]);
  });

  it("G-93 of a rule in every place Lathe's own of the project wins, then the user's, then Cursor's of the user, then of the project", async () => {
    const folders = await twoFolders(
      { ".lathe/rules/r.md": rule("user"), ".cursor/rules/r.mdc": rule("cursor user") },
      {
        ...GIT,
        ".lathe/rules/r.mdc": rule("project"),
        ".cursor/rules/r.md": rule("cursor project"),
        ".windsurf/rules/r.md": rule("windsurf"),
        ".clinerules/r.md": rule("cline"),
      },
    );
    const discovery = discoveryIn(folders);
    const winners: string[] = [];
    for (;;) {
      const [first] = (await discovery.of("rule")).active;
      if (!first) break;
      winners.push(first.value.body);
      await rm(first.source.path);
    }
    expect(winners).toEqual(["project", "user", "cursor user", "cursor project", "windsurf", "cline"]);
  });

  it("an item that is ignored leaves its name to the next", async () => {
    const folders = await twoFolders(
      { ".cursor/mcp.json": '{"mcpServers": {"db": {"command": "own"}}}' },
      { ...GIT, ".lathe/mcp.json": '{"mcpServers": {"db": {"command": "theirs"}}}' },
    );
    const { active, all } = await discoveryIn(folders).of("mcp-server");
    expect(active.map(({ value }) => value.command)).toEqual(["own"]);
    expect(all[0]?.ignored).toBe("this folder is not trusted");
  });

  it("EX-01 an item that the settings disable is listed and takes no effect", async () => {
    const folders = await twoFolders({ ".lathe/skills/a/SKILL.md": "x", ".claude/skills/a/SKILL.md": "y" });
    const { all } = await discoveryIn(folders, { disabledItems: ["skill:a"] }).of("skill");
    expect(all.map(({ ignored }) => ignored)).toEqual(["disabled in the settings", "disabled in the settings"]);
  });
});

describe("where is looked", () => {
  it("CF-07 the nearest folder of an agent is found from three levels below it", async () => {
    const folders = await twoFolders({}, { ...GIT, ".claude/agents/a.md": "You are a.", "x/y/z/keep": "" });
    const below = discoveryIn(folders, { cwd: join(folders.project, "x/y/z") });
    expect((await below.of("agent")).all).toMatchObject([{ name: "a", source: { level: "project" } }]);
    await writeFiles(folders.project, { "x/.claude/agents/b.md": "You are b." }, folders);
    expect((await below.of("agent")).all.map(({ name }) => name)).toEqual(["b"]);
  });

  it("EX-02 EX-03 Lathe's own layout: one of each kind is found with its level; an empty .lathe hides none above it", async () => {
    const own = {
      "skills/s/SKILL.md": "---\ndescription: d\n---\ntext",
      "commands/c.md": "text",
      "rules/r.mdc": "text",
      "prompts/p.md": "text",
      "instructions/i.md": "text",
      "agents/a.md": "text",
      "hooks/pre/h.ts": "",
      "hooks/post/h.js": "",
      "tools/t.py": "",
      "tools/u/index.ts": "",
      "extensions/e.ts": "",
      "extensions/f/index.js": "",
      "extensions/g/package.json": '{"pi": {"extensions": ["./main.ts"]}}',
      "extensions/g/main.ts": "",
      "extensions/o/package.json": '{"omp": {"extensions": ["./main.ts"]}}',
      "extensions/o/main.ts": "",
      "extensions/w/gemini-extension.json": '{"name": "w"}',
      "settings.json": "{}",
      "mcp.json": '{"mcpServers": {"m": {"command": "m"}}}',
      "AGENTS.md": "text",
      "SYSTEM.md": "text",
      "ssh.json": '{"hosts": {"box": {"host": "10.0.0.1"}}}',
    };
    const below = (folder: string) =>
      Object.fromEntries(Object.entries(own).map(([path, text]) => [`${folder}/${path}`, text]));
    const folders = await twoFolders(below(".lathe"), { ...GIT, ...below(".lathe"), "sub/.lathe/.keep": "" });
    const listed = async (cwd: string) => {
      const discovery = discoveryIn(folders, { cwd });
      const kinds = [
        "skill",
        "command",
        "rule",
        "prompt",
        "instruction",
        "agent",
        "hook",
        "tool",
        "extension",
        "settings",
        "mcp-server",
        "context-file",
        "system-prompt",
        "plugin",
        "ssh-host",
      ] as const;
      const found = await Promise.all(kinds.map((kind) => discovery.of(kind)));
      return found.flatMap(({ all }) => all).map(({ kind, name, source }) => `${source.level} ${kind} ${name}`);
    };
    const names = [
      "skill s",
      "command c",
      "rule r",
      "prompt p",
      "instruction i",
      "agent a",
      "hook pre:*:h",
      "hook post:*:h",
      "tool t",
      "tool u",
      "extension e",
      "extension f",
      "extension g",
      "extension o",
      "settings settings.json",
      "mcp-server m",
      "context-file AGENTS.md",
      "system-prompt SYSTEM.md",
      "plugin w",
      "ssh-host box",
    ];
    const expected = (levels: (name: string) => string[]): string[] =>
      names.flatMap((name) => levels(name).map((level) => `${level} ${name}`));
    const both = (name: string) => (name === "plugin w" ? ["project", "plugin"] : ["project", "user"]);
    expect((await listed(folders.project)).sort()).toEqual(expected(both).sort());
    // SYSTEM.md is meant for the folder it is in.
    const fromSub = (name: string) => (name === "system-prompt SYSTEM.md" ? ["user"] : both(name));
    expect((await listed(join(folders.project, "sub"))).sort()).toEqual(expected(fromSub).sort());
  });

  it("EX-02 skills are taken from every folder up to the root of the repository, and no further", async () => {
    const folders = await twoFolders(
      {},
      {
        "repo/.git/HEAD": "",
        ".lathe/skills/above/SKILL.md": "x",
        "repo/.lathe/skills/root/SKILL.md": "x",
        "repo/sub/.lathe/skills/sub/SKILL.md": "x",
      },
    );
    expect(await namesOf(discoveryIn(folders, { cwd: join(folders.project, "repo/sub") }), "skill")).toEqual([
      "sub",
      "root",
    ]);
  });

  it("in the home folder the user's files are the user's, and not a project's that would need trust", async () => {
    const folders = await twoFolders({ ...GIT, ".claude/settings.json": '{"hooks": {"Stop": [{"command": "x"}]}}' });
    const { all } = await discoveryIn(folders, { cwd: folders.home }).of("hook");
    expect(all.map((item) => [trace(item), item.ignored])).toEqual([["claude user", undefined]]);
  });

  it("variables put the folders of other agents elsewhere", async () => {
    const folders = await twoFolders({
      "a/commands/one.md": "x",
      "b/prompts/two.md": "x",
      "c/opencode/command/three.md": "x",
    });
    const env = {
      CLAUDE_CONFIG_DIR: `${folders.home}/a`,
      CODEX_HOME: `${folders.home}/b`,
      XDG_CONFIG_HOME: `${folders.home}/c`,
    };
    expect(await namesOf(discoveryIn(folders, { env }), "command")).toEqual(["one", "two", "three"]);
  });

  it("each file of another agent is noticed at the start, also when it is the only one", async () => {
    // The session reads these itself, in every folder on the way.
    const readAnyway = new Set([
      ".git/HEAD",
      "AGENTS.md",
      "CLAUDE.md",
      "GEMINI.md",
      "packages/app/AGENTS.md",
      "docs/guide.md",
    ]);
    const missed: string[] = [];
    for (const [side, files] of [HOME_FILES, PROJECT_FILES].entries())
      for (const [path, text] of Object.entries(files)) {
        if (readAnyway.has(path)) continue;
        const alone = { [path]: text };
        const folders = await (side === 0 ? twoFolders(alone) : twoFolders({}, { ...GIT, ...alone }));
        if (!isAnythingHere(discoveryIn(folders).place)) missed.push(path);
      }
    expect(missed).toEqual([]);
    expect(
      isAnythingHere(
        discoveryIn(await twoFolders({ ".lathe/config.yml": "{}" }, { ...GIT, ".github/workflows/ci.yml": "" })).place,
      ),
    ).toBe(false);
  });
});

describe("bad files", () => {
  it("EX-01 what is wrong is said with file and line, and the rest works", async () => {
    const folders = await twoFolders({
      ".claude.json": '{\n  "mcpServers": {\n    "a": { "args": [] },\n    "b": { "command": "b" }\n  }\n}\n',
      ".gemini/settings.json": '{\n  "mcpServers": { "c": { "command": "c" }\n',
      ".codex/config.toml": 'model = "x"\n[mcp_servers.d\n',
      ".cursor/mcp.json": "[1]",
      ".copilot/mcp-config.json": '{"mcpServers": {"e": {"url": "https://e.example"}}}',
    });
    const { active, warnings } = await discoveryIn(folders).of("mcp-server");
    expect(active.map(({ name }) => name)).toEqual(["b", "e"]);
    expect(warnings.map((warning) => warningLine(warning).replaceAll(`${folders.home}/`, ""))).toEqual([
      '.claude.json:3: MCP server a: it needs a "command" or a "url".',
      expect.stringMatching(/^\.codex\/config\.toml:\d: it is not valid TOML: .+\.$/),
      ".gemini/settings.json:3: it is not valid JSON: close brace expected.",
      ".cursor/mcp.json:1: it must hold one object: { … }.",
    ]);
  });

  it("G-94 broken frontmatter is one warning, and the rule is found with its description", async () => {
    const folders = await twoFolders({
      ".lathe/rules/r.md": "---\ndescription: x\nalwaysApply: true\n\tglobs: [\n---\nText.",
    });
    const { active, warnings } = await discoveryIn(folders).of("rule");
    expect(active[0]?.value).toMatchObject({ frontmatter: { description: "x", alwaysApply: "true" }, body: "Text." });
    expect(warnings).toMatchObject([{ path: join(folders.home, ".lathe/rules/r.md"), line: 4 }]);
  });

  it("hooks without a command, or of a kind that is not supported, are named", async () => {
    const folders = await twoFolders({
      ".claude/settings.json":
        '{\n"hooks": {\n"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}, {"type": "command"}, {"command": "ok"}]}],\n"Start": {}\n}}',
    });
    const { active, all, warnings } = await discoveryIn(folders).of("hook");
    expect(active.map(({ value }) => value)).toEqual([{ event: "Stop", type: "command", command: "ok" }]);
    expect(all.map(({ source, ignored }) => `${source.line} ${ignored}`)).toEqual([
      "3 hooks of the type prompt are not supported",
      "3 it has no command",
      "3 undefined",
    ]);
    expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual(["4 the hooks of Start must be a list"]);
  });

  it("EX-01 a provider that fails is a warning; the others are asked", async () => {
    const folders = await twoFolders({ ".claude/commands/a.md": "x" });
    const { PROVIDERS } = await import("../../src/found/discovery/providers/index.ts");
    const broken: Provider = {
      id: "broken",
      name: "Broken",
      priority: 90,
      loaders: { command: () => Promise.reject(new Error("no luck")) },
    };
    const { active, warnings } = await discoveryIn(folders, { providers: [...PROVIDERS, broken] }).of("command");
    expect(active.map(({ name }) => name)).toEqual(["a"]);
    expect(warnings.map(warningLine)).toEqual(["Broken: its files could not be read: no luck."]);
  });

  it("a pipe, a circle of links and gigabytes keep nobody waiting", async () => {
    const folders = await twoFolders({ ".lathe/commands/ok.md": "x", ".lathe/skills/keep": "" });
    const commands = join(folders.home, ".lathe/commands");
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [join(commands, "pipe.md")]);
    await symlink("circle.md", join(commands, "circle.md"));
    await symlink(join(folders.home, ".lathe/skills"), join(folders.home, ".lathe/skills/loop"));
    await writeFile(join(commands, "big.md"), "x".repeat(2 ** 20 + 1));
    await mkdir(join(commands, "folder.md"));
    const discovery = discoveryIn(folders);
    const { active, warnings } = await discovery.of("command");
    expect(active.map(({ name }) => name)).toEqual(["ok"]);
    expect(warnings.map(({ message }) => message)).toEqual([
      "it cannot be read: it is larger than 1 MB and is ignored",
    ]);
    expect(await namesOf(discovery, "skill")).toEqual([]);
  });
});

describe("what was found is kept until its files change", () => {
  it("EX-01 the same answer again; a changed, added or removed file makes a new one", async () => {
    const folders = await twoFolders({ ".lathe/commands/a.md": "one", ".lathe/skills/s/SKILL.md": "x" });
    const discovery = discoveryIn(folders);
    const first = await discovery.of("command");
    expect(await discovery.of("command")).toBe(first);
    await writeFile(join(folders.home, ".lathe/skills/s/SKILL.md"), "other kinds do not matter");
    expect(await discovery.of("command")).toBe(first);
    const path = join(folders.home, ".lathe/commands/a.md");
    await writeFile(path, "another");
    await utimes(path, 1, 1);
    expect((await discovery.of("command")).active[0]?.value.body).toBe("another");
    await writeFiles(folders.home, { ".claude/commands/b.md": "x" }, folders);
    expect(await namesOf(discovery, "command")).toEqual(["a", "b"]);
    await rm(path);
    expect(await namesOf(discovery, "command")).toEqual(["b"]);
  });
});
