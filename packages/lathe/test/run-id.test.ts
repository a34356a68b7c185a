// --run-id with real processes: a run that is requested twice runs once.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "./command.ts";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const named = ["--permission-mode", "full", "--run-id", "nightly"];

describe("--run-id", () => {
  it("a finished run gives its result and code again without a request, in any mode", async () => {
    scene = await stage([turn.text("the answer")]);
    expect(await scene.run([...named, "go"])).toMatchObject({ code: 0, stdout: "the answer\n" });
    expect(await scene.run([...named, "go"])).toMatchObject({ code: 0, stdout: "the answer\n", stderr: "" });
    const json = await scene.run([...named, "--mode", "json", "go"]);
    expect(jsonLines(json.stdout)).toMatchObject([{ type: "result", status: "done", text: "the answer" }]);
    expect(scene.server.requests).toHaveLength(1);
  });

  it("a failure is a result too", async () => {
    scene = await stage([turn.text("", { stop: "content_filter" })]);
    const first = await scene.run([...named, "go"]);
    expect(await scene.run([...named, "go"])).toEqual(first);
    expect(first.code).toBe(1);
    expect(scene.server.requests).toHaveLength(1);
  });

  it("a failure of the provider is not the run's result: asked for again, it goes on", async () => {
    scene = await stage([turn.error(401), turn.text("after all")]);
    expect((await scene.run([...named, "sweep the floor"])).code).toBe(3);
    expect(await scene.run([...named, "sweep the floor"])).toMatchObject({ code: 0, stdout: "after all\n" });
    const said = scene.server.requests[1]?.view.messages.map(({ text }) => text).join("\n");
    expect(said).toMatch(/sweep the floor.*Continue the task/s);
  });

  it("another prompt under the same name is refused", async () => {
    scene = await stage([turn.text("one")]);
    await scene.run([...named, "go"]);
    const other = await scene.run([...named, "go elsewhere"]);
    expect(other).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("another prompt") });
  });

  it("a run that is going on is refused, from its first moment on", async () => {
    const door = gate();
    scene = await stage([turn.text("one", { before: door.wait })]);
    const child = scene.start([...named, "go"]);
    const first = collect(child);
    child.stdin.end();
    await door.reached;
    const second = await scene.run([...named, "go"]);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining("still running in another process") });
    door.open();
    expect(await first).toMatchObject({ code: 0, stdout: "one\n" });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("a run ended by SIGKILL continues: settled calls are not repeated, later prompts are still given", async () => {
    const door = gate();
    scene = await stage([
      shell("echo once >> log"),
      turn.text("never seen", { before: door.wait }),
      turn.text("first done"),
      turn.text("second done"),
    ]);
    const prompts = ["-p", "do the first", "-p", "do the second"];
    const child = scene.start([...named, ...prompts]);
    child.stdin.end();
    await door.reached;
    child.kill("SIGKILL");
    await once(child, "close");
    const again = await scene.run([...named, "--mode", "json", ...prompts]);
    expect(again.code).toBe(0);
    expect(await readFile(join(scene.box.dir, "log"), "utf8")).toBe("once\n");
    const said = scene.server.requests.at(-1)?.view.messages.flatMap(({ text }) => /do the \w+/.exec(text)?.[0] ?? []);
    expect(said).toEqual(["do the first", "do the second"]);
    const result = jsonLines(again.stdout).at(-1);
    expect(result).toMatchObject({ type: "result", status: "done", text: "second done" });
    door.open();
    expect(await scene.run([...named, ...prompts])).toMatchObject({ code: 0, stdout: "second done\n" });
    expect(scene.server.requests).toHaveLength(4);
  });

  it("a run that was interrupted goes on when it is asked for again", async () => {
    const door = gate();
    scene = await stage([turn.text("half", { before: door.wait }), turn.text("whole")]);
    const child = scene.start([...named, "go"]);
    const first = collect(child);
    child.stdin.end();
    await door.reached;
    child.kill("SIGTERM");
    expect((await first).code).toBe(130);
    door.open();
    expect(await scene.run([...named, "go"])).toMatchObject({ code: 0, stdout: "whole\n" });
  });

  it("has a session of its own", async () => {
    scene = await stage([]);
    expect(await scene.run([...named, "-c", "go"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--run-id/),
    });
  });
});
