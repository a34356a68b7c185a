// A model that makes the same call again and again.

import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

let scene: Stage | undefined;
afterEach(() => scene?.close());

const TOLD = "has failed 3 times in a row. Do not repeat it";

it.each([
  ["an invalid call", "read_file", { path: 7 }],
  ["a tool that does not exist", "no_such_tool", {}],
  ["a command that fails", "shell", { command: "exit 3" }],
])("%s repeated for ever ends after five requests at most, with its reason and exit code 1", async (_, name, args) => {
  scene = await stage(() => turn.calls([{ name, args }]));
  const { code, stderr } = await scene.run(["--permission-mode", "full", "-p", "go"]);
  expect({ code, requests: scene.server.requests.length }).toEqual({ code: 1, requests: 4 });
  expect(stderr).toContain(
    `The model repeated the same failing call of ${name} 4 times, although it was told to stop.`,
  );
  expect(scene.server.requests[3]?.text.split(TOLD)).toHaveLength(2);
});

it("a failing call repeated for ever beside one that works ends the same way, and the model is told once", async () => {
  const shell = (command: string) => ({ name: "shell", args: { command } });
  scene = await stage((request) =>
    turn.calls(request.text.includes(TOLD) ? [shell("echo ok"), shell("exit 3")] : [shell("exit 3"), shell("echo ok")]),
  );
  const { code, stderr } = await scene.run(["--permission-mode", "full", "-p", "go", "--max-turns", "12"]);
  expect({ code, requests: scene.server.requests.length }).toEqual({ code: 1, requests: 4 });
  expect(stderr).toContain("The model repeated the same failing call of shell 4 times");
  expect(scene.server.requests[3]?.text.split(TOLD)).toHaveLength(2);
});

it("a model that changes its ways after it was told goes on", async () => {
  const fails = turn.calls([{ name: "shell", args: { command: "exit 3" } }]);
  const works = turn.calls([{ name: "shell", args: { command: "true" } }]);
  scene = await stage([fails, fails, fails, works, fails, turn.text("done")]);
  expect(await scene.run(["--permission-mode", "full", "-p", "go"])).toMatchObject({ code: 0, stdout: "done\n" });
});

it("four failing calls in one round are told about before anything ends, since the model knew of none of them", async () => {
  const fails = turn.calls(Array(4).fill({ name: "shell", args: { command: "exit 3" } }));
  scene = await stage([fails, turn.text("done")]);
  const { code, stdout, stderr } = await scene.run(["--permission-mode", "full", "-p", "go"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(stderr).not.toContain("although");
  expect(scene.server.requests[1]?.text).toContain("has failed 4 times in a row. Do not repeat it");
});

it("RN-07 a call that works and says the same for ever ends with its reason and exit code 1", async () => {
  scene = await stage(() => turn.calls([{ name: "shell", args: { command: "echo same" } }]));
  const { code, stderr } = await scene.run(["--permission-mode", "full", "-p", "go", "--max-turns", "60"]);
  expect({ code, requests: scene.server.requests.length }).toEqual({ code: 1, requests: 50 });
  expect(stderr).toContain("The model made the same calls (shell) 50 times in a row with the same results.");
});

it("RN-07 a command that waits for something may be repeated as long as what it says changes", async () => {
  const poll = turn.calls([{ name: "shell", args: { command: "echo x >>polls; wc -l <polls" } }]);
  scene = await stage([...Array(55).fill(poll), turn.text("done")]);
  const { code, stdout } = await scene.run(["--permission-mode", "full", "-p", "go"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
});
