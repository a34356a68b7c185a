// The /tmp of a sandbox: private, the same for commands, file tools and searches, and no way to put any of it outside.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

describe.skipIf(!CAN_CONFINE)(`the /tmp of a sandbox ${NEEDS}`, () => {
  let cell: Cell | undefined;
  const folders: string[] = [];
  const folder = (prefix: string): string => {
    const made = realpathSync(mkdtempSync(prefix));
    folders.push(made);
    return made;
  };
  afterEach(async () => {
    await cell?.dispose();
    cell = undefined;
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
  });

  it("G a script that a file tool wrote to /tmp runs there, and what commands leave there can be read, also through links", async () => {
    cell = makeCell({ search: "builtin" });
    const { env, run, root } = cell;
    await env.writeFile("/tmp/made/hello.sh", "echo hello from $PWD");
    expect((await run("sh /tmp/made/hello.sh")).stdout).toBe(`hello from ${root}\n`);
    expect((await env.execCommand("sh hello.sh", 20_000, { cwd: "/tmp/made" })).stdout).toBe("hello from /tmp/made\n");
    await run(
      "echo out > /tmp/out; ln -s /tmp/out /tmp/link; ln -s /tmp into; mkdir /var/tmp/d; echo x > /var/tmp/d/f",
    );
    for (const path of ["/tmp/out", "/tmp/link", "into/out", "into/link"])
      expect(await env.readFile(path)).toBe("out\n");
    expect(await env.stat("into/link")).toMatchObject({ realPath: "/tmp/out", isSymlink: true, kind: "file" });
    expect((await env.listDirectory("/tmp", 1)).map(({ name }) => name).sort()).toEqual(["link", "made", "out"]);
    await env.writeFile("into/link", "again");
    await env.moveFile("/tmp/out", "/var/tmp/d/moved");
    await env.deleteFile("/tmp/made/hello.sh");
    expect((await run("cat /var/tmp/d/moved; ls /tmp/made; ls -l /tmp/link | wc -l")).stdout).toBe("again1\n");
    expect(existsSync("/tmp/made")).toBe(false);
  });

  it.each(["", "deep/down"])("G a project below /tmp (%s) is what file tools and commands see", async (below) => {
    const root = join(folder("/tmp/lathe-below-"), below);
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "a"), "of the project");
    cell = makeCell({ cwd: root, roots: () => [root] });
    const { env, run } = cell;
    expect(await env.stat(root)).toMatchObject({ kind: "directory", realPath: root });
    expect((await env.listDirectory(root, 1)).map(({ name }) => name)).toContain("a");
    expect((await run("cat a")).stdout).toBe("of the project");
    // We do not claim to have written what commands would not find.
    const beside = join(dirname(root), "beside");
    const made = env.writeFile(beside, "x");
    if (below === "") await made;
    else await expect(made).rejects.toMatchObject({ code: "not_permitted" });
    expect((await run(`cat ${beside}`)).stdout).toBe(below === "" ? "x" : "");
  });

  it("G file tools neither see the machine's /tmp nor write to what holds the sandbox", async () => {
    cell = makeCell();
    const { env, run } = cell;
    const host = folder("/tmp/lathe-host-");
    writeFileSync(join(host, "seen"), "of the host");
    expect(await env.fileExists(join(host, "seen"))).toBe(false);
    await expect(env.readFile(join(host, "seen"))).rejects.toMatchObject({
      code: "not_found",
      path: join(host, "seen"),
      message: expect.not.stringContaining("lathe-sandbox-"),
    });
    await env.writeFile(join(host, "new"), "x");
    expect(readdirSync(host)).toEqual(["seen"]);
    expect((await run(`cat ${join(host, "new")}`)).stdout).toBe("x");
    const holder = folder("/tmp/lathe-holder-");
    await cell.dispose();
    cell = makeCell({ tempFolder: holder });
    await cell.run("true");
    const [own = ""] = readdirSync(holder);
    for (const path of ["empty", "nothing/x", "x"])
      await expect(cell.env.writeFile(join(holder, own, path), "bad")).rejects.toMatchObject({ code: "not_permitted" });
  });

  it("a working directory that the sandbox does not show is named, not a missing program", async () => {
    cell = makeCell();
    const host = folder("/tmp/lathe-host-");
    await expect(cell.env.execCommand("pwd", 20_000, { cwd: host })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining(`The sandbox does not show the directory ${host}.`),
    });
  });

  it.each(["ripgrep", "builtin"] as const)("G a search with %s finds what commands left in /tmp", async (search) => {
    cell = makeCell({ search });
    await cell.run("mkdir -p /tmp/tree/sub; echo needle > /tmp/tree/sub/a.txt; echo needle > /tmp/tree/b.txt");
    expect((await cell.env.grep("needle", "/tmp/tree", {})).lines.toSorted()).toEqual([
      "/tmp/tree/b.txt:1:needle",
      "/tmp/tree/sub/a.txt:1:needle",
    ]);
    expect((await cell.env.glob("**/*.txt", "/tmp/tree")).paths.toSorted()).toEqual([
      "/tmp/tree/b.txt",
      "/tmp/tree/sub/a.txt",
    ]);
  });

  it("G searches work when Lathe itself is installed below /tmp", async () => {
    const installed = folder("/tmp/lathe-installed-");
    const packages = dirname(dirname(dirname(rgPath)));
    cpSync(packages, join(installed, "node_modules/@vscode"), { recursive: true, dereference: true });
    const project = folder("/var/lib/lathe-project-");
    writeFileSync(join(project, "a.txt"), "needle\n");
    const script = `
      import { SandboxedLocalEnvironment } from "./packages/agent/src/world/env/sandbox/sandboxed-local.ts";
      const cwd = process.argv[2];
      const env = new SandboxedLocalEnvironment({ cwd, baseEnv: process.env, roots: () => [cwd], home: cwd, search: "ripgrep" });
      await env.execCommand("rm -rf /tmp/* ; ln -s /etc " + process.argv[3], 20_000, {});
      console.log((await env.grep("needle", ".", {})).lines.join());
      await env.cleanup();`;
    await build({
      stdin: { contents: script, resolveDir: process.cwd(), loader: "ts" },
      outfile: join(installed, "host.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["@vscode/ripgrep"],
      conditions: ["lathe-source"],
    });
    const printed = execFileSync(process.execPath, [join(installed, "host.mjs"), project, installed], {
      timeout: 180_000,
    });
    expect(printed.toString()).toBe("a.txt:1:needle\n");
  });

  it("G a link that a command leaves in /tmp, on the way to a root, makes nothing outside", async () => {
    const above = folder("/tmp/lathe-above-");
    const root = join(above, "deep/work");
    mkdirSync(root, { recursive: true });
    cell = makeCell({ roots: () => [root], cwd: root });
    const { run, outside } = cell;
    await run(`mv ${above} /tmp/z; rm -rf ${above}; ln -s /oldroot${outside} ${above}; ls -A /tmp`);
    await run("echo made > made.txt");
    expect(readdirSync(outside)).toEqual(["kept"]);
    expect(readdirSync(root)).toEqual(["made.txt"]);
    expect((await run(`touch ${above}/beside`)).exitCode).not.toBe(0);
  });
});

