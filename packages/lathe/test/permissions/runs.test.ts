// Permissions of the built command, with a scripted model: rules, plan mode, programs that answer, the audit.

import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { errorLines, type Stage, stage } from "../contract-kit.ts";

let scene: Stage | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const write = (file_path: string) => turn.calls([{ name: "write_file", args: { file_path, content: "x\n" } }]);
const made = (name: string): boolean => existsSync(join(scene?.box.dir ?? "", name));

/** A project with a program that leaves a trace. */
async function withTool(...script: Parameters<typeof stage>): Promise<Stage> {
  scene = await stage(...script);
  await writeFile(join(scene.box.dir, "tool.sh"), "#!/bin/sh\ntouch ran-$1\n");
  await chmod(join(scene.box.dir, "tool.sh"), 0o755);
  return scene;
}

async function settings(text: string): Promise<void> {
  const folder = join(scene?.box.home ?? "", ".lathe");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yml"), text);
}

describe("rules", () => {
  it("LS-10 --allow lets one command through that is denied without it, and the denial names the rule", async () => {
    const run = await withTool([shell("./tool.sh one"), turn.text("no"), shell("./tool.sh two"), turn.text("yes")]);
    const refused = await run.run(["go"]);
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain("Allow it with: --allow 'shell(./tool.sh *)'");
    expect(await run.run(["--allow", "shell(./tool.sh *)", "go"])).toMatchObject({ code: 0 });
    expect([made("ran-one"), made("ran-two")]).toEqual([false, true]);
  });

  it("LS-10 deny beats allow and mode full, from settings and from options alike", async () => {
    const run = await withTool([shell("./tool.sh one"), turn.text("no"), write("a.txt"), turn.text("no")]);
    await settings("permissions:\n  deny:\n    - shell(./tool.sh *)\n");
    const full = ["--permission-mode", "full", "--allow", "shell", "--deny", "write(*.txt)", "go"];
    expect(await run.run(full)).toMatchObject({ code: 0 });
    expect(await run.run(full)).toMatchObject({ code: 0 });
    expect([made("ran-one"), made("a.txt")]).toEqual([false, false]);
    expect(run.server.requests[1]?.view.messages.at(-1)?.results[0]?.text).toContain("rule shell(./tool.sh *)");
  });

  it("LS-10 a project's settings can only narrow: what they allow is ignored, what they deny is denied", async () => {
    const run = await withTool([shell("./tool.sh one"), turn.text("no"), write("a.txt"), turn.text("no")]);
    await mkdir(join(run.box.dir, ".lathe"));
    await writeFile(
      join(run.box.dir, ".lathe/config.yml"),
      "permissions:\n  allow: [shell(./tool.sh *)]\n  deny: [write(a.txt)]\n",
    );
    expect(await run.box.run(["trust"])).toMatchObject({ code: 0 });
    const first = await run.run(["go"]);
    expect(first.code).toBe(4);
    expect(first.stderr).toContain("permissions.allow is ignored: a project's settings can only narrow");
    await run.run(["go"]);
    expect([made("ran-one"), made("a.txt")]).toEqual([false, false]);
  });

  it.each([
    [
      ["--allow", "shell(git log"],
      "",
      /--allow: "shell\(git log" has no "\)" at its end\. Write it as tool\(pattern\)/,
    ],
    [
      [],
      "permissions:\n  deny:\n    - git log\n",
      /config\.yml:2: permissions\.deny\[0\] must be a rule .*"git log": it is not a rule/,
    ],
  ])("CF-08 a rule that cannot be read ends the start with one line: %j %j", async (options, text, says) => {
    scene = await stage([turn.text("never")]);
    if (text !== "") await settings(text);
    const run = await scene.run([...options, "go"]);
    expect(run.code).toBe(2);
    expect(errorLines(run.stderr)).toHaveLength(1);
    expect(run.stderr).toMatch(says);
    expect(scene.server.requests).toEqual([]);
  });
});

