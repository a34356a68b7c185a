// A session in a process of its own, and several clients at its door.

import { defaultDeps } from "@lathe/llm";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openChildDoor } from "../../src/doors/door/child-door.ts";
import type { SharedDoor } from "../../src/doors/door/shared-door.ts";
import { CLI } from "../command.ts";
import { MODEL, type Setup, setup } from "../rpc-host.ts";
import { clientNamed, Follower, saidIn } from "./follower.ts";

let rig: Setup;
const doors: SharedDoor[] = [];
beforeEach(async () => {
  rig = await setup();
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
  await rig.remove();
});

async function openDoor(...args: readonly string[]): Promise<SharedDoor> {
  const door = await openChildDoor({
    command: [process.execPath, CLI],
    cwd: rig.box.dir,
    env: { ...rig.box.env, ...rig.env },
    args: [...MODEL, "--permission-mode", "ask", ...args],
    deps: defaultDeps(),
  });
  doors.push(door);
  return door;
}

const laptop = clientNamed("laptop");
const phone = clientNamed("phone");

it("M1: of two clients the first one answers, the other sees whose answer it was; with nobody connected a question waits", async () => {
  rig.server.push(
    turn.calls([{ name: "shell", args: { command: "touch one" } }]),
    turn.calls([{ name: "shell", args: { command: "touch two" } }]),
    turn.text("Both are there.", { deltaChars: 1 }),
  );
  const door = await openDoor();
  const first = new Follower(door, laptop);
  await first.wait("snapshot");
  await door.command(laptop, "prompt", { message: "make them" });
  const { question } = await first.wait("question");
  expect(question).toMatchObject({ method: "confirm", toolName: "shell" });
  expect(question).not.toHaveProperty("timeout");
  const second = new Follower(door, phone);
  const { snapshot } = await second.wait("snapshot");
  expect(snapshot.questions).toEqual([question]);
  expect(snapshot.running.map(({ type }) => type)).toContain("lathe:approval_request");
  expect(snapshot.clients.map(({ name }) => name)).toEqual(["laptop", "phone"]);

  const watcher = clientNamed("watcher", "read", "prompt");
  await expect(door.answer(watcher, question.id, { confirmed: true })).rejects.toMatchObject({ code: "wrong_scope" });
  await expect(door.answer(phone, question.id, { value: "yes" })).rejects.toMatchObject({ code: "invalid_answer" });
  const outcomes = [
    door.answer(phone, question.id, { confirmed: true }),
    door.answer(laptop, question.id, { confirmed: false }),
  ];
  expect(await Promise.all(outcomes)).toEqual([{ status: "accepted" }, { status: "settled", by: "phone" }]);
  expect(await door.answer(phone, "1-nosuch", { confirmed: true })).toEqual({ status: "unknown" });
  expect(await first.wait("settled")).toMatchObject({
    questionId: question.id,
    by: "phone",
    answer: { confirmed: true },
  });

  const next = await first.wait("question", ({ question: { id } }) => id !== question.id);
  await Promise.all([first.leave(), second.leave()]);
  expect(door.questions).toEqual([next.question]);
  const back = new Follower(door, laptop, first.last);
  await door.answer(laptop, next.question.id, { confirmed: true });
  await back.event("agent_end");
  const seqs = [...first.frames, ...back.frames].flatMap(({ kind, seq }) => (kind === "snapshot" ? [] : [seq]));
  expect(seqs).toEqual(seqs.map((_, i) => (seqs[0] ?? 0) + i));
  expect(saidIn(back.events)).toBe("Both are there.");
  expect(door.isBusy).toBe(false);
});

it("M1: a killed session is a closed door with a problem; another door to it goes on from its journal", async () => {
  rig.server.push(
    turn.text("Hello."),
    turn.calls([{ name: "shell", args: { command: "sleep 60" } }]),
    turn.text("Again."),
  );
  const door = await openDoor();
  const follower = new Follower(door, laptop);
  await follower.wait("snapshot");
  await door.command(laptop, "prompt", { message: "hello" });
  await follower.event("agent_end");
  await door.command(laptop, "prompt", { message: "sleep" });
  const { question } = await follower.wait("question");
  process.kill(door.pid ?? 0, "SIGKILL");
  expect(await follower.wait("closed")).toMatchObject({ problem: "The agent ended (SIGKILL)." });
  await follower.ended;
  expect(follower.frames.at(-2)).toMatchObject({ kind: "settled", questionId: question.id, by: "session" });
  await expect(door.command(laptop, "get_state", {})).rejects.toMatchObject({ code: "closed" });
  const late = new Follower(door, phone);
  await late.ended;
  expect(late.frames.map(({ kind }) => kind)).toEqual(["snapshot", "closed"]);

  const again = await openDoor("--resume", door.sessionId);
  expect(again.sessionId).toBe(door.sessionId);
  // Its numbers differ from the first door's, so the missed frames cannot be sent and a snapshot comes.
  const back = new Follower(again, laptop, follower.last);
  expect((await back.wait("snapshot")).snapshot.questions).toEqual([]);
  await again.command(laptop, "prompt", { message: "again" });
  await back.event("agent_end");
  expect(saidIn(back.events)).toBe("Again.");
});
