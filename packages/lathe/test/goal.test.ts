// `lathe goal` and `/goal`: work continues until a command passes, a limit ends it, or there is no progress (N1).

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";
import { RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

const full = ["--permission-mode", "full"];
const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const part = (args: object) => turn.calls([{ name: "sub_goal", args: args as never }]);
const goal = (...more: string[]) => scene.box.run(["goal", ...scene.args, ...full, ...more], { env: scene.env });
const said = (request: number): string =>
  scene.server.requests[request]?.view.messages.map(({ text }) => text).join("\n") ?? "";
const result = (request: number): string =>
  scene.server.requests[request]?.view.messages
    .at(-1)
    ?.results.map(({ text }) => text)
    .join("\n") ?? "";

it("N1 a failed check goes back to the model until the command passes", async () => {
  scene = await stage([shell("echo 1 > a.txt"), turn.text("Done."), shell("echo 2 > a.txt"), turn.text("Now it is.")]);
  const done = await goal("Make", "a", "two", "--until", "echo looked >> seen; grep 2 a.txt");
  expect(done).toMatchObject({ code: 0, stdout: "Now it is.\n" });
  expect(said(0)).toContain("Make a two");
  expect(said(2)).toMatch(/not reached yet[\s\S]*exit code 1/);
  expect(existsSync(join(scene.box.dir, "seen")), "a check changes nothing in the project").toBe(false);
  expect(scene.server.requests).toHaveLength(4);
});

it("N1 the same files and the same failure twice end the work, and say so", async () => {
  scene = await stage([
    shell("echo 1 > a.txt"),
    turn.text("Done."),
    turn.text("Really done."),
    turn.text("never asked"),
  ]);
  const { code, stderr } = await goal("Make a two", "--until", "grep 2 a.txt");
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing has changed since/) });
  expect(scene.server.requests).toHaveLength(3);
});

it("N1 a test that was weakened does not reach the goal", async () => {
  scene = await stage([shell("echo 'exit 0' > check.test.sh"), turn.text("Done."), turn.text("Yes.")]);
  await writeFile(join(scene.box.dir, "check.test.sh"), "grep 2 a.txt\n");
  const { code, stderr } = await goal("Make the test pass", "--until", "sh check.test.sh");
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/goal is not reached/) });
  expect(said(2)).toContain("check.test.sh");
});

it("N1 a limit ends the work, and lathe -c goes on at the same place", async () => {
  scene = await stage([shell("echo 1 > a.txt"), turn.text("Done."), shell("echo 2 > a.txt"), turn.text("Now it is.")]);
  expect(await goal("Make a two", "--until", "grep 2 a.txt", "--max-turns", "2")).toMatchObject({ code: 5 });
  expect(scene.server.requests).toHaveLength(2);
  const more = await scene.run([...full, "-c"]);
  expect(more).toMatchObject({ code: 0, stdout: "Now it is.\n" });
  expect(await readFile(join(scene.box.dir, "a.txt"), "utf8")).toBe("2\n");
});

it("N1 sub-goals are proven by their commands, and open ones keep the goal open", async () => {
  scene = await stage([
    part({ op: "add", text: "a is there", until: "test -f a.txt" }),
    part({ op: "add", text: "b is there", until: "test -f b.txt" }),
    part({ op: "done", number: 1 }),
    shell("touch a.txt c.txt"),
    part({ op: "done", number: 1 }),
    turn.text("Done."),
    part({ op: "drop", number: 2, reason: "c stands for it" }),
    turn.text("All done."),
  ]);
  expect(await goal("Files", "--until", "test -f c.txt")).toMatchObject({ code: 0, stdout: "All done.\n" });
  expect(result(3)).toMatch(/Sub-goal 1 is not proven/);
  expect(result(5)).toMatch(/Proven\.[\s\S]*1\. \[x\] a is there[\s\S]*2\. \[ \] b is there/);
  expect(said(6)).toMatch(/still open:\s*2\. b is there/);
});

it("N1 a goal without its command is refused before anything is sent", async () => {
  scene = await stage([]);
  for (const args of [["Make a two"], ["--until", "true"], ["Make a two", "--until"]])
    expect(await goal(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining("--until '<command>'") });
  expect(await goal("x", "--until", "grep 'a")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/cannot read `grep 'a`/),
  });
  for (const until of ["if [", "for", "if true; then"])
    expect(await goal("x", "--until", until)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot read"),
    });
  expect(scene.server.requests).toEqual([]);
});

it("N1 /goal over RPC sets and shows a goal, and has none to stop once it is met", async () => {
  const script: Script = ({ index }) =>
    [shell("echo 1 > a.txt"), turn.text("Done."), shell("echo 2 > a.txt"), turn.text("Now it is.")][index] ??
    turn.text("ok");
  scene = await stage(script);
  const host = new RpcHost(scene.box.open([...scene.args, ...full, "--mode", "rpc"], scene.env));
  await host.prompt("/goal Make a two --until 'grep 2 a.txt'");
  expect(scene.server.requests).toHaveLength(4);
  await host.ask("prompt", { message: "/goal" });
  expect(JSON.stringify(host.frames)).toContain("Goal: Make a two (met)");
  expect(await host.ask("prompt", { message: "/goal stop" })).toMatchObject({ success: false });
  expect(await host.finish()).toBe(0);
});

it("N1 the result of a goal says how it ended", async () => {
  scene = await stage([shell("echo 2 > a.txt"), turn.text("Done.")]);
  const { stdout } = await goal("Make a two", "--until", "grep 2 a.txt", "--json");
  expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", status: "done", verification: "verified" });
});
