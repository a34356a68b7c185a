// Attempts to get more than an approval grants, with the built command: through answers, hooks, RPC frames, agents, plans.

import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../../agent/test/programs.ts";
import { eventOf, type Frame, MODEL, type RpcHost, type Setup, setup } from "../rpc-host.ts";

let rig: Setup;
afterEach(() => rig.remove());

const shell = (command: string, id = "s") => turn.calls([{ name: "shell", id, args: { command } }]);
const file = (name: string): string => join(rig.box.dir, name);
const exist = (...names: string[]): boolean[] => names.map((name) => existsSync(file(name)));
const print = (...args: string[]) => rig.box.run([...MODEL, "-p", ...args], { env: rig.env });
const confirm = (host: RpcHost, from = 0): Promise<Frame> =>
  host.wait("a question", (frame) => frame["method"] === "confirm", from);
const reply = (host: RpcHost, question: Frame, more: object): void =>
  host.send({ type: "extension_ui_response", id: question["id"], ...more });
const settledApprovals = (host: RpcHost): Frame[] =>
  host.events().filter(({ type }) => type === "lathe:approval_settled");

function hooks(matcher: string, answer: object): void {
  const command = `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`;
  mkdirSync(join(rig.box.home, ".lathe"), { recursive: true });
  writeFileSync(
    join(rig.box.home, ".lathe/hooks.json"),
    JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command }] }] } }),
  );
}

