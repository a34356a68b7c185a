// Extensions, custom tools and module hooks in runs of the built command.

import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

let at: ExtensionBox;
beforeEach(async () => {
  at = await extensionBox();
});
afterEach(() => at.remove());

const SAFETY = `
import type { ExtensionApi } from "lathe/extension";
export default function (lathe: ExtensionApi) {
  lathe.on("tool_call", (event) => {
    const command = String(event.input.command ?? "");
    if (/rm\\s+-rf\\s+\\//.test(command)) return { block: true, reason: "Deleting absolute paths is not allowed here." };
  });
}`;

it("MO-03 a print run tells extensions session_start, whose dialogs answer nobody", async () => {
  await at.user(
    "extensions/start.ts",
    `import { writeFileSync } from "node:fs";
     export default (lathe) => lathe.on("session_start", async (event, { ui }) =>
       writeFileSync("started", event.resumed + " " + (await ui.confirm("Sure?"))));`,
  );
  at.script(turn.text("hello"));
  expect(await at.runBuilt(["-p", "hi"])).toMatchObject({ code: 0, stdout: "hello\n" });
  expect(await readFile(join(at.box.dir, "started"), "utf8")).toBe("false false");
});

describe("EX-03 an extension", () => {
  it("EX-03 --help lists its options, and runs nothing that a stranger's folder brings", async () => {
    const option = (name: string) => `import { writeFileSync } from "node:fs";
      export default (lathe) => {
        writeFileSync(${JSON.stringify(join(at.box.dir, "ran-"))} + "${name}", "");
        lathe.registerFlag("${name}", { description: "what ${name} is for", type: "string" });
      };`;
    await at.user("extensions/own.ts", option("loudness"));
    await at.project(".lathe/extensions/theirs.ts", option("evil"));
    const { code, stdout } = await at.run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Extensions:\n +--loudness <value> +what loudness is for\n/);
    expect(stdout).not.toContain("evil");
    expect(existsSync(join(at.box.dir, "ran-evil"))).toBe(false);
    await at.user("extensions/own.ts", "this is no code");
    expect((await at.run(["--help"])).stdout).toContain("Usage: lathe");
  });

  it("EX-03 an option on the command line has its extension loaded once, and its factory knows the value", async () => {
    const log = join(at.box.dir, "log");
    await at.user(
      "extensions/own.ts",
      `import { appendFileSync } from "node:fs";
      const note = (text) => appendFileSync(${JSON.stringify(log)}, text + "\\n");
      export default (lathe) => {
        lathe.registerFlag("loudness", { description: "how loud", type: "string" });
        lathe.registerFlag("quick", { description: "how fast", type: "boolean" });
        note("factory " + lathe.getFlag("loudness") + " " + lathe.getFlag("quick"));
        lathe.on("turn_start", () => note("turn " + lathe.getFlag("loudness") + " " + lathe.getFlag("quick")));
      };`,
    );
    expect(await at.run(["--loudness", "high", "--quick", "-p", "go"])).toMatchObject({ code: 0, stderr: "" });
    expect(await readFile(log, "utf8")).toBe("factory high true\nturn high true\n");
    // A wrong one ends what was loaded, also when that would keep the process.
    await at.user("extensions/own.ts", "export default () => { setInterval(() => {}, 1000); };");
    expect(await at.run(["--loudness", "high", "-p", "go"])).toMatchObject({ code: 2 });
  });

  it("EX-03 blocks a dangerous command with its reason; a plain one passes", async () => {
    const victim = join(at.box.dir, "victim");
    await mkdir(victim);
    await at.user("extensions/safety.ts", SAFETY);
    at.script(
      turn.calls([{ name: "shell", args: { command: `rm -rf ${victim}` } }]),
      turn.calls([{ name: "shell", args: { command: "ls" } }]),
      turn.text("ok"),
    );
    const run = await at.run(["--permission-mode", "full", "-p", "clean up"]);
    expect(run).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
    expect(existsSync(victim)).toBe(true);
    const [blocked, listed] = at.results();
    expect(blocked).toMatchObject({ isError: true, text: expect.stringContaining("Deleting absolute paths") });
    expect(listed).toMatchObject({ isError: false, text: expect.stringContaining("victim") });
  });

  it("EX-03 changes arguments, results and inputs; the next handler sees what the first one changed", async () => {
    await at.user(
      "extensions/change.ts",
      `export default (lathe) => {
        lathe.on("input", ({ text }) => ({ text: text + " (changed)" }));
        lathe.on("before_agent_start", ({ prompt }) => ({ message: "Seen: " + prompt }));
        lathe.on("tool_call", () => ({ input: { command: "echo one" } }));
        lathe.on("tool_call", ({ input }) => ({ input: { command: input.command + " two" } }));
        lathe.on("tool_result", ({ content }) => ({ content: content[0].text.toUpperCase(), isError: true }));
      };`,
    );
    at.script(turn.calls([{ name: "shell", args: { command: "false" } }]), turn.text("ok"));
    expect(await at.run(["-p", "hello"])).toMatchObject({ code: 0, stderr: "" });
    expect(at.server.requests[0]?.view.messages.at(-1)?.text).toContain("hello (changed)\n\nSeen: hello (changed)");
    expect(at.results()).toMatchObject([{ isError: true, text: expect.stringContaining("ONE TWO") }]);
  });

  it("EX-03 is loaded once, whatever it is named by: discovery, settings, --extension; a folder by its manifest or index", async () => {
    const say = (name: string): string => `export default (lathe) => { console.log("loaded ${name}"); };`;
    const file = await at.user("extensions/one.ts", say("one"));
    await at.project("two/index.ts", say("two"));
    await at.project("three/package.json", JSON.stringify({ lathe: { extensions: ["./main.ts"] } }));
    await at.project("three/main.ts", say("three"));
    await at.project("three/index.ts", say("never"));
    await at.project("four/a.ts", say("four a"));
    await at.project("four/b.ts", say("four b"));
    await at.user("config.yml", `extensions: [${file}, ${join(at.box.dir, "two")}]\n`);
    const run = await at.runBuilt(["-e", "three", "--extension", "four", "-e", file, "-p", "hi"]);
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(run.stderr.trim().split("\n").sort()).toEqual([
      "[a] loaded four a",
      "[b] loaded four b",
      "[main] loaded three",
      "[one] loaded one",
      "[two] loaded two",
    ]);
  });

  it("EX-03 one that does not load is named with its reason, and the others work", async () => {
    await at.user("extensions/broken.ts", "export default (lathe) => { lathe.on('no_such_event', () => {}); };");
    await at.user("extensions/syntax.ts", "export default (");
    await at.user("extensions/good.ts", "export default (lathe) => { console.log('good'); };");
    const run = await at.runBuilt(["-e", "missing.ts", "-p", "hi"]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("There is no extension missing.ts (--extension).");
    expect(run.stderr).toContain('The extension broken failed in its factory: there is no event "no_such_event"');
    expect(run.stderr).toMatch(/syntax\.ts:1:\d+ does not parse/);
    expect(run.stderr).toContain("[good] good");
  });

  it("EX-03 keeps data in the session and in its storage, asks a model, runs programs", async () => {
    await at.user(
      "extensions/keeper.ts",
      `export default (lathe) => {
        lathe.storage.set("runs", (lathe.storage.get("runs") ?? 0) + 1);
        lathe.on("agent_end", async (event, context) => {
          context.session.appendEntry("keeper", { runs: lathe.storage.get("runs") });
          const answer = await context.callModel({ prompt: "One word?" });
          const { stdout, code } = await context.exec("echo", ["hello"]);
          console.log(answer, stdout.trim(), code, context.session.entries("keeper").length, context.model);
        });
      };`,
    );
    at.script(turn.text("first"), turn.text("word"));
    const first = await at.runBuilt(["-p", "hi"]);
    expect(first.stderr).toBe("[keeper] word hello 0 1 anthropic/claude-sonnet-4-5\n");
    at.script(turn.text("second"), turn.text("word"));
    const second = await at.runBuilt(["-c", "-p", "again"]);
    expect(second.stderr).toContain(" 2 anthropic/");
  });
});

