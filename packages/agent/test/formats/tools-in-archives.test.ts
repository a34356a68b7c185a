// The tools on members of archives: what every read and edit promises for a file holds for a member.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { builtinFormats } from "../../src/files/formats/index.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import { judge } from "../../src/policy/permissions/judge.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { hashlineEditTool } from "../../src/tools/builtin/hashline/index.ts";
import { readTool } from "../../src/tools/builtin/read/index.ts";
import { searchTool } from "../../src/tools/builtin/search/index.ts";
import { writeTool } from "../../src/tools/builtin/write/index.ts";
import { type Bench, toolBench } from "../call-tool.ts";
import { has } from "../programs.ts";

const parser = new Parser();
afterAll(() => parser.close());

let bench: Bench;
const run = (command: string): string => execFileSync("bash", ["-c", command], { cwd: bench.dir, encoding: "utf8" });
const read = (path: string) => bench.text(readTool, { path });

beforeEach(async () => {
  bench = await toolBench();
  bench.services.formats = builtinFormats;
  bench.services.parser = parser;
});
afterEach(() => bench.close());

describe.skipIf(!has("zip", "unzip", "tar"))("tools on members of archives", () => {
  beforeEach(() => {
    run(
      "mkdir -p src && seq 1 40 > src/x.c && echo other > src/other && tar czf t.tgz src && zip -qr t.zip src && tar cf t.tar src",
    );
  });

  it.each(["t.tgz", "t.zip", "t.tar"])("T-READ-5 read %s:src/x.c:2-3 shows what sed shows", async (archive) => {
    const shown = await read(`${archive}:src/x.c:2-3`);
    expect(shown).toMatch(new RegExp(`^¶${archive}:src/x.c#[0-9A-F]{4}`));
    expect(shown).toContain(run("sed -n '2,3{=;p}' src/x.c | paste -d: - -").trim());
    expect(await read(archive)).toContain("src/  2 files, 117 B");
    expect(await read(`${archive}:src`)).toBe("other  6 B\nx.c  111 B");
  });

  it.each(["t.tgz", "t.zip", "t.tar"])(
    "T-WRITE-2 %s: every edit dialect changes a member, the others keep their bytes",
    async (archive) => {
      const member = `${archive}:src/x.c`;
      const content = () => run(archive === "t.zip" ? "unzip -p t.zip src/x.c" : `tar xOf ${archive} src/x.c`);
      const lines = run("cat src/x.c");
      const tag = /#([0-9A-F]{4})/.exec(await read(member))?.[1];
      await bench.text(hashlineEditTool, { input: `¶${member}#${tag}\nreplace 2..2:\n+second\n` });
      expect(content()).toBe(lines.replace("\n2\n", "\nsecond\n"));
      await bench.text(editFileTool, { file_path: member, old_string: "second\n3\n", new_string: "2\n" });
      expect(content()).toBe(lines.replace("\n3\n", "\n"));
      const patch = `*** Begin Patch\n*** Update File: ${member}\n@@\n 2\n+3\n 4\n*** Add File: ${archive}:new/file\n+new\n*** Delete File: ${archive}:src/other\n*** End Patch`;
      const { changes } = await bench.call(applyPatchTool, { patch });
      expect(content()).toBe(lines);
      // One file changed on disk, and a rewind restores it.
      expect([...new Set(changes?.map(({ path }) => path))]).toEqual([join(bench.dir, archive)]);
      expect(await read(archive)).toBe("new/  1 file, 4 B\nsrc/  1 file, 111 B");
      const written = await bench.text(writeTool, { path: `${archive}:src/x.c`, content: "whole\n" });
      expect(written).toContain(`${archive}:src/x.c`);
      expect(content()).toBe("whole\n");
    },
  );

  it("T-WRITE-2 a member that changed on disk since it was shown is not overwritten", async () => {
    await read("t.zip:src/x.c");
    run("sed -i 's/^20$/twenty/' src/x.c && zip -q t.zip src/x.c");
    await bench.text(editFileTool, { file_path: "t.zip:src/x.c", old_string: "\n2\n", new_string: "\ntwo\n" });
    expect(run("unzip -p t.zip src/x.c")).toBe(run("sed 's/^2$/two/' src/x.c"));
    await read("t.zip:src/x.c");
    run("sed -i 's/^30$/thirty/' src/x.c && zip -q t.zip src/x.c");
    const stale = bench.text(editFileTool, { file_path: "t.zip:src/x.c", old_string: "29\n30\n", new_string: "x\n" });
    await expect(stale).rejects.toThrow("has changed on disk since it was last shown");
    expect(run("unzip -p t.zip src/x.c")).toBe(run("cat src/x.c"));
  });

  it("G-84 a new archive in a new directory is created; what leads out of it writes nothing", async () => {
    await bench.text(writeTool, { path: "deep/down/new.tgz:x/y.txt", content: "content\n" });
    expect(run("tar xzOf deep/down/new.tgz x/y.txt")).toBe("content\n");
    const old = readFileSync(join(bench.dir, "t.zip"));
    const refused = (path: string) =>
      bench.text(writeTool, { path, content: "x" }).catch((error: Error) => error.message);
    expect(await refused("t.zip:../x")).toContain("Archive path cannot contain '..'");
    expect(await refused("t.zip:src/")).toContain("Archive write path must target a file, not a directory");
    expect(await refused("t.zip:")).toContain("Archive write path must target a file inside the archive");
    expect(await refused("t.zip:/x")).toContain("Archive path cannot be absolute");
    expect(await refused("no.zip:../x")).toContain("Archive path cannot contain '..'");
    expect(readFileSync(join(bench.dir, "t.zip")).equals(old)).toBe(true);
    expect([existsSync(join(bench.dir, "x")), existsSync(join(bench.dir, "no.zip"))]).toEqual([false, false]);
  });

  it.each(["k.tgz", "k.zip", "k.tar"])("members of %s that hold keys are judged by their names", async (archive) => {
    run("echo A=1 > .env && echo k > src/server.pem && tar czf k.tgz .env src && tar cf k.tar .env src");
    run("zip -qr k.zip .env src");
    const { signal } = new AbortController();
    const judged = async (tool: ToolDef<never>, args: object) => {
      const scope = { env: bench.env, services: bench.services, signal, paths: new CallPaths(bench.env, signal) };
      const places = { roots: [bench.dir], userHome: "/home/me", latheHome: "/home/me/.lathe" };
      const call = {
        tool: tool.name,
        tier: "read" as const,
        access: (await tool.access?.(args as never, scope)) ?? [],
      };
      return judge(call, { mode: "auto-edit", rules: [], places }).decision;
    };
    const reading = async (path: string) => await judged(readTool, { path });
    expect(await reading(`${archive}:.env`)).toBe("ask");
    expect(await reading(`${archive}:./.env:raw`)).toBe("ask");
    expect(await reading(`${archive}:src/server.pem:1-5`)).toBe("ask");
    expect(await reading(`${archive}:src/x.c`)).toBe("allow");
    expect(await reading(archive)).toBe("allow");
    expect(await judged(editFileTool, { file_path: `${archive}:.env`, old_string: "A", new_string: "B" })).toBe("ask");
    const searching = async (path: string) => await judged(searchTool, { pattern: "A", paths: [path] });
    expect(await searching(archive)).toBe("ask");
    expect(await searching(`${archive}:src`)).toBe("ask");
    expect(await searching(`${archive}:src/x.c`)).toBe("allow");
    expect(await searching(`t.${archive.slice(2)}`)).toBe("allow");
  });

  it("T-WRITE-2 what is judged is the archive", async () => {
    const { signal } = new AbortController();
    const scope = { env: bench.env, services: bench.services, signal, paths: new CallPaths(bench.env, signal) };
    const args = { path: "t.zip:src/x.c", content: "x\n" };
    expect(await writeTool.access?.(args, scope)).toEqual([{ kind: "write", path: join(bench.dir, "t.zip") }]);
    const preview = await writeTool.preview?.(args, scope);
    expect(preview?.lines.map(({ text }) => text)).toContain("change t.zip:src/x.c");
  });
});