describe("an answer that is remembered", () => {
  it("LS-10 holds in the folder that it was said of, not in another one that has taken its path", async () => {
    rig = await setup();
    writeFileSync(file("a"), "");
    rig.server.push(shell("node --test one"), turn.text("1"), shell("node --test one"), turn.text("2"));
    const first = await rig.start();
    first.send({ type: "prompt", message: "go" });
    reply(first, await confirm(first), { confirmed: true, remember: "pattern" });
    await first.event("agent_end");
    expect(await first.finish()).toBe(0);
    renameSync(rig.box.dir, `${rig.box.dir}-moved`);
    mkdirSync(rig.box.dir);
    writeFileSync(file("a"), "");
    const second = await rig.start();
    second.send({ type: "prompt", message: "go" });
    reply(second, await confirm(second), { confirmed: false });
    await second.event("agent_end");
    expect(await second.finish()).toBe(0);
  });

  it("LS-10 does not follow a command out of the project: into a folder above, through a link or a variable", async () => {
    rig = await setup();
    mkdirSync(file("../elsewhere"));
    mkdirSync(file("sub"));
    symlinkSync("../elsewhere", file("link"));
    rig.server.push(shell("node --test one"), turn.text("1"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    reply(host, await confirm(host), { confirmed: true, remember: "pattern" });
    await host.event("agent_end");
    for (const [command, isAsked] of [
      ["cd sub && node --test one", false],
      ["cd ../elsewhere && node --test one", true],
      ["cd link && node --test one", true],
      ["x=sub; cd $x && node --test one", true],
    ] as const) {
      rig.server.push(shell(command), turn.text("2"));
      const from = host.frames.length;
      host.send({ type: "prompt", message: "go" });
      if (isAsked) {
        const question = await confirm(host, from);
        expect(question["remember"]).toBeUndefined();
        reply(host, question, { confirmed: false });
      }
      await host.event("agent_end", from);
      const asked = host.frames.slice(from).filter((frame) => frame["method"] === "confirm");
      expect([command, asked.length]).toEqual([command, isAsked ? 1 : 0]);
    }
    expect(await host.finish()).toBe(0);
  });
});

describe("hooks", () => {
  it("a yes to a call of the session is none to the call of a child that has the same id", async () => {
    const script = ({
      view: { messages },
    }: {
      view: { messages: { text: string; results: { text: string }[] }[] };
    }) => {
      const results = messages.flatMap((message) => message.results);
      if (messages.some(({ text }) => text.includes("take it")))
        return results.length > 0 ? turn.text("child done") : shell("X=1 touch stolen", "same");
      const agent = /"agent_id":"(\w+)"/.exec(results.at(-1)?.text ?? "")?.[1];
      if (results.length === 0) return turn.calls([{ name: "read_file", id: "same", args: { file_path: "a" } }]);
      if (results.length === 1) return turn.calls([{ name: "spawn_agent", id: "b", args: { task: "take it" } }]);
      if (results.length === 2) return turn.calls([{ name: "wait", id: "c", args: { agent_id: agent } }]);
      return turn.text("done");
    };
    rig = await setup({ script: script as never });
    writeFileSync(file("a"), "x\n");
    hooks("read_file", { permissionDecision: "allow" });
    const run = await print("go");
    expect(rig.server.requests.length).toBeGreaterThan(4);
    expect([run.code, ...exist("stolen")]).toEqual([4, false]);
  });

  it("what a hook wants a person to decide is denied where there is none, instead of waited for", async () => {
    rig = await setup();
    hooks("write_file|apply_patch|shell", { permissionDecision: "ask", permissionDecisionReason: "four eyes" });
    rig.server.push(shell("touch made"), turn.text("ok"));
    expect(await print("--permission-mode", "full", "go")).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(exist("made")).toEqual([false]);
    expect(rig.server.requests[1]?.result("s")).toContain("No user can be asked here. four eyes");
  });

  it("a remembered answer to another question does not answer what a hook asks, and none is offered", async () => {
    rig = await setup();
    hooks("shell", { permissionDecision: "ask" });
    rig.server.push(
      turn.calls([
        { name: "shell", id: "one", args: { command: "node --test one" } },
        { name: "shell", id: "two", args: { command: "node -e 'require(`fs`).writeFileSync(`two`,``)'" } },
      ]),
      turn.text("ok"),
    );
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    for (const id of ["one", "two"]) {
      const asked = await host.wait(id, (frame) => "method" in frame && String(frame["toolCallId"]).startsWith(id));
      expect(asked["remember"]).toBeUndefined();
      reply(host, asked, { confirmed: id === "one", remember: "tool" });
    }
    await host.event("agent_end");
    expect(settledApprovals(host).map(({ by, decision }) => [decision, by])).toEqual([
      ["allow", "host"],
      ["deny", "host"],
    ]);
    expect(exist("two")).toEqual([false]);
    expect(await host.finish()).toBe(0);
  });

  it("run a program of the project as it is: the model is not let change it without a question", async () => {
    rig = await setup();
    mkdirSync(file("tools"));
    writeFileSync(file("tools/check.sh"), "exit 0\n");
    mkdirSync(join(rig.box.home, ".lathe"), { recursive: true });
    const command = 'sh "$LATHE_PROJECT_DIR"/tools/check.sh';
    writeFileSync(
      join(rig.box.home, ".lathe/hooks.json"),
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } }),
    );
    const patch = "*** Begin Patch\n*** Update File: tools/check.sh\n@@\n-exit 0\n+touch taken\n*** End Patch";
    rig.server.push(
      turn.calls([{ name: "apply_patch", id: "p", args: { patch } }]),
      shell("echo 'touch taken' > tools/check.sh"),
      shell("ls"),
      turn.text("ok"),
    );
    expect(await print("go")).toMatchObject({ code: 4 });
    expect(exist("taken")).toEqual([false]);
    expect(rig.server.requests[1]?.result("p")).toContain("can make programs run later");
  });

  it("of a trusted project: what they start and import is not changed without a question, and does not run once it has", async () => {
    rig = await setup();
    for (const folder of [".lathe", "tools"]) mkdirSync(file(folder));
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "node tools/check.js" }] }] };
    writeFileSync(file(".lathe/hooks.json"), JSON.stringify({ hooks }));
    writeFileSync(file("tools/check.js"), 'require("./part.js");');
    writeFileSync(file("tools/part.js"), 'require("node:fs").writeFileSync("trusted", "");');
    const { stdout } = await rig.box.run(["trust"]);
    expect(stdout).toContain("Takes effect: .lathe/hooks.json, tools/check.js, tools/part.js.");
    rig.server.push(shell("echo x > tools/part.js", "w"), turn.text("1"), shell("ls"), turn.text("2"));
    expect(await print("go")).toMatchObject({ code: 4 });
    expect(rig.server.requests[1]?.result("w")).toContain("can make programs run later: a hook reads it");
    writeFileSync(file("tools/part.js"), 'require("node:fs").writeFileSync("changed", "");');
    expect((await print("go")).stderr).toContain("New or changed since this folder was trusted");
    expect(exist("trusted", "changed")).toEqual([true, false]);
  });

  it("of a trusted project, changed by anybody since, do not run", async () => {
    rig = await setup();
    const bring = (name: string): void =>
      writeFileSync(
        file(".lathe/hooks.json"),
        JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `touch ${name}` }] }] } }),
      );
    mkdirSync(file(".lathe"));
    bring("trusted");
    expect(await rig.box.run(["trust"])).toMatchObject({ code: 0 });
    rig.server.push(shell("ls"), turn.text("1"), shell("ls"), turn.text("2"));
    await print("go");
    bring("changed");
    await print("go");
    expect(exist("trusted", "changed")).toEqual([true, false]);
  });
});