describe("EX-04 a module hook", () => {
  it("EX-04 counts turns into a file; one without a default export is reported, and the start goes on", async () => {
    const count = join(at.box.dir, "count");
    await at.user(
      "hooks/post/count.ts",
      `import { appendFileSync } from "node:fs";
       export default (lathe) => lathe.on("turn_end", () => appendFileSync(${JSON.stringify(count)}, "x"));`,
    );
    await at.user("hooks/pre/empty.ts", "export const nothing = 1;");
    at.script(turn.calls([{ name: "shell", args: { command: "true" } }]), turn.text("ok"));
    const run = await at.run(["--permission-mode", "full", "-p", "go"]);
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(await readFile(count, "utf8")).toBe("xx");
    expect(run.stderr).toMatch(/empty\.ts has no default export/);
  });
});

describe("EX-05 a custom tool", () => {
  const STATS = `
export default (lathe) => ({
  name: "repo_stats",
  description: "Counts the commits of the repository.",
  parameters: { type: "object", properties: {}, required: [] },
  async execute({ onUpdate, context }) {
    onUpdate("counting");
    const { stdout } = await context.exec("git", ["rev-list", "--count", "HEAD"]);
    return stdout.trim() + " commits" + (context.hasQueuedMessages() || context.isIdle() ? ", not alone" : "");
  },
});`;

  it("EX-05 works with real git; a file and a folder; .md files are only described", async () => {
    await at.user("tools/repo_stats.ts", STATS);
    await at.user("tools/two/index.ts", STATS.replace("repo_stats", "repo_stats_two"));
    await at.user("tools/notes.md", "about the tools");
    const { execFileSync } = await import("node:child_process");
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: at.box.dir });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "one");
    at.script(
      turn.calls([
        { name: "repo_stats", args: {} },
        { name: "repo_stats_two", args: {} },
      ]),
      turn.text("ok"),
    );
    const run = await at.run(["--permission-mode", "full", "-p", "how many commits?"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(at.results()).toMatchObject([{ text: "1 commits" }, { text: "1 commits" }]);
  });

  it("EX-05 a name that is taken is refused with a message, what a tool throws is a result with isError", async () => {
    await at.user("tools/read.ts", STATS.replace('"repo_stats"', '"read_file"'));
    await at.user(
      "tools/thrower.ts",
      `export default () => [
        { name: "thrower", description: "Throws.", parameters: { type: "object" }, execute() { throw new Error("no luck"); },
          renderCall() { throw new Error("no call"); }, renderResult() { throw new Error("no result"); } },
        { name: "talker", description: "Talks.", parameters: { type: "object" },
          execute: () => ({ content: [{ type: "text", text: "said" }], details: { a: 1 } }) },
      ];`,
    );
    at.script(
      turn.calls([
        { name: "thrower", args: {} },
        { name: "talker", args: {} },
      ]),
      turn.text("ok"),
    );
    const run = await at.run(["--permission-mode", "full", "-p", "go"]);
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(run.stderr).toContain("read_file");
    expect(at.results()).toMatchObject([{ isError: true, text: expect.stringContaining("no luck") }, { text: "said" }]);
    expect(at.server.requests[0]?.view.tools.filter((name) => name === "read_file")).toHaveLength(1);
    expect(run.stderr).toContain("The extension thrower failed in renderCall of the tool thrower: no call");
  });

  it("EX-05 its deadline ends the call and the program that it started", async () => {
    const started = join(at.box.dir, "pid");
    await at.user(
      "tools/slow.ts",
      `export default (lathe) => ({ name: "slow", description: "Slow.", parameters: { type: "object" }, timeoutMs: 5000,
        execute: ({ context }) => context.exec("sh", ["-c", "echo $$ > ${started}; exec sleep 1000"]).then(() => "ended") });`,
    );
    at.script(turn.calls([{ name: "slow", args: {} }]), turn.text("ok"));
    const run = await at.run(["--permission-mode", "full", "-p", "go"]);
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(at.results()).toMatchObject([{ isError: true }]);
    const pid = Number(await readFile(started, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