describe.skipIf(!CAN_CONFINE)(`folders above what a sandbox protects ${NEEDS}`, () => {
  let cell: Cell;
  afterEach(() => cell?.dispose());

  it("G a hidden file stays hidden when a command renames the folders above it", async () => {
    const root = realpathSync(mkdtempSync("/var/lib/lathe-hidden-"));
    const key = join(root, "config/prod/key");
    mkdirSync(dirname(key), { recursive: true });
    writeFileSync(key, "TOP-SECRET");
    cell = makeCell({ cwd: root, roots: () => [root], hidden: [key] });
    await cell.run("mv config/prod config/other; mv config moved; mv config/prod/key x; ln config/prod/key y");
    const { output } = await cell.run("grep -rs TOP-SECRET . ; cat config/prod/key; echo looked");
    rmSync(root, { recursive: true });
    expect(output).toBe("looked\n");
  });

  it("G start-up files in the home stay as they are when the home is a root and a command renames folders", async () => {
    const roots: string[] = [];
    cell = makeCell({ roots: () => roots });
    roots.push(cell.home);
    const fish = join(cell.home, ".config/fish");
    mkdirSync(fish);
    const attack = 'cd "$H" && mv .config .other; mkdir -p .config/fish && echo bad > .config/fish/config.fish';
    expect((await cell.run(attack, { H: cell.home })).exitCode).not.toBe(0);
    expect(readdirSync(fish)).toEqual([]);
    expect((await cell.run('grep -rs TOP-SECRET "$H"', { H: cell.home })).output).toBe("");
  });

  it("G a root inside of another stays where it was, whatever link a command puts in its place", async () => {
    const roots: string[] = [];
    cell = makeCell({ roots: () => roots });
    const inner = join(cell.root, "a/inner");
    mkdirSync(inner, { recursive: true });
    mkdirSync(join(cell.outside, "inner"));
    roots.push(cell.root, inner);
    await cell.run("true");
    await cell.run('mv a b; ln -s "$OUT" a', { OUT: cell.outside });
    await cell.run(`echo bad > ${inner}/new`);
    expect(readdirSync(join(cell.outside, "inner"))).toEqual([]);
  });
});