describe("plan mode", () => {
  it("LS-09 refuses changes, also after the session is taken up again, and permits reading and the plan", async () => {
    scene = await stage([
      turn.calls([
        { name: "write_file", args: { file_path: "x", content: "x" } },
        { name: "shell", args: { command: "git status; ls" } },
        { name: "shell", args: { command: "touch y" } },
        { name: "read_file", args: { file_path: "a.txt" } },
      ]),
      turn.text("looked"),
      write("x"),
      turn.text("still planning"),
      write("x"),
      turn.text("done"),
    ]);
    await writeFile(join(scene.box.dir, "a.txt"), "hello\n");
    expect(await scene.run(["--permission-mode", "plan", "go"])).toMatchObject({ code: 0 });
    const [, second] = scene.server.requests;
    const results = second?.view.messages.at(-1)?.results ?? [];
    expect(results.map(({ isError }) => isError)).toEqual([true, false, true, false]);
    expect(results[0]?.text).toContain("Plan mode is on");
    expect(results[1]?.text).toContain("a.txt");
    expect(JSON.stringify(scene.server.requests[0]?.body)).toContain("Plan mode is on. Read, search");
    await scene.run(["-c", "go on"]);
    expect([made("x"), made("y")]).toEqual([false, false]);
    await scene.run(["-c", "--permission-mode", "auto-edit", "now"]);
    expect(made("x")).toBe(true);
    expect(JSON.stringify(scene.server.requests.at(-2)?.body)).toContain("Plan mode is off.");
    // The list of tools is the same in every request.
    const tools = scene.server.requests.map(({ body }) => JSON.stringify((body as { tools: unknown }).tools));
    expect(new Set(tools).size).toBe(1);
  });
});

describe("agents while planning", () => {
  it("LS-09 read and search, start no others, and the plan role has its own model", async () => {
    scene = await stage(({ body, view: { messages } }) => {
      const { model, tools = [] } = body as { model: string; tools?: { name: string }[] };
      const results = messages.flatMap((message) => message.results);
      const isChild = messages.some(({ text }) => text.includes("look into it"));
      if (isChild && results.length > 0) return turn.text(`child ${model}: ${tools.map(({ name }) => name).join(" ")}`);
      if (isChild) return turn.calls([{ name: "read_file", args: { file_path: "a.txt" } }]);
      const agent = /"agent_id":"(\w+)"/.exec(results[0]?.text ?? "")?.[1];
      if (agent === undefined) return turn.calls([{ name: "spawn_agent", args: { task: "look into it" } }]);
      if (results.length === 1) return turn.calls([{ name: "wait", args: { agent_id: agent } }]);
      return turn.text(`${model} | ${results[1]?.text}`);
    });
    await writeFile(join(scene.box.dir, "a.txt"), "hello\n");
    await settings("model: anthropic/claude-sonnet-4-5\nmodelRoles:\n  plan: anthropic/claude-opus-4-5\n");
    const { stdout, code } = await scene.box.run(["--permission-mode", "plan", "-p", "plan it"], { env: scene.env });
    expect(code).toBe(0);
    expect(stdout).toContain("claude-opus-4-5");
    expect(stdout).toContain("read_file grep glob");
    expect(stdout).toContain(" web_search");
    expect(stdout).not.toMatch(/write_file|edit_file|shell|spawn_agent/);
    const child = scene.server.requests.find(
      ({ text }) => text.includes("look into it") && text.includes("is planning"),
    );
    expect(child).toBeDefined();
  });
});

describe("a program that answers", () => {
  it("--permission-command allows, denies with words, and what it leaves open is denied where nobody is", async () => {
    const run = await withTool([
      shell("./tool.sh one"),
      shell("./tool.sh two"),
      shell("./tool.sh three"),
      turn.text("done"),
    ]);
    const answer = `
let text = ""; process.stdin.on("data", (d) => (text += d)).on("end", () => {
  const { summary, tier, offers } = JSON.parse(text);
  if (tier !== "exec" || offers.pattern[0] !== "shell(./tool.sh *)") process.exit(9);
  const decision = /one/.test(summary) ? "allow" : /two/.test(summary) ? "deny" : "ask";
  console.log(JSON.stringify({ decision, reason: "because" }));
});`;
    await writeFile(join(run.box.home, "answer.cjs"), answer);
    const result = await run.run(["--permission-command", `node ${join(run.box.home, "answer.cjs")}`, "go"]);
    expect([made("ran-one"), made("ran-two"), made("ran-three")]).toEqual([true, false, false]);
    expect(result.code).toBe(4);
    const said = run.server.requests.map(({ view }) => view.messages.at(-1)?.results[0]?.text ?? "");
    expect(said[2]).toContain("Denied by the permission command: because");
    expect(said[3]).toContain("no user can be asked here");
  });

  it("--permission-command that fails permits nothing", async () => {
    const run = await withTool([shell("./tool.sh one"), turn.text("done")]);
    expect(await run.run(["--permission-command", "echo yes", "go"])).toMatchObject({ code: 4 });
    expect(run.server.requests[1]?.view.messages.at(-1)?.results[0]?.text).toContain("The permission command failed");
    expect(made("ran-one")).toBe(false);
  });
});

