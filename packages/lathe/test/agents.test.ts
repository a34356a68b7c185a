import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { commonPrefix, type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { bundledAgents } from "../src/agents/agents.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
afterEach(() => b.close());

const BUNDLED = "explore plan designer reviewer task quick_task librarian oracle architect critic".split(" ");
const full = ["--permission-mode", "full"];
const file = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};
const agentFile = (name: string, prompt: string, more = ""): string =>
  `---\nname: ${name}\ndescription: One of mine\n${more}---\n${prompt}\n`;
const anthropic = () => ({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: b.server.baseUrl("anthropic") });
/** One task call, then the end; children yield at once. */
const oneTask = (agent: string, assignments: readonly string[] = ["look"]) =>
  (({ view }) => {
    if (view.tools.includes("yield")) return turn.calls([{ name: "yield", args: { output: "seen" }, id: "y" }]);
    const results = view.messages.flatMap((message) => message.results);
    if (results.length > 0) return turn.text(results[0]?.text ?? "");
    const tasks = assignments.map((assignment) => ({ assignment }));
    return turn.calls([{ name: "task", args: { agent, context: "The goal.", tasks }, id: "t" }]);
  }) as Script;
const ask = (args: readonly string[] = []) =>
  b.ask([...full, "--model", "anthropic/claude-opus-4-6", ...args], anthropic());
/** First requests of children. */
const childrenAsked = () =>
  b.asked.filter(({ view }) => view.tools.includes("yield") && view.messages.every(({ role }) => role !== "assistant"));

