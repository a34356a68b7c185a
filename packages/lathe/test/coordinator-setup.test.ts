// `lathe setup coordinator`: prints the entry with which a bot starts the coordinator, or writes it to the bot's
// profile.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../src/cli/main.ts";
import { type Finished, type Sandbox, sandbox } from "./command.ts";
import { machineOf, Text } from "./machine.ts";

let box: Sandbox;
let profile: string;
let config: string;
beforeEach(async () => {
  box = await sandbox();
  profile = join(box.home, "bot");
  config = join(profile, "config.yaml");
  mkdirSync(profile);
});
afterEach(() => box.remove());

const setup = (...args: string[]): Promise<Finished> => box.run(["setup", "coordinator", "--root", ".", ...args]);
const install = (...args: string[]): Promise<Finished> => setup("--profile-dir", profile, "--install", ...args);

interface Entry {
  command: string;
  args: string[];
  env: Record<string, string>;
  enabled: boolean;
}
const entryIn = (text: string): Entry => parse(text, { version: "1.1" }).mcp_servers.lathe_coordinator;

/** Every file below the sandbox with its times. */
function everything(): string[] {
  const names = [box.dir, box.home].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name)),
  );
  return names.filter((path) => !path.includes("/cache")).map((path) => `${path} ${statSync(path).mtimeMs}`);
}

