import { textOf } from "@lathe/llm";
import { expect, it } from "vitest";
import { Checkpoints } from "../../src/tools/checkpoint/checkpoints.ts";
import type { Script } from "../support/scripted-client.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const read = tool("read", (args) => `content of ${String(args["path"])}`);

function withCheckpoints(script: Script) {
  const s = setUp({ profile: testProfile([read]), script });
  const checkpoints = new Checkpoints();
  for (const one of checkpoints.tools()) s.session.registerTool(one);
  s.session.use(checkpoints.middleware());
  return s;
}
const reading = (n: number) => ({ calls: [{ name: "read", args: { path: `file-${n}` } }] });
const mark = { calls: [{ name: "checkpoint", args: { goal: "find the bug" } }] };
const back = { calls: [{ name: "rewind", args: { report: "It is in line 12 of a.ts." } }] };

it("T-CHK-1 after a rewind the model sees its report and nothing of what it read; the journal keeps it", async () => {
  const s = withCheckpoints([mark, ...[1, 2, 3, 4, 5].map(reading), back, { text: "fixed" }]);
  await s.session.submit("find it");
  const last = JSON.stringify(s.client.requests.at(-1)!.messages);
  expect(last).not.toContain("content of file-");
  expect(last).toContain("It is in line 12 of a.ts.");
  expect(last).toContain("find it");
  const { journal } = s.session;
  const all = [...journal.entryIds()].map((id) => JSON.stringify(journal.entry(id)));
  expect(all.filter((text) => text.includes("content of file-"))).toHaveLength(5);
  expect(s.of("prefix_changed").map(({ data }) => data.reason)).toEqual(["branch"]);
  await s.finish();
});

it("T-CHK-1 what the user says in between stays in the context", async () => {
  const s = withCheckpoints([
    mark,
    { ...reading(1), before: () => void s.session.steer("look at b.ts too") },
    back,
    { text: "done" },
  ]);
  await s.session.submit("find it");
  expect(JSON.stringify(s.client.requests.at(-1)!.messages)).toContain("look at b.ts too");
  await s.finish();
});

it("T-CHK-1 an answer with an open checkpoint is followed by a request that reminds of it, once", async () => {
  const s = withCheckpoints([mark, { text: "I am done" }, { text: "really" }]);
  await s.session.submit("find it");
  expect(s.client.requests).toHaveLength(3);
  expect(textOf(s.client.requests[2]!.messages.at(-1)!)).toContain("You have an active checkpoint.");
  await s.finish();
});

it("T-CHK-1 there is one checkpoint at a time, and none after its input has ended", async () => {
  const s = withCheckpoints([mark, mark, { text: "a" }, { text: "b" }, back, { text: "c" }]);
  await s.session.submit("find it");
  await s.session.submit("go on");
  const errors = s.of("tool_call_end").flatMap(({ data }) => (data.is_error ? [data.error] : []));
  expect(errors).toEqual(["Checkpoint already active.", "No checkpoint is active."]);
  await s.finish();
});
