// An answer whose deltas arrive in one read.

import { tmpdir } from "node:os";
import { defaultDeps } from "@lathe/llm";
import { renderStream, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { createSession } from "../../src/session/headless/create-session.ts";

/** More than a reader may lag before its deltas are merged. */
const DELTAS = 3000;

async function openSession() {
  async function* oneRead() {
    yield renderStream(turn.text("x".repeat(DELTAS), { deltaChars: 1 }), "anthropic");
  }
  const headers = { "content-type": "text/event-stream" };
  const deps = defaultDeps({
    env: { ANTHROPIC_API_KEY: "k" },
    fetch: async () => ({ status: 200, headers, body: oneRead() }),
  });
  return createSession({ model: "anthropic/claude-opus-4-6", cwd: tmpdir(), deps });
}

const isDelta = (event: SessionEvent): boolean => event.kind === "assistant_text_delta";

it("a reader that keeps up gets each delta of a burst as an event of its own", async () => {
  const session = await openSession();
  const awaited: SessionEvent[] = [];
  const reading = (async () => {
    for await (const event of session.events()) awaited.push(event);
  })();
  const taken: SessionEvent[] = [];
  const takingAll = (async () => {
    const events = session.events();
    for await (const first of events)
      for (let event: SessionEvent | undefined = first; event; event = events.takeQueued()) taken.push(event);
  })();
  expect((await session.submit("go")).text).toBe("x".repeat(DELTAS));
  await session.close();
  await Promise.all([reading, takingAll]);
  expect(awaited.filter(isDelta)).toHaveLength(DELTAS);
  expect(awaited.map(({ seq }) => seq)).toEqual(awaited.map((_, i) => i + 1));
  expect(taken).toEqual(awaited);
});

it("a host that interrupts at the first delta it reads stops an answer that has arrived in whole", async () => {
  const session = await openSession();
  const reading = (async () => {
    for await (const event of session.events()) {
      if (!isDelta(event)) continue;
      session.interrupt();
      return;
    }
  })();
  const { reason, text } = await session.submit("go");
  await reading;
  await session.close();
  expect(reason).toBe("interrupted");
  expect(text.length).toBeLessThan(DELTAS / 2);
});
