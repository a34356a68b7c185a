import { describe, expect, it } from "vitest";
import { EventHub } from "../../src/contract/events/hub.ts";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { type Setup, setUp, testProfile, tool } from "../support/session.ts";

const hub = () =>
  new EventHub({
    sessionId: "s",
    now: () => 0,
    snapshot: () => ({ state: "processing", model: "m", leaf_id: null, calls: [] }),
  });

async function drain(reader: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of reader) events.push(event);
  return events;
}

const end = { state: "closed" as const, reason: "closed" as const };

describe("events", () => {
  it("SN-01 D-052 D-054 two readers get the same list, from session_start to session_end", async () => {
    const s = setUp({ script: [{ text: "a", calls: [{ name: "echo" }] }, { text: "b" }] });
    const other = s.session.events();
    await s.session.submit("go");
    await s.finish();
    expect(await drain(other)).toEqual(s.events);
    expect(s.events[0]?.kind).toBe("session_start");
    expect(s.events.at(-1)?.kind).toBe("session_end");
    expect(s.events.map((event) => event.seq)).toEqual(s.events.map((_event, i) => i + 1));
  });

  it("every entry is announced once, when it is in the journal already; a new session does not call itself resumed", async () => {
    const early: string[] = [];
    const s: Setup = setUp({
      script: [{ text: "a", calls: [{ name: "echo" }] }, { text: "b" }],
      onEvent: (event) => {
        if (event.kind === "entry" && !s.session.journal.has(event.data.id)) early.push(event.data.id);
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("entry").map(({ data }) => data.id)).toEqual([...s.session.journal.entryIds()]);
    expect(early).toEqual([]);
    expect(s.of("session_start")[0]?.data.resumed).toBe(false);
  });

  it("a late reader gets a snapshot of what is under way, then live events", async () => {
    let late: Promise<SessionEvent[]> | undefined;
    const s = setUp({
      script: [
        {
          text: "half of it, and the rest",
          midway: () => {
            late = drain(s.session.events());
          },
        },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    const events = await late!;
    expect(events[0]).toMatchObject({
      kind: "snapshot",
      data: { state: "processing", turn: 1, text: "half of it, ", input: { content: "go" }, calls: [] },
    });
    expect(events.slice(1)).toEqual(s.events.slice(-(events.length - 1)));
    expect(events[1]!.seq).toBe(events[0]!.seq + 1);
  });

  it("a slow reader gets deltas merged, never loses a bracket, and does not hold up a fast one", async () => {
    const events = hub();
    const slow = events.read();
    const fast = drain(events.read());
    events.emit("session_start", { profile: "p", model: "m", cwd: "/", resumed: false });
    events.emit("assistant_text_start", {});
    for (let i = 0; i < 5000; i++) {
      events.emit("assistant_text_delta", { delta: `${i},` });
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      events.emit("tool_call_output_delta", { call_id: `c${i % 2}`, delta: String(i % 10), stream: "stdout" });
    }
    events.emit("turn_start", { turn: 1 });
    events.emit("assistant_text_delta", { delta: "tail" });
    events.emit("session_end", end);
    const got = await drain(slow);
    expect(got.length).toBeLessThan(1100);
    const text = (list: readonly SessionEvent[]) =>
      list.flatMap((event) => (event.kind === "assistant_text_delta" ? [event.data.delta] : [])).join("");
    const all = await fast;
    expect(all).toHaveLength(10_005);
    expect(text(got)).toBe(text(all));
    const output = (list: readonly SessionEvent[], id: string) =>
      list
        .flatMap((event) =>
          event.kind === "tool_call_output_delta" && event.data.call_id === id ? [event.data.delta] : [],
        )
        .join("");
    expect(output(got, "c1")).toBe(output(all, "c1"));
    expect(got.filter((event) => !event.kind.endsWith("_delta")).map((event) => event.kind)).toEqual([
      "session_start",
      "assistant_text_start",
      "turn_start",
      "session_end",
    ]);
    expect(text(got).endsWith("tail")).toBe(true);
  });

  it("a reader that hovers between slow and fast gets every text in its order", async () => {
    const events = hub();
    const reader = events.read();
    const got: SessionEvent[] = [];
    let sent = 0;
    const emit = (count: number) => {
      for (let i = 0; i < count; i++) events.emit("assistant_text_delta", { delta: `${sent++},` });
    };
    emit(1100);
    for (let round = 0; round < 400; round++) {
      for (let i = 0; i < round % 5; i++) {
        const next = await reader.next();
        if (!next.done) got.push(next.value);
      }
      emit((round * 7) % 6);
    }
    events.emit("session_end", end);
    got.push(...(await drain(reader)));
    const text = got.flatMap((event) => (event.kind === "assistant_text_delta" ? [event.data.delta] : [])).join("");
    expect(text).toBe(Array.from({ length: sent }, (_value, i) => `${i},`).join(""));
  });

  it("the deltas of child agents are merged like the session's own", async () => {
    const events = hub();
    const children = ["a", "b"].map((agentId) => {
      const child = new EventHub({ sessionId: agentId, agentId, now: () => 0, snapshot: () => ({}) as never });
      child.listen((event) => events.emit("subagent_event", { agent_id: agentId, event }));
      return child;
    });
    const slow = events.read();
    for (let i = 0; i < 5000; i++) {
      for (const child of children) child.emit("assistant_text_delta", { delta: `${i},` });
      events.emit("assistant_text_delta", { delta: `${i},` });
    }
    events.emit("session_end", end);
    const got = await drain(slow);
    expect(got.length).toBeLessThan(1100);
    const ofChild = (id: string) =>
      got.flatMap((event) => {
        const inner = event.kind === "subagent_event" && event.data.agent_id === id ? event.data.event : undefined;
        return inner?.kind === "assistant_text_delta" ? [inner.data.delta] : [];
      });
    const whole = Array.from({ length: 5000 }, (_value, i) => `${i},`).join("");
    expect(["a", "b"].map((id) => ofChild(id).join(""))).toEqual([whole, whole]);
  });

  it("a reader that leaves is forgotten, and what a listener causes comes after its cause", async () => {
    const events = hub();
    events.listen((event) => {
      if (event.kind === "turn_start") events.emit("warning", { message: "caused", code: "x" });
    });
    const reader = events.read();
    events.emit("turn_start", { turn: 1 });
    events.emit("turn_end", { turn: 1, outcome: "answered" });
    expect([await reader.next(), await reader.next(), await reader.next()].map((step) => step.value?.kind)).toEqual([
      "turn_start",
      "warning",
      "turn_end",
    ]);
    const waiting = reader.next();
    await reader.return?.();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });

  it("EV-01 D-051 U-03 all 15 kinds of the contract are seen in one tour, each at its moment", async () => {
    const chatty = tool("chatty", (_args, { onOutput }) => {
      onOutput("working", "stdout");
      return "done";
    });
    const s = setUp({
      profile: testProfile([chatty]),
      script: (_request, index) => {
        if (index < 10) return { text: "again", calls: [{ name: "chatty" }] };
        return index === 10 ? { text: "cut sho", finish: "length" } : { error: new Error("no more") };
      },
    });
    s.session.steer("psst");
    await s.session.submit("go");
    await s.session.submit("fails");
    s.session.config.maxTurns = 1;
    await s.session.submit("limited");
    await s.finish();
    const contract = [
      "session_start",
      "user_input",
      "steering_injected",
      "assistant_text_start",
      "assistant_text_delta",
      "assistant_text_end",
      "tool_call_start",
      "tool_call_output_delta",
      "tool_call_end",
      "loop_detection",
      "warning",
      "processing_end",
      "error",
      "turn_limit",
      "session_end",
    ];
    expect(contract.filter((kind) => !s.kinds().includes(kind))).toEqual([]);
    const firsts = contract.map((kind) => s.kinds().indexOf(kind));
    expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
  });
});
