// Recordings of runs with agents: a replay must keep the order in which everything arrived, at whichever agent.

import { join } from "node:path";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type AgentStage, agentStage, type Cast, says, shell, tasks, yields } from "./agents-kit.ts";

let scene: AgentStage;
afterEach(() => scene.close());

const irc = (args: object) => turn.calls([{ name: "irc", args: args as never, id: "i" }]);
const parallel = (name: string) =>
  turn.calls(
    [1, 2, 3].map((n) => ({
      name: "shell",
      args: { command: `sleep 0.0$((RANDOM % 9)); echo ${name}${n} $RANDOM` },
      id: `p${n}`,
    })),
  );

async function replays(cast: Cast, files: Record<string, string> = { "a.txt": "one\ntwo\nthree\n" }): Promise<string> {
  scene = await agentStage(cast, files);
  const dir = join(scene.box.home, "rec");
  const { code, stdout, stderr } = await scene.run(["--permission-mode", "full", "--record", dir, "-p", "go"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const again = await scene.box.run(["replay", dir]);
  expect(again).toMatchObject({ code: 0, stdout, stderr: expect.stringContaining("identical") });
  return stdout;
}

it("SA-01 four agents with commands and messages, and a bundled kind that only reads, replay to equal journals", async () => {
  const look = (request: RecordedRequest) => (request.result("s") === undefined ? shell("ls") : yields("looked"));
  const work = (id: string) => [parallel(id), irc({ op: "send", to: "Main", message: `from ${id}` }), yields(id)];
  const ids = ["One", "Two", "Three", "Four"];
  const out = await replays({
    parent: [
      tasks(ids.map((id) => ({ id, assignment: `work of ${id}` }))),
      tasks([{ id: "Look", assignment: "look" }], { agent: "explore" }),
      says,
    ],
    ...Object.fromEntries(ids.map((id) => [id, work(id)])),
    Look: [look, look],
  });
  expect(out).not.toBe("");
});
