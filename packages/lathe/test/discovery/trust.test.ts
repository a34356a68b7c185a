// What a project contributes before and after it is trusted, and what trust covers.

import { symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { trustFolder } from "../../src/config/trust/trust.ts";
import { Reader } from "../../src/found/discovery/reader.ts";
import { codeFilesOf, NEED_TRUST } from "../../src/found/discovery/trusted-items.ts";
import type { Found, ItemKind } from "../../src/found/discovery/types.ts";
import { PROJECT_FILES } from "./layouts.ts";
import { discoveryIn, type TwoFolders, twoFolders } from "./place-kit.ts";

const GIT = { ".git/HEAD": "ref: refs/heads/main\n" };
const trustFileOf = ({ home }: TwoFolders): string => join(home, ".lathe/trust.json");

describe("a stranger's project", () => {
  it("EX-01 runs nothing before it is trusted: hooks, servers, tools, extensions, plugins and agents are ignored, text is not", async () => {
    const folders = await twoFolders({}, PROJECT_FILES);
    const discovery = discoveryIn(folders);
    for (const kind of NEED_TRUST) expect([kind, (await discovery.of(kind)).active]).toEqual([kind, []]);
    for (const kind of ["skill", "command", "rule", "prompt", "instruction", "context-file"] as const)
      expect((await discovery.of(kind)).all.filter(({ ignored }) => ignored !== undefined)).toEqual([]);
  });

  it("EX-01 trust is in the files as they were: one that changes or is added is ignored again", async () => {
    const folders = await twoFolders(
      {},
      {
        ...GIT,
        ".lathe/extensions/e/index.ts": "1",
        ".lathe/extensions/e/part.ts": "1",
        ".mcp.json": '{"mcpServers": {"a": {"command": "a"}}}',
      },
    );
    const discovery = discoveryIn(folders);
    const states = async () => [
      (await discovery.of("extension")).all[0]?.ignored,
      (await discovery.of("mcp-server")).all[0]?.ignored,
    ];
    const trust = (more: readonly string[]) => trustFolder(trustFileOf(folders), folders.project, new Date(0), more);
    expect(await states()).toEqual(["this folder is not trusted", "this folder is not trusted"]);
    await trust([".lathe/extensions/e/index.ts", ".lathe/extensions/e/part.ts"]);
    expect(await states()).toEqual([undefined, "new or changed since this folder was trusted"]);
    await trust([".lathe/extensions/e/index.ts", ".lathe/extensions/e/part.ts", ".mcp.json"]);
    expect(await states()).toEqual([undefined, undefined]);
    await writeFile(join(folders.project, ".lathe/extensions/e/part.ts"), "two");
    expect(await states()).toEqual(["new or changed since this folder was trusted", undefined]);
  });

  it.each([
    ["./scripts/check.sh --all src/a.ts", ["scripts/check.sh", "scripts/lib.sh", "tools/more.js", "tools/part.ts"]],
    [
      'bash -e "$CLAUDE_PROJECT_DIR"/scripts/check.sh',
      ["scripts/check.sh", "scripts/lib.sh", "tools/more.js", "tools/part.ts"],
    ],
    ["FOO=1 timeout 5 node --import ./tools/part.ts tools/more.js src/a.ts", ["tools/part.ts", "tools/more.js"]],
    ['node "$(git rev-parse --show-toplevel)/tools/more.js"', ["tools/more.js", "tools/part.ts"]],
    ["cd tools && node more.js", ["tools/more.js", "tools/part.ts"]],
    ["cat src/a.ts | python3 tools/run.py", ["tools/run.py", "tools/helper.py"]],
    ["prettier --check src/a.ts", []],
  ])("trust in the hook %s covers what it starts and imports, not what it reads", async (command, started) => {
    const hooks = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } };
    const files = {
      ".claude/settings.json": JSON.stringify(hooks),
      "scripts/check.sh": '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\ngrep x src/a.ts',
      "scripts/lib.sh": "exec node ./tools/more.js",
      "tools/more.js": 'const { a } = require("./part");',
      "tools/part.ts": "export const a = 1;",
      "tools/run.py": "import os\nfrom helper import x\n",
      "tools/helper.py": "x = 1",
      "src/a.ts": "1",
    };
    const folders = await twoFolders({}, { ...GIT, ...files });
    const discovery = discoveryIn(folders);
    const state = async () => (await discovery.of("hook")).all[0]?.ignored;
    const trust = (more: readonly string[]) => trustFolder(trustFileOf(folders), folders.project, new Date(0), more);
    const defined = ".claude/settings.json";
    const [item] = (await discovery.of("hook")).all;
    const covered = codeFilesOf(item as Found, discovery.place, new Reader());
    expect(covered.map((path) => relative(folders.project, path)).sort()).toEqual([defined, ...started].sort());
    await trust([defined, ...started]);
    expect(await state()).toBe(undefined);
    for (const name of started) {
      await writeFile(join(folders.project, name), `${Object(files)[name]}\n`);
      expect([name, await state()]).toEqual([name, "new or changed since this folder was trusted"]);
      await trust([defined, ...started]);
    }
    await writeFile(join(folders.project, "src/a.ts"), "other");
    expect(await state()).toBe(undefined);
  });

  it("trust in a server, a tool and an extension covers what they start and import", async () => {
    const server = { mcpServers: { s: { command: "node", args: ["--no-warnings", "tools/server.mjs", "src/a.ts"] } } };
    const folders = await twoFolders(
      {},
      {
        ...GIT,
        ".mcp.json": JSON.stringify(server),
        ".lathe/tools/t.ts": 'import { a } from "../../lib/a.js";',
        ".lathe/extensions/e/index.ts": 'export * from "../../../lib/b.ts";\nimport "node:fs";',
        "tools/server.mjs": 'await import("../lib/b.ts");',
        "lib/a.ts": 'import "./c";',
        "lib/b.ts": "",
        "lib/c/index.ts": "",
        "src/a.ts": "",
      },
    );
    const discovery = discoveryIn(folders);
    const covered = async (kind: ItemKind) =>
      (await discovery.of(kind)).all.flatMap((item) =>
        codeFilesOf(item, discovery.place, new Reader()).map((path) => relative(folders.project, path)),
      );
    expect(await covered("mcp-server")).toEqual([".mcp.json", "tools/server.mjs", "lib/b.ts"]);
    expect(await covered("tool")).toEqual([".lathe/tools/t.ts", "lib/a.ts", "lib/c/index.ts"]);
    expect(await covered("extension")).toEqual([".lathe/extensions/e/index.ts", "lib/b.ts"]);
  });

  it("its links do not bring in files from outside the repository", async () => {
    const folders = await twoFolders({ "secret.md": "private" }, { ...GIT, ".lathe/commands/own.md": "x" });
    const commands = join(folders.project, ".lathe/commands");
    await symlink(join(folders.home, "secret.md"), join(commands, "leak.md"));
    await symlink("own.md", join(commands, "inside.md"));
    const { active, warnings } = await discoveryIn(folders).of("command");
    expect(active.map(({ name }) => name)).toEqual(["inside", "own"]);
    expect(warnings.map(({ message }) => message)).toEqual([
      "the link leads outside the repository and is not followed",
    ]);
  });
});
