// A snapshot and the frames after it must meet without a gap, in whatever order the session's answer and its events
// arrive.

import { defaultDeps } from "@lathe/llm";
import { expect, it } from "vitest";
import { type SessionLink, SharedDoor } from "../../src/doors/door/shared-door.ts";
import type { CommandData } from "../../src/hosts/rpc/commands.ts";
import type { EventListener } from "../../src/hosts/rpc-client/client.ts";
import type { WireEvent } from "../../src/hosts/wire/events.ts";
import { clientNamed, Follower } from "./follower.ts";

type State = CommandData<"get_state">;

/** A session that answers when the test tells it to. */
class ScriptedLink implements SessionLink {
  readonly hasEnded = false;
  tell: EventListener = () => {};
  readonly #asked: ((state: State) => void)[] = [];

  request(): Promise<never> {
    return new Promise<State>((resolve) => this.#asked.push(resolve)) as Promise<never>;
  }
  get isAsked(): boolean {
    return this.#asked.length > 0;
  }
  answer(leafId: string | null, isStreaming = false): void {
    this.#asked.shift()?.({ sessionId: "s", leafId, isStreaming } as State);
  }
  onEvent(listener: EventListener): void {
    this.tell = listener;
  }
  onUiRequest(): void {}
  onFailure(): void {}
  async stop(): Promise<void> {}
}

it("M1: events that come in one piece with the answer about the state are in the snapshot's entries or come after it, never neither", async () => {
  const link = new ScriptedLink();
  const opening = SharedDoor.open(link, { deps: defaultDeps() });
  await expect.poll(() => link.isAsked).toBe(true);
  link.answer("e1");
  const door = await opening;
  const follower = new Follower(door, clientNamed("page"));
  await expect.poll(() => link.isAsked).toBe(true);
  // One read of the pipe: the answer, followed by what has happened since.
  link.answer("e1");
  link.tell({ type: "turn_start" }, "s", "e2");
  const { seq, snapshot } = await follower.wait("snapshot");
  const next = new Follower(door, clientNamed("other"), seq);
  link.tell({ type: "agent_start" }, "s", "e2");
  await next.event("agent_start");
  expect(next.frames[0]).toMatchObject({ seq: seq + 1 });
  expect([snapshot.lastEntryId, snapshot.state.leafId]).toEqual(["e2", "e2"]);
  await Promise.all([follower.leave(), next.leave()]);
  await door.close();
});

it.each([
  ["ends", "agent_end", false],
  ["begins", "agent_start", true],
] as const)(
  "M1: a snapshot of a session whose work %s in one piece with the answer about the state says so",
  async (_, type, isStreaming) => {
    const link = new ScriptedLink();
    const opening = SharedDoor.open(link, { deps: defaultDeps() });
    await expect.poll(() => link.isAsked).toBe(true);
    link.answer("e1", !isStreaming);
    const door = await opening;
    const follower = new Follower(door, clientNamed("page"));
    await expect.poll(() => link.isAsked).toBe(true);
    link.answer("e1", !isStreaming);
    link.tell({ type, messages: [] } as unknown as WireEvent, "s", "e2");
    // The first answer is older than the frames, so no one would learn of the end.
    await expect.poll(() => link.isAsked || follower.frames.some(({ kind }) => kind === "snapshot")).toBe(true);
    link.answer("e2", isStreaming);
    const { seq, snapshot } = await follower.wait("snapshot");
    expect(snapshot.state).toMatchObject({ isStreaming, leafId: "e2" });
    expect(follower.frames.filter((frame) => frame.kind === "event" && frame.seq <= seq)).toEqual([]);
    await follower.leave();
    await door.close();
  },
);

it("M1: a door is busy when the work begins in one piece with the answer that it is opened with", async () => {
  const link = new ScriptedLink();
  const opening = SharedDoor.open(link, { deps: defaultDeps() });
  await expect.poll(() => link.isAsked).toBe(true);
  link.answer("e1");
  link.tell({ type: "agent_start" }, "s", "e2");
  const door = await opening;
  expect(door.isBusy).toBe(true);
  await door.close();
});