describe("--permission-command", () => {
  it.each([
    ["yes"],
    [`'{"decision":"ALLOW"}'`],
    [`'{"decision":["allow"]}'`],
    [`'["allow"]'`],
    [`'{"decision":"allow"}{"decision":"allow"}'`],
    [`'{"decision":"allow"} # yes'`],
    [`"$(printf '%70000s')"'{"decision":"allow"}'`],
  ])("that prints %s permits nothing", async (text) => {
    rig = await setup();
    rig.server.push(shell("X=1 touch made"), turn.text("ok"));
    expect(await print("--permission-command", `echo ${text}`, "go")).toMatchObject({ code: 4 });
    expect(exist("made")).toEqual([false]);
  });

  it("cannot have remembered what must be asked about each time", async () => {
    rig = await setup();
    mkdirSync(file("one"));
    mkdirSync(file("two"));
    rig.server.push(shell("rm -r one", "a"), shell("rm -r two", "b"), turn.text("ok"));
    const once = `[ -e asked ] || echo '{"decision":"allow","remember":"tool"}'; touch asked`;
    expect(await print("--permission-command", once, "go")).toMatchObject({ code: 4 });
    expect(exist("one", "two")).toEqual([false, true]);
  });

  it("that hangs ends with the interrupt, and its late yes takes no effect", async () => {
    rig = await setup();
    const hang = `touch begun; sleep 600; echo '{"decision":"allow"}'`;
    rig.server.push(shell("X=1 touch made"), turn.text("never"), turn.text("next"));
    const host = await rig.start("--permission-command", hang);
    host.send({ type: "prompt", message: "go" });
    await expect.poll(() => exist("begun")).toEqual([true]);
    host.send({ type: "abort" });
    await host.event("agent_end");
    expect(exist("made")).toEqual([false]);
    expect(await host.finish()).toBe(0);
  });
});