describe("agents in files", () => {
  it("SA-05 G-106 the bundled agents are there, and those that only read have no tool that changes anything", async () => {
    expect(bundledAgents().map(({ name }) => name)).toEqual(BUNDLED);
    b = await bench({ script: oneTask("architect") });
    expect(await ask()).toMatchObject({ code: 0, stdout: expect.stringContaining("\nseen\n") });
    const names = childrenAsked()[0]!.view.tools;
    expect(names).toContain("read_file");
    expect(names).toContain("yield");
    for (const name of ["write_file", "edit_file", "shell", "task", "spawn_agent", "todo"])
      expect(names).not.toContain(name);
  });

  it("SA-05 .lathe wins over .claude, a broken file is one warning, an unknown name lists what there is", async () => {
    b = await bench({ script: oneTask("mine") });
    const { dir } = b.box;
    await file(join(dir, ".claude/agents/mine.md"), agentFile("mine", "Prompt of claude."));
    await file(join(dir, ".lathe/agents/mine.md"), agentFile("mine", "Prompt of lathe.", "permissions: read-only\n"));
    await file(join(dir, ".lathe/agents/bad.md"), "---\nname: bad\n---\nNo description.\n");
    const untrusted = await ask();
    expect(untrusted.stdout).toContain(`Unknown agent "mine". Available: ${BUNDLED.join(", ")}.`);
    await b.box.run(["trust"]);
    const { stdout, stderr } = await ask();
    expect(stdout).toContain("seen");
    expect(stderr.match(/bad\.md.*it has no description/g)).toHaveLength(1);
    const asked = childrenAsked().at(-1)!;
    expect(asked.text).toContain("Prompt of lathe.");
    expect(asked.text).not.toContain("Prompt of claude.");
    const listed = await b.box.run(["agents", "list"]);
    expect(listed.stdout).toMatch(/mine +One of mine \(Lathe, project\)/);
    expect(listed.stdout).toMatch(/Without effect\nmine +shadowed by .*\.lathe\/agents\/mine\.md; .*\.claude/);
  });

  it("SA-05 agents show, check and new say what an agent is and what is wrong with its file", async () => {
    b = await bench();
    const run = (...args: string[]) => b.box.run(["agents", ...args]);
    expect((await run("show", "executor")).stdout).toContain("name: task\n");
    expect(await run("show", "exploer")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean explore?"),
    });
    expect(await run("new", "mine", "--user")).toMatchObject({ code: 0 });
    expect(await readdir(join(b.box.env["LATHE_HOME"]!, "agents"))).toEqual(["mine.md"]);
    expect(await run("new", "../x")).toMatchObject({ code: 2, stderr: expect.stringContaining("is not one word") });
    expect(await run("check")).toMatchObject({ code: 0 });
    for (const [line, problem] of [
      ["budget: { usd: -1 }", "budget.usd is not a number above 0"],
      ["permissions: { allow: [shell] }", "permissions.allow is not one of mode, deny, ask"],
      ["thinkingLevel: heavy", "thinkingLevel heavy is not known"],
      ["isolation: bubble", "isolation bubble is not one of"],
      ["thinkinglevel: low", "thinkinglevel is not a key of agent files (did you mean thinkingLevel?)"],
      ["tools: read, grpe, mcp__files__*", "tools: there is no tool grpe (did you mean grep?)"],
      [
        "output: { type: objct }",
        'output is not a JSON Schema that can be checked against: /type: "objct" is not a type',
      ],
    ] as const) {
      await file(join(b.box.dir, "x.md"), agentFile("x", "Prompt.", `${line}\n`));
      const { code, stderr } = await run("check", "x.md");
      expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  });

  it("G-53 SA-02 an agent of the kind plan uses the model of the role planner", async () => {
    b = await bench({ script: oneTask("planner") });
    await b.write("config.yml", "modelRoles: { planner: anthropic/claude-sonnet-4-5 }\n");
    await ask();
    expect(childrenAsked().map(({ model }) => model)).toEqual(["claude-sonnet-4-5"]);
  });

  it("SA-06 task.disabledAgents and LATHE_BLOCKED_AGENT refuse, and a depth of 0 offers no agents", async () => {
    b = await bench({ script: oneTask("explore") });
    await b.write("config.yml", "task: { disabledAgents: [explore] }\n");
    expect((await ask()).stdout).toContain("The agent explore is disabled (task.disabledAgents).");
    await b.write("config.yml", "");
    const blocked = await b.ask([...full, "--model", "anthropic/claude-opus-4-6"], {
      ...anthropic(),
      LATHE_BLOCKED_AGENT: "explore",
    });
    expect(blocked.stdout).toContain("The agent explore cannot be started from here.");
    await b.write("config.yml", "task: { maxRecursionDepth: 0 }\n");
    await ask();
    expect(b.asked.at(-1)!.view.tools).not.toContain("task");
  });

  it("SA-02 at least 95 % of the first request of children 2 to 8 repeats that of the first, byte for byte", async () => {
    const pieces = Array.from({ length: 8 }, (_, n) => `Look at part ${n} of the project and report what it does.`);
    b = await bench({ script: oneTask("explore", pieces) });
    expect(await ask()).toMatchObject({ code: 0 });
    expect(childrenAsked()).toHaveLength(8);
    for (const { prefix, lostTail } of commonPrefix(childrenAsked()))
      expect(prefix.length / (prefix.length + lostTail.length)).toBeGreaterThanOrEqual(0.95);
  });

  it("LS-11 SA-01 retries of agents are shown on stderr with the name of the agent", async () => {
    const play = oneTask("explore") as (request: object) => ReturnType<typeof turn.text>;
    let failures = 0;
    b = await bench({
      script: ((request: { view: { tools: readonly string[] } }) => {
        if (!request.view.tools.includes("yield") || failures++ > 0) return play(request);
        return turn.error(529, { message: "busy" });
      }) as Script,
    });
    const { code, stderr } = await ask();
    expect(code).toBe(0);
    expect(stderr.match(/^lathe: agent [A-Z]\w+: .*busy; trying again in \d+ s$/gm)).toHaveLength(1);
  });

  it("SA-08 sessions show lists the agents of a session and reads one of them; stats add up by kind", async () => {
    b = await bench({ script: oneTask("explore", ["look at the door", "look at the window"]) });
    const args = [...full, "--model", "anthropic/claude-opus-4-6", "-p", "hi"];
    expect(await b.box.run(args, { env: anthropic() })).toMatchObject({ code: 0 });
    const [{ id }] = JSON.parse((await b.box.run(["sessions", "list", "--json"])).stdout) as [{ id: string }];
    const { stdout } = await b.box.run(["sessions", "show", id]);
    const [, name = ""] = /^@ (\S+) {2}explore · completed · 1 request · .* {2}look at the door$/m.exec(stdout) ?? [];
    expect(name).not.toBe("");
    expect((await b.box.run(["sessions", "show", id, "--agent", name])).stdout).toContain("look at the door");
    expect(await b.box.run(["sessions", "show", id, "--agent", "nobody"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/The session has no agent nobody; it has \S+, \S+\./),
    });
    const stats = JSON.parse((await b.box.run(["stats", "--json"])).stdout) as { byAgent: object };
    expect(stats.byAgent).toMatchObject({ "(main)": { answers: 2 }, explore: { answers: 2 } });
    expect((await b.box.run(["stats"])).stdout).toMatch(/^by agent [\s\S]*^explore +2 /m);
  });
});
