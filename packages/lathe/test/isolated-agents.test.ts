// Agents that work in isolated copies, with the real command, real repositories and real views.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, type Cast, says, shell, tasks, yields } from "./agents-kit.ts";
import { RpcHost } from "./rpc-host.ts";

const full = ["--permission-mode", "full"];
const apart = (id: string) => ({ id, assignment: `work of ${id}`, isolated: true });
const lastMessage = ({ view }: RecordedRequest): string => {
  const { text = "", results = [] } = view.messages.at(-1) ?? {};
  return [text, ...results.map((result) => result.text)].join("\n");
};

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("isolated agents (needs bwrap, nsenter, unshare)", () => {
  let scene: AgentStage;
  afterEach(() => scene.close());
  const begin = async (
    cast: Cast,
    files: Record<string, string> = { "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" },
  ) => {
    scene = await agentStage(cast, files);
  };
  const go = (...args: string[]) => scene.run([...full, ...args, "-p", "go"]);
  const gitState = () => [
    scene.git("rev-parse", "HEAD"),
    scene.git("diff", "--cached"),
    scene.git("stash", "list"),
    scene.git("for-each-ref"),
    scene.git("worktree", "list"),
  ];
  const askedOf = (id: string) =>
    scene.server.requests.filter(({ view }) => view.messages.some(({ text }) => text.includes(`You are ${id}.`)));

  it("SA-07 G-77 two agents that edit different files both land, the person's own edit stays, and nothing is left", async () => {
    await begin({
      parent: [tasks([apart("One"), apart("Two")]), says],
      One: [shell('sed -i s/one/ONE/ "$PWD/a.txt"; git stash; git stash pop; cat c.txt'), yields("one is done")],
      Two: [shell("echo changed > b.txt; mkdir new; echo x > new/file"), yields("two is done")],
    });
    scene.write("c.txt", "not committed\n");
    scene.write("a.txt", "one\ntwo\nthree\nand mine\n");
    const before = gitState();
    const { code, stdout, stderr } = await go();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/one is done\n\n\[Merged into your files: a\.txt\]\n\[One has ended for good/);
    expect(stdout).toContain("two is done\n\n[Merged into your files: b.txt, new/file]");
    expect(["a.txt", "b.txt", "c.txt", "new/file"].map(scene.read)).toEqual([
      "ONE\ntwo\nthree\nand mine\n",
      "changed\n",
      "not committed\n",
      "x\n",
    ]);
    expect(gitState()).toEqual(before);
    expect(scene.views()).toEqual([]);
    expect(lastMessage(askedOf("One").at(-1)!)).toContain("not committed");
  });

  it("SA-07 G-77 an agent whose change conflicts gets it back once, with the project's lines, and its answer lands", async () => {
    await begin({
      parent: [tasks([apart("One")]), says],
      One: [
        shell("sed -i s/two/agent/ a.txt"),
        () => {
          scene.write("a.txt", "one\nperson\nthree\n");
          return yields("first");
        },
        shell("cat a.txt; printf 'one\\nperson and agent\\nthree\\n' > a.txt"),
        yields("second"),
      ],
    });
    const { stdout } = await go();
    expect(stdout).toContain("second\n\n[Merged into your files: a.txt]");
    expect(scene.read("a.txt")).toBe("one\nperson and agent\nthree\n");
    const heard = askedOf("One").map(lastMessage);
    expect(heard[2]).toContain("- a.txt:2: both sides changed these lines");
    expect(heard[3]).toMatch(/<<<<<<< project\nperson\n=======\nagent\n>>>>>>> /);
    expect(scene.views()).toEqual([]);
  });

  it("SA-07 G-77 a conflict that stays is a failure: the files are as before, the patch is kept, and both sides have numbers", async () => {
    await begin({
      parent: [
        tasks([apart("One"), apart("Two")]),
        turn.calls([{ name: "read_file", args: { file_path: "conflict://1" }, id: "c" }]),
        (request) => turn.text(`${request.result("t")}\n${request.result("c")}`),
      ],
      One: [shell("sed -i s/two/first/ a.txt"), yields("one")],
      Two: [shell("sed -i s/two/second/ a.txt; echo 2 > b.txt"), yields("two"), yields("two again")],
    });
    const { stdout } = await go();
    const [one, two] = ["One", "Two"].map((id) => stdout.indexOf(`id="${id}"`));
    // Whoever lands first: the other one fails.
    const failed = /id="(\w+)" agent="task" status="failed"/.exec(stdout)?.[1];
    expect([one, two]).not.toContain(-1);
    expect(["One", "Two"]).toContain(failed);
    expect(stdout.match(/status="failed"/g)).toHaveLength(1);
    expect(stdout).toMatch(
      /None of its changes were merged; your files are unchanged\. Merge failed\.\n- a\.txt:2: both sides/,
    );
    expect(stdout).toContain("Both sides of each: conflict://1 (a.txt, line 2).");
    const [patch] = scene.filesNamed(`${failed}.patch`);
    expect(stdout).toContain(`git apply --3way ${patch}`);
    expect(readFileSync(patch!, "utf8")).toMatch(failed === "One" ? /\+first/ : /\+second/);
    expect(readFileSync(patch!, "utf8")).not.toContain("<<<<<<<");
    expect(scene.read("a.txt")).toBe(`one\n${failed === "One" ? "second" : "first"}\nthree\n`);
    expect(stdout).toMatch(/conflict:\/\/1 \(a\.txt, lines 2-2\)\n--- ours \(the file\)\n\w+\n--- theirs/);
    expect(scene.git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("SA-07 G-77 as branches: each agent is one commit on HEAD, also in a nested repository, and the files stay", async () => {
    const commits: string[] = [];
    const first = (request: RecordedRequest) => {
      if (!request.text.includes("message of a git commit")) return tasks([apart("One"), apart("Two")]);
      commits.push(request.text);
      return turn.text(request.text.includes("work of One") ? "```\nPut 1 into a\n\nIt was asked for.\n```" : " ");
    };
    await begin({
      parent: [first, says],
      One: [shell("echo 1 > a.txt; echo x > vendor/x/x.txt"), yields("one")],
      Two: [shell("echo 2 > b.txt"), yields("two")],
    });
    scene.config("task: { isolation: { merge: branch, commits: ai } }\n");
    scene.write("vendor/x/x.txt", "nested\n");
    const nested = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
        cwd: join(scene.box.dir, "vendor/x"),
      }).toString();
    nested("init", "-q", "-b", "main");
    nested("add", "-A");
    nested("commit", "-qm", "nested");
    const { stdout, stderr } = await go();
    expect(stdout).toContain("[Its changes are on the branch lathe/task/One; your files are unchanged.");
    const message = (id: string) => scene.git("log", "--format=%B", `main..lathe/task/${id}`).trim();
    expect(message("One")).toBe("Put 1 into a\n\nIt was asked for.\n\nBy the agent One.");
    expect(message("Two")).toBe("work of Two\n\nBy the agent Two.");
    expect(stderr).toContain("The commit of Two has a plain message: the model wrote nothing");
    expect(commits.some((text) => text.includes("+1"))).toBe(true);
    expect(nested("show", "lathe/task/One:x.txt")).toBe("x\n");
    expect([scene.read("a.txt"), scene.read("vendor/x/x.txt")]).toEqual(["one\ntwo\nthree\n", "nested\n"]);
  });

  it("SA-07 SP-07 G-77 what an agent changes in a nested repository lands there, or is a patch of its own; outputs are kept as files", async () => {
    const gaveUp = turn.calls([{ name: "yield", args: { output: "cannot", status: "aborted" }, id: "y" }]);
    await begin({
      parent: [tasks([apart("One"), apart("Two")]), says],
      One: [shell("echo 2 > vendor/x/x.txt"), yields("one")],
      Two: [shell("echo 3 > vendor/x/x.txt; echo half > a.txt"), gaveUp],
    });
    scene.write("vendor/x/x.txt", "1\n");
    execFileSync("git", ["init", "-q"], { cwd: join(scene.box.dir, "vendor/x") });
    const { stdout } = await go();
    expect(stdout).toContain("[Merged into your files: vendor/x/x.txt]");
    // Of an agent that fails nothing lands, and what it changed is kept.
    expect(stdout).toContain(
      "cannot\n\n[None of its changes were merged; your files are unchanged. It did not finish.",
    );
    expect([scene.read("vendor/x/x.txt"), scene.read("a.txt")]).toEqual(["2\n", "one\ntwo\nthree\n"]);
    expect(readFileSync(scene.filesNamed("Two.patch")[0]!, "utf8")).toContain("+half");
    expect(scene.filesNamed("Two.nested-1.patch").map((path) => readFileSync(path, "utf8"))).toEqual([
      expect.stringMatching(/^diff --git a\/x\.txt b\/x\.txt\n[\s\S]*\+3\n$/),
    ]);
    expect(scene.filesNamed("One.md").map((path) => readFileSync(path, "utf8"))).toEqual([
      "one\n\n[Merged into your files: vendor/x/x.txt]",
    ]);
  });

  it("SA-07 a red check goes back with its output, and only what passes lands", async () => {
    await begin({
      parent: [tasks([apart("Good"), apart("Bad")], { agent: "checked" }), says],
      Good: [shell("echo wrong > a.txt"), yields("first"), shell("echo right > a.txt"), yields("second")],
      Bad: [shell("echo wrong > b.txt"), yields("first"), yields("still wrong")],
    });
    scene.write(
      ".lathe/agents/checked.md",
      "---\nname: checked\ndescription: Checked\nverify: touch ran; cat a.txt b.txt; ! grep -q wrong a.txt b.txt\n---\nWork.\n",
    );
    await scene.box.run(["trust"]);
    const { stdout } = await go();
    expect(stdout).toMatch(
      /id="Good" agent="checked" status="completed">\nsecond\n\n\[Merged into your files: a\.txt\]/,
    );
    expect(stdout).toMatch(
      /id="Bad" agent="checked" status="failed">\nstill wrong\n\n\[None of its changes were merged/,
    );
    expect(stdout).toMatch(/Its check failed with exit code 1:\n.*wrong/s);
    expect([scene.read("a.txt"), scene.read("b.txt")]).toEqual(["right\n", "b\n"]);
    expect(askedOf("Good").map(lastMessage)[2]).toMatch(/exit code 1:\nwrong\nb\n/);
    expect(readFileSync(scene.filesNamed("Bad.patch")[0]!, "utf8")).toContain("+wrong");
    expect(scene.git("status", "--short", "ran")).toBe("");
  });

  it("SA-07 a check that nobody permitted is not run, and nothing lands", async () => {
    await begin({
      parent: [tasks([apart("One")], { agent: "checked" }), says],
      One: [
        turn.calls([{ name: "write_file", args: { file_path: "a.txt", content: "new" }, id: "w" }]),
        yields("done"),
      ],
    });
    scene.write(
      ".lathe/agents/checked.md",
      "---\nname: checked\ndescription: Checked\nverify: sh check.sh\n---\nWork.\n",
    );
    scene.write("check.sh", "touch ../ran");
    await scene.box.run(["trust"]);
    const rules = ["--permission-mode", "auto-edit", "--allow", "agent(*)"];
    const { stdout } = await scene.run([...rules, "-p", "go"]);
    expect(stdout).toContain(
      "[None of its changes were merged; your files are unchanged. Denied by the unattended run: land needs",
    );
    expect(() => scene.read("../ran")).toThrow();
    expect(scene.read("a.txt")).toBe("one\ntwo\nthree\n");
    const allowed = await scene.run([...rules, "--allow", "shell(sh check.sh)", "-p", "go"]);
    expect(allowed.stdout).toContain("[Merged into your files: a.txt]");
  });

  it("SA-07 with task.isolation.mode none, task does not offer it, and an agent that needs it is refused in one line", async () => {
    await begin({ parent: [tasks([{ id: "One", assignment: "x" }], { agent: "checked" }), says] });
    scene.config("task: { isolation: { mode: none } }\n");
    scene.write(".lathe/agents/checked.md", "---\nname: checked\ndescription: Checked\nverify: 'true'\n---\nWork.\n");
    await scene.box.run(["trust"]);
    const { stdout } = await go();
    expect(stdout).toBe(
      "One was not started: The agent One cannot be isolated: task.isolation.mode is none. Set it to auto, or start another agent.\n",
    );
    const offered = (): boolean => JSON.stringify(scene.server.requests.at(-1)!.body).includes('"isolated":');
    expect(offered()).toBe(false);
    scene.config("");
    await go();
    expect(offered()).toBe(true);
  });

  it("SA-07 the first of a race that passes the check lands, and the others are stopped", async () => {
    const never = () => new Promise<never>(() => {});
    await begin({
      parent: [tasks([{ id: "R", assignment: "race" }], { race: 3, verify: "grep -q right a.txt" }), says],
      R: [shell("echo wrong > a.txt"), yields("wrong"), yields("wrong again")],
      "R-2": [shell("echo right > a.txt"), yields("right")],
      "R-3": [shell("echo late > b.txt"), never],
    });
    const { stdout } = await go();
    expect(stdout).toMatch(/id="R-2" agent="task" status="completed">\nright\n\n\[Merged into your files: a\.txt\]/);
    expect(stdout).toMatch(
      /id="R-3" agent="task" status="failed">\nit lost the race: R-2 was first\n\n\[None of its changes were merged/,
    );
    expect([scene.read("a.txt"), scene.read("b.txt")]).toEqual(["right\n", "b\n"]);
    expect(scene.views()).toEqual([]);
  });

  it("SA-07 a landing in the background is one step: undo takes it back with the message that told of it, and redo brings it", async () => {
    await begin({
      parent: [tasks([apart("One")]), turn.text("started"), turn.text("heard")],
      One: [
        shell("echo 1 > a.txt; rm b.txt; echo new > c.txt; rm -r d; echo d > d; rm f; mkdir f; echo x > f/x"),
        yields("one"),
      ],
    });
    scene.write("d/e/y", "y\n");
    scene.write("f", "f\n");
    const host = new RpcHost(scene.box.open([...scene.args, ...full, "--mode", "rpc"], scene.env));
    await host.prompt("go");
    await until(() => host.events().filter(({ type }) => type === "agent_end").length === 2);
    expect(await host.finish()).toBe(0);
    const files = () =>
      ["a.txt", "b.txt", "c.txt", "d", "d/e/y", "f", "f/x"].map(
        (name) =>
          existsSync(join(scene.box.dir, name)) && lstatSync(join(scene.box.dir, name)).isFile() && scene.read(name),
      );
    // A file took the place of a folder, and a folder that of a file.
    const landed = ["1\n", false, "new\n", "d\n", false, false, "x\n"];
    expect(files()).toEqual(landed);
    scene.write("mine.txt", "of the person\n");
    expect(await scene.box.run(["rewind", "--undo"])).toMatchObject({ code: 0, stderr: "" });
    expect(files()).toEqual(["one\ntwo\nthree\n", "b\n", false, false, "y\n", "f\n", false]);
    expect(await scene.box.run(["rewind", "--redo"])).toMatchObject({ code: 0, stderr: "" });
    expect(files()).toEqual(landed);
    expect(scene.read("mine.txt")).toBe("of the person\n");
  });

  it("T-WRITE-4 SA-07 the parent settles a conflict that did not land by its number", async () => {
    const settle = turn.calls([
      { name: "write_file", args: { file_path: "conflict://1", content: "@ours\n@theirs" }, id: "w" },
    ]);
    await begin({
      parent: [tasks([apart("One")]), settle, (request) => turn.text(request.result("w") ?? "")],
      One: [
        shell("sed -i s/two/agent/ a.txt"),
        () => {
          scene.write("a.txt", "zero\none\nperson\nthree\n");
          return yields("first");
        },
        yields("the same again"),
      ],
    });
    const { stdout } = await go();
    expect(stdout).toContain("Resolved conflict://1. a.txt has no conflicts left.");
    expect(scene.read("a.txt")).toBe("zero\none\nperson\nagent\nthree\n");
  });
});