describe("the audit", () => {
  it("has every decision with who decided and why, also of harmless calls; suggest names the rule that saves the question", async () => {
    const run = await withTool([
      turn.calls([
        { name: "shell", args: { command: "ls" } },
        { name: "shell", args: { command: "git log && ./tool.sh one" } },
        { name: "write_file", args: { file_path: "a.txt", content: "x\n" } },
      ]),
      turn.text("done"),
    ]);
    const result = await run.run(["--mode", "json", "go"]);
    const { sessionId } = JSON.parse(result.stdout.trimEnd().split("\n").at(-1) ?? "") as { sessionId: string };
    const rows = JSON.parse((await run.box.run(["sessions", "show", sessionId, "--audit", "--json"])).stdout) as {
      tool: string;
      decision: string;
      by: string;
      reason: string;
      parts?: { what: string; decision: string; reason: string }[];
    }[];
    expect(rows.map(({ tool, decision, by }) => [tool, decision, by]).sort()).toEqual([
      ["shell", "allow", "mode auto-edit"],
      ["shell", "deny", "the unattended run"],
      ["write_file", "allow", "mode auto-edit"],
    ]);
    for (const { reason } of rows) expect(reason).not.toBe("");
    const denied = rows.find(({ decision }) => decision === "deny");
    expect(denied?.parts?.map(({ what, decision }) => [what, decision])).toEqual([
      ["git log", "allow"],
      ["./tool.sh one", "ask"],
    ]);
    const text = (await run.box.run(["sessions", "show", sessionId, "--audit"])).stdout;
    expect(text).toContain("deny  shell  by the unattended run");
    const suggested = await run.box.run(["policy", "suggest", sessionId, "--json"]);
    expect(JSON.parse(suggested.stdout)).toEqual([{ rule: "shell(./tool.sh *)", questions: 1 }]);
  });
});

describe("secrets", () => {
  it("AU-07 a placeholder that the model saw is the value again in a tool's arguments, and nowhere else", async () => {
    scene = await stage([
      turn.calls([{ name: "read_file", args: { file_path: "app.conf" } }]),
      turn.calls([
        {
          name: "edit_file",
          args: {
            file_path: "app.conf",
            old_string: "k=[redacted:MY_API_KEY]",
            new_string: "key=[redacted:MY_API_KEY]",
          },
        },
      ]),
      turn.text("renamed"),
    ]);
    const file = join(scene.box.dir, "app.conf");
    const secret = "s3cr3t-value-0123456789";
    await writeFile(file, `k=${secret}\n`);
    const run = await scene.run(["--mode", "json", "go"], { env: { ...scene.env, MY_API_KEY: secret } });
    expect(run.code).toBe(0);
    expect(await readFile(file, "utf8")).toBe(`key=${secret}\n`);
    expect(run.stdout).not.toContain(secret);
    for (const { body } of scene.server.requests) expect(JSON.stringify(body)).not.toContain(secret);
  });

  it("AU-07 no command that is allowed without a question turns a placeholder into the value", async () => {
    const secret = "s3cr3t-value-0123456789";
    scene = await stage([
      turn.calls([{ name: "read_file", args: { file_path: "app.conf" } }]),
      shell("echo '[redacted:MY_API_KEY]' | rev"),
      turn.text("done"),
    ]);
    await writeFile(join(scene.box.dir, "app.conf"), `k=${secret}\n`);
    for (const mode of ["auto-edit", "full"]) {
      const run = await scene.run(["--permission-mode", mode, "-p", "go"], {
        env: { ...scene.env, MY_API_KEY: secret },
      });
      expect(run.code).toBe(0);
      const sent = JSON.stringify(scene.server.requests.at(-1)?.body);
      expect(sent).toContain("]YEK_IPA_YM:detcader[");
      expect(sent).not.toContain([...secret].reverse().join(""));
      scene.server.push(
        turn.calls([{ name: "read_file", args: { file_path: "app.conf" } }]),
        shell("echo '[redacted:MY_API_KEY]' | rev"),
        turn.text("done"),
      );
    }
  });

  it("AU-07 what a command prints of a configured key is not sent", async () => {
    scene = await stage([shell("env"), turn.text("done")]);
    const secret = "s3cr3t-value-0123456789";
    const env = { ...scene.env, MY_API_KEY: secret };
    await settings("shell:\n  environment: inherit_all\n");
    await scene.run(["--permission-mode", "full", "go"], { env });
    const sent = JSON.stringify(scene.server.requests[1]?.body);
    expect(sent).toContain("[redacted:MY_API_KEY]");
    expect(sent).not.toContain(secret);
  });
});