describe("lathe setup coordinator", () => {
  it("G-16 rendered twice: the same bytes, and no file is written", async () => {
    const before = everything();
    const args = ["--profile", "my-bot", "--repo", "shop", "--mutation", "reports,sessions"];
    const first = await setup(...args);
    const alias = await box.run(["setup", "hermes", "--root", box.dir, ...args]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(alias).toEqual(first);
    expect(everything()).toEqual(before);
    const entry = entryIn(first.stdout);
    expect(entry).toMatchObject({ command: "lathe", args: ["mcp-serve", "coordinator"], enabled: true });
    expect(entry.env).toMatchObject({
      LATHE_COORDINATOR_MCP_WORKDIR_ROOTS: box.dir,
      LATHE_COORDINATOR_MCP_SESSION_COMMAND: "lathe --worktree",
      LATHE_COORDINATOR_MCP_MUTATIONS: "sessions,reports",
      LATHE_COORDINATOR_MCP_PROFILE: "my-bot",
      LATHE_COORDINATOR_MCP_REPO: "shop",
      LATHE_COORDINATOR_MCP_SETUP_MANAGED_BY: "lathe-setup-coordinator",
      LATHE_COORDINATOR_MCP_SETUP_SCHEMA_VERSION: "1",
      LATHE_COORDINATOR_MCP_SETUP_SIGNATURE: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const json = await setup(...args, "--json");
    expect(JSON.parse(json.stdout)).toEqual({ mcp_servers: { lathe_coordinator: entry } });
  });

  it("G-16 G-20 without --mutation the bot can only read; the server understands what was rendered", async () => {
    const { env } = entryIn((await setup()).stdout);
    expect(Object.keys(env).filter((name) => /MUTATIONS|PROFILE|REPO|MODEL/.test(name))).toEqual([]);
    const check = await box.run(["mcp-serve", "coordinator", "--check", "--json"], { env });
    expect(JSON.parse(check.stdout)).toMatchObject({
      ok: true,
      server: { name: "lathe-coordinator-mcp" },
      allowed: { roots: [box.dir], mutations: [], session_command: true },
    });
  });

  it("G-16 who starts the server at a terminal is told what it waits for; a bot is told nothing", async () => {
    for (const isTTY of [true, false]) {
      const stdin = Object.assign(new PassThrough(), { isTTY });
      const [stdout, stderr] = [new Text(), new Text()];
      stdin.end();
      const machine = machineOf({ cwd: box.dir, env: box.env }, stdin, stdout, stderr);
      expect(await runCommand(["mcp-serve", "coordinator"], machine)).toBe(0);
      expect([stdout.text, stderr.text]).toEqual([
        "",
        isTTY ? expect.stringMatching(/^lathe: This waits for a bot.*\n$/) : "",
      ]);
    }
  });

  it("G-16 --worktree-name names the copy; --session-command is kept word for word", async () => {
    const named = entryIn((await setup("--worktree-name", "bot-1")).stdout);
    expect(named.env["LATHE_COORDINATOR_MCP_SESSION_COMMAND"]).toBe("lathe --worktree bot-1");
    const command = "  my-lathe  --model 'a/b c' --worktree  ";
    const own = entryIn((await setup("--session-command", command)).stdout);
    expect(own.env["LATHE_COORDINATOR_MCP_SESSION_COMMAND"]).toBe(command);
  });

  it("G-16 installed, and installed again: no difference; what else the file holds stays", async () => {
    const text = '# mine\nmodel: "x" # a comment\non_start: yes\nmcp_servers:\n  other: { command: npx, args: [-y] }\n';
    writeFileSync(config, text);
    const first = await install("--mutation", "all");
    expect(first).toMatchObject({ code: 0, stdout: `Added the entry lathe_coordinator to ${config}.\n` });
    const written = readFileSync(config, "utf8");
    const at = written.indexOf("  lathe_coordinator:\n");
    expect(written.slice(0, at) + written.slice(written.indexOf("  other:"))).toBe(text);
    expect(entryIn(written)).toEqual(entryIn((await setup("--mutation", "all")).stdout));
    const { mtimeMs, ino } = statSync(config);
    const again = await install("--mutation", "all");
    expect(again).toMatchObject({ code: 0, stdout: `${config} has this entry already.\n` });
    expect(readFileSync(config, "utf8")).toBe(written);
    expect(statSync(config)).toMatchObject({ mtimeMs, ino });
    const other = await install("--mutation", "reports");
    expect(other).toMatchObject({ code: 0, stdout: `Updated the entry lathe_coordinator in ${config}.\n` });
    const updated = readFileSync(config, "utf8");
    expect(entryIn(updated).env["LATHE_COORDINATOR_MCP_MUTATIONS"]).toBe("reports");
    expect(updated.slice(0, at) + updated.slice(updated.indexOf("  other:"))).toBe(text);
  });

  it.each([
    "",
    "mcp_servers:\n",
    "# nothing yet\n",
    "mcp_servers: {}\nmodel: x",
    "mcp_servers: { other: { command: npx } }\n",
    "model: x\nmcp_servers:\n      # of mine\n      other:\n          command: npx\n\n# the end",
    "mcp_servers:\r\n  other:\r\n    command: npx\r\n",
  ])("G-16 installed into %j, and changed there; what else it says stays", async (text) => {
    writeFileSync(config, text);
    for (const kind of ["sessions", "reports"]) {
      expect(await install("--mutation", kind)).toMatchObject({ code: 0, stderr: "" });
      const { mcp_servers, ...rest } = parse(readFileSync(config, "utf8"));
      const { lathe_coordinator, ...others } = mcp_servers;
      expect(lathe_coordinator).toEqual(entryIn((await setup("--mutation", kind)).stdout));
      const { mcp_servers: before, ...restBefore } = parse(text) ?? {};
      expect([others, rest]).toEqual([before ?? {}, restBefore]);
      expect(readFileSync(config, "utf8").match(/#.*/g)).toEqual(text.match(/#.*/g));
    }
  });

  it.each(["\n", "\r\n"])(
    "G-16 an update keeps comments in the entry, before it and after it (line end %j)",
    async (eol) => {
      const text = `mcp_servers:${eol}  # of the servers${eol}  other: { command: npx } # npx${eol}`;
      writeFileSync(config, text);
      expect(await install("--mutation", "sessions")).toMatchObject({ code: 0 });
      const commented = readFileSync(config, "utf8")
        .replace("lathe_coordinator:", "$& # for the bot")
        .replace(/( +)enabled: true/, `$1# switched on by Ada${eol}$& # since May`)
        .replace(/ +LATHE_COORDINATOR_MCP_MUTATIONS: ".*"/, `$& # not more${eol}${eol}      # the state`)
        .replace(/ +other:/, `    # its last line${eol}${eol}  # of the other${eol}$&`);
      writeFileSync(config, commented);
      const comments = (yaml: string): string[] => (yaml.match(/#.*/g) ?? []).map((one) => one.trim());
      expect(comments(commented)).toHaveLength(9);
      const updated = await install("--mutation", "reports");
      expect(updated).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Updated the entry") });
      const written = readFileSync(config, "utf8");
      expect(comments(written)).toEqual(comments(commented));
      expect(written).toMatch(/enabled: true # since May\r?\n/);
      expect(written).toMatch(/LATHE_COORDINATOR_MCP_MUTATIONS: "reports" # not more/);
      expect(written.replaceAll(eol, "")).not.toMatch(/[\r\n]/);
      expect(entryIn(written)).toEqual(entryIn((await setup("--mutation", "reports")).stdout));
      expect(await install("--mutation", "reports")).toMatchObject({ stdout: expect.stringContaining("already") });
    },
  );

  const EXACT = "guild: 1234567890123456789\nbig: 1e400\nhex: 0x1F\nfolded: >-\n  a\n  b\n";
  it.each([
    `mcp_servers: {}\n${EXACT}`,
    `${EXACT}mcp_servers: {} # none`,
    `${EXACT}mcp_servers: { # one\n  other: { command: npx, port: 0x1F },\n}\n`,
    `${EXACT}mcp_servers: # none yet\nmore: yes\n`,
    `a: &b\n  x: 1\n${EXACT}"mcp_servers":\n  other: *b\n`,
    `${EXACT.replaceAll("\n", "\r\n")}mcp_servers:\r\nmore: on\r\n`,
    `\uFEFFmcp_servers: {}\r\n${EXACT}`,
    "  model: 0x1F\n  mcp_servers:\n",
    "  model: 0x1F",
    "{ model: 0x1F, mcp_servers: {} }\n",
  ])("G-16 installed into %j: every other byte stays, and so does the mode", async (text) => {
    writeFileSync(config, text);
    chmodSync(config, 0o640);
    let entry = "";
    for (const kind of ["sessions", "reports"]) {
      expect(await install("--mutation", kind)).toMatchObject({ code: 0, stderr: "" });
      const written = readFileSync(config, "utf8");
      expect(entryIn(written)).toEqual(entryIn((await setup("--mutation", kind)).stdout));
      let same = 0;
      while (same < text.length && text[same] === written[same]) same++;
      expect(written.endsWith(text.slice(same))).toBe(true);
      expect(/\r\n/.test(text) && /[^\r]\n/.test(written.slice(same, written.length - text.length + same))).toBe(false);
      expect(statSync(config).mode & 0o777).toBe(0o640);
      expect(written).not.toBe(entry);
      entry = written;
    }
  });

  it.each([
    ["an alias", "base: &b\n  other: { command: npx }\nmcp_servers: *b\n", 1, "by hand"],
    ["an anchor that others use", "mcp_servers: &b\n  other: { command: npx }\nmore: *b\n", 1, "by hand"],
    ["what is merged", "base: &b\n  mcp_servers: {}\n<<: *b\n", 1, "by hand"],
    ["an end of the document", "model: x\n...\n", 1, "by hand"],
    ["no UTF-8", Buffer.from("name: caf\xe9\nmcp_servers: {}\n", "latin1"), 2, "UTF-8"],
  ])("G-16 %s: refused in one line, and the file is untouched", async (_what, text, code, words) => {
    writeFileSync(config, text);
    const { mtimeMs } = statSync(config);
    const { stderr, ...rest } = await install();
    expect(rest).toEqual({ code, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(config)).toEqual(Buffer.from(text));
    expect(statSync(config).mtimeMs).toBe(mtimeMs);
  });

  it.each([
    ["a root more", (text: string) => text.replace("WORKDIR_ROOTS: ", "WORKDIR_ROOTS: /:").replace('/:"', '"/:')],
    ["turned off", (text: string) => text.replace("enabled: true", "enabled: false")],
    ["another command", (text: string) => text.replace('command: "lathe"', 'command: "/opt/lathe"')],
    ["a variable more", (text: string) => text.replace("env:\n", "env:\n      MORE: x\n")],
    ["no mark", (text: string) => text.replace(/ +LATHE_COORDINATOR_MCP_SETUP_MANAGED_BY.*\n/, "")],
    ["none of ours", () => "mcp_servers:\n  lathe_coordinator: { command: mine }\n"],
    ["no mapping", () => "mcp_servers:\n  lathe_coordinator: later\n"],
  ])("G-16 changed by hand (%s): a conflict, and the file is untouched", async (_what, edit) => {
    await install();
    expect(statSync(config).mode & 0o777).toBe(0o600);
    const original = readFileSync(config, "utf8");
    const edited = edit(original);
    expect(edited).not.toBe(original);
    writeFileSync(config, edited);
    const again = await install("--mutation", "all");
    expect(again).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("changed by hand") });
    expect(again.stderr.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(config, "utf8")).toBe(edited);
  });

  it("G-16 --smoke checks the contract: no server is started, no file is written, no key is needed", async () => {
    const before = everything();
    expect(await setup("--smoke")).toEqual({
      ...{ code: 0, stdout: "lathe-coordinator-mcp: 15 tools, ready.\n", stderr: "" },
    });
    const { stdout } = await setup("--smoke", "--json", "--repo", "shop");
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, namespace: { profile: "default", repo: "shop" } });
    expect(everything()).toEqual(before);
  });

  it.each([
    [["--mutation", "sessions,everything"], /--mutation knows sessions, questions, reports and all\. Not "everything"/],
    [["--mutation", ","], /--mutation takes sessions, questions, reports or all/],
    [["--profile", "../x"], /--profile is a name of letters/],
    [["--repo", "a/b"], /--repo is a name of letters/],
    [["--root", "nosuch"], /--root takes a folder\. There is none at .*nosuch/],
    [["--root", "a:b"], /cannot be allowed, because/],
    [["--worktree-name", "a b"], /--worktree-name is a name/],
    [["--worktree-name", "a", "--session-command", "lathe"], /not both/],
    [["--session-command", 'lathe "x'], /--session-command has a quote without an end/],
    [["--session-command", " "], /--session-command is a command/],
    [["--install"], /--install and --profile-dir <dir> go together/],
    [["--profile-dir", "bot"], /--install and --profile-dir <dir> go together/],
    [["--install", "--profile-dir", "nosuch"], /There is no folder .*nosuch/],
    [["--what"], /Unknown option '--what'/],
    [["more"], /Use: lathe setup coordinator --root <dir>/],
  ])("G-16 %j is refused in one line", async (args, message) => {
    mkdirSync(join(box.dir, "a:b"));
    const { code, stdout, stderr } = await setup(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(config)).toBe(false);
  });

  it("G-16 a file that is no YAML is told with its line and stays; one behind a link is changed where it is", async () => {
    writeFileSync(config, "a: 1\nb: [\n");
    expect(await install()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/config\.yaml:\d+: not valid YAML/),
    });
    expect(readFileSync(config, "utf8")).toBe("a: 1\nb: [\n");
    const kept = join(box.home, "kept.yaml");
    writeFileSync(kept, "a: 1\n");
    const linked = join(box.home, "linked");
    mkdirSync(linked);
    symlinkSync(kept, join(linked, "config.yaml"));
    expect(await setup("--profile-dir", linked, "--install")).toMatchObject({ code: 0 });
    expect(entryIn(readFileSync(kept, "utf8")).enabled).toBe(true);
  });
});