describe("answers of an RPC host", () => {
  it("with another id, for the second time, or after an interrupt change nothing", async () => {
    rig = await setup();
    rig.server.push(shell("X=1 touch one", "a"), shell("X=1 touch two", "b"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const first = await confirm(host);
    for (const id of [first["toolCallId"], "a", "", "ui_0", `${String(first["id"])} `])
      host.send({ type: "extension_ui_response", id, confirmed: true });
    reply(host, first, { confirmed: false });
    reply(host, first, { confirmed: true, remember: "tool" });
    const second = await host.wait("the second", (frame) => frame["method"] === "confirm" && frame !== first);
    reply(host, first, { confirmed: true });
    host.send({ type: "abort" });
    await host.event("agent_end");
    reply(host, second, { confirmed: true, remember: "pattern" });
    rig.server.push(shell("X=1 touch three", "c"), turn.text("ok"));
    const from = host.frames.length;
    host.send({ type: "prompt", message: "again" });
    const third = await confirm(host, from);
    reply(host, second, { confirmed: true });
    reply(host, third, { confirmed: "true" });
    reply(host, third, { confirmed: false });
    await host.event("agent_end", from);
    expect(exist("one", "two", "three")).toEqual([false, false, false]);
    expect(settledApprovals(host).filter(({ decision }) => decision === "allow")).toEqual([]);
    expect(await host.finish()).toBe(0);
  });
});

describe("child agents", () => {
  /** The child makes the calls in turn; the parent starts it with these arguments and waits. */
  const family = (spawn: object, calls: readonly ReturnType<typeof shell>[]) => {
    const script = ({
      view: { messages },
    }: {
      view: { messages: { text: string; results: { text: string }[] }[] };
    }) => {
      const results = messages.flatMap((message) => message.results);
      if (messages.some(({ text }) => text.includes("take it")))
        return calls[results.length] ?? turn.text("child done");
      const agent = /"agent_id":"(\w+)"/.exec(results.at(-1)?.text ?? "")?.[1];
      if (results.length === 0) return turn.calls([{ name: "spawn_agent", args: { task: "take it", ...spawn } }]);
      if (results.length === 1 && agent) return turn.calls([{ name: "wait", args: { agent_id: agent } }]);
      return turn.text("done");
    };
    return setup({ script: script as never });
  };
  const put = (path: string) =>
    turn.calls([{ name: "apply_patch", args: { patch: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` } }]);

  it.each([
    ["a role that does not exist", { role: "admin" }],
    ["another model", { model: "openai/gpt-5.2-codex" }],
    ["nothing special", {}],
  ])("in plan mode change nothing, whatever they are started with: %s", async (_name, spawn) => {
    rig = await family(spawn, [put("a"), shell("touch b"), put(".lathe/plans/other.md")]);
    await print("--permission-mode", "plan", "go");
    expect(exist("a", "b", ".lathe/plans/other.md")).toEqual([false, false, false]);
    expect(rig.server.requests.length).toBeGreaterThan(1);
  });

  it("get neither what a rule denies their parent nor a folder outside, also not through a link", async () => {
    for (const working_dir of ["sub", "link", "../elsewhere"]) {
      rig = await family({ working_dir }, [shell("touch ../denied"), put("../x"), put("../../y"), put("denied")]);
      mkdirSync(file("sub"));
      mkdirSync(file("../elsewhere"));
      symlinkSync("../elsewhere", file("link"));
      await print("--deny", "write(denied)", "--deny", "shell(touch *)", "go");
      expect(readdirSync(file("../elsewhere"))).toEqual([]);
      expect([working_dir, ...exist("denied", "sub/denied", "../y")]).toEqual([working_dir, false, false, false]);
      if (working_dir === "sub") expect(rig.server.requests.length).toBeGreaterThan(6);
      if (working_dir !== "../elsewhere") await rig.remove();
    }
  });

  it("have their questions answered by their own dialogs, and what is remembered there is no wider", async () => {
    rig = await family({ working_dir: "sub" }, [shell("./tool.sh one", "a"), shell("../tool.sh two", "b")]);
    mkdirSync(file("sub"));
    for (const path of ["tool.sh", "sub/tool.sh"]) writeFileSync(file(path), "touch ran-$1\n", { mode: 0o755 });
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const first = await confirm(host);
    reply(host, first, { confirmed: true, remember: "pattern" });
    const second = await host.wait("the second", (frame) => frame["method"] === "confirm" && frame !== first);
    reply(host, second, { confirmed: false });
    await host.event("agent_end");
    expect(exist("sub/ran-one", "sub/ran-two", "ran-two")).toEqual([true, false, false]);
    expect(await host.finish()).toBe(0);
  });
});

describe("plan mode", () => {
  it("LS-09 a plan is saved in the project, not where a folder that came with it leads", async () => {
    rig = await setup();
    mkdirSync(file("../elsewhere"));
    mkdirSync(file(".lathe"));
    symlinkSync("../../elsewhere", file(".lathe/plans"));
    rig.server.push(turn.calls([{ name: "exit_plan_mode", id: "p", args: { plan: "1. look" } }]), turn.text("ok"));
    const host = await rig.start("--permission-mode", "plan");
    host.send({ type: "prompt", message: "go" });
    reply(host, await confirm(host), { confirmed: true });
    await host.event("agent_end");
    expect(readdirSync(file("../elsewhere"))).toEqual([]);
    const warned = host.frames.filter(({ type }) => type === "event").map(eventOf);
    expect(JSON.stringify(warned)).toContain("The plan was not saved");
    expect(await host.finish()).toBe(0);
  });

  it("LS-09 a link to the plan, a name beside it and a shell text that only looks harmless are refused", async () => {
    rig = await setup();
    mkdirSync(file(".lathe/plans"), { recursive: true });
    symlinkSync("../../target", file(".lathe/plans/link.md"));
    const patch = (path: string) => ({
      name: "apply_patch",
      args: { patch: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` },
    });
    const run = (command: string) => ({ name: "shell", args: { command } });
    rig.server.push(
      turn.calls([
        patch(".lathe/plans/link.md"),
        patch(".lathe/plans/../../target"),
        run("git log --output=target"),
        run("sort -o target a"),
        run("echo x >| target"),
        run("[[ -v 'a[$(touch target)]' ]]"),
        run("git diff --no-index --output target a b"),
      ]),
      turn.text("ok"),
    );
    await print("--permission-mode", "plan", "go");
    expect(exist("target")).toEqual([false]);
    expect(readdirSync(file(".lathe/plans"))).toEqual(["link.md"]);
  });
});

describe.skipIf(!has("bwrap", "nsenter"))("outside_sandbox on the profiles of vendors (needs bwrap, nsenter)", () => {
  it.each(["anthropic/claude-sonnet-4-5", "openai/gpt-5.2", "google/gemini-2.5-pro"])(
    "G %s: outside is a question, and nothing runs where nobody answers it",
    async (model) => {
      rig = await setup();
      rig.server.push(
        turn.calls([{ name: "shell", id: "in", args: { command: "echo x > inside" } }]),
        turn.calls([{ name: "shell", id: "out", args: { command: "echo x > ../outside", outside_sandbox: true } }]),
        turn.text("ok"),
      );
      const env = {
        ...rig.env,
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: rig.server.baseUrl("anthropic"),
        GEMINI_API_KEY: "key",
        GEMINI_BASE_URL: rig.server.baseUrl("gemini"),
      };
      const options = ["--sandbox", "--allow", "shell(echo *)", "--model", model];
      const run = await rig.box.run([...options, "-p", "go"], { env });
      expect([run.code, ...exist("inside", "../outside")]).toEqual([4, true, false]);
      expect(rig.server.requests.at(-1)?.text).toContain("outside the sandbox");
    },
  );
});
