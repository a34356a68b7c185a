// The event journal of a coordinator and waiting for its events, with a real MCP client.

import { appendFileSync, readFileSync } from "node:fs";
import { type Gate, gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CoordinatorBench as Bench, type CoordinatorBench, type CoordinatorClient } from "./coordinator-kit.ts";
import { hasTmux } from "./tmux-kit.ts";

const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;
interface Seen {
  seq: number;
  kind: string;
  turn_id?: string;
}
const eventsOf = (reply: object): Seen[] => (reply as { events: Seen[] }).events;

describe.skipIf(!hasTmux)("events of the coordinator (needs tmux)", () => {
  let bench: CoordinatorBench;
  let slow: Gate;
  beforeEach(async () => {
    slow = gate();
    bench = await Bench.open(({ view }) => {
      const text = view.messages.findLast(({ role }) => role === "user")?.text ?? "";
      return turn.text("Done.", text.includes("slowly") ? { before: slow.wait } : {});
    });
  });
  afterEach(() => bench.close());
  const lines = (): string[] => readFileSync(bench.eventFile, "utf8").trimEnd().split("\n");
  const started = async (client: CoordinatorClient): Promise<string> =>
    String((await client.change("start_session", { cwd: bench.project }))["session_id"]);

  it("G-15 a watch is released by a prompt from another server; after a restart it gets only what is newer", async () => {
    const client = await bench.connect();
    const other = await bench.connect();
    const early = client.call("watch_events", { after_seq: 0, timeout_ms: 20_000 });
    const session_id = await started(other);
    expect(eventsOf(await early)[0]).toMatchObject({ seq: 1, kind: "session.starting" });
    const { latest_seq } = await client.call("watch_events", { after_seq: 0 });
    const watch = client.call("watch_events", { after_seq: latest_seq, session_id, event_types: ["turn.active"] });
    const sent = await other.change("send_prompt", { session_id, prompt: "say it slowly" });
    const released = await watch;
    expect(released).toMatchObject({ timed_out: false, transport: { mcp: "long_poll", push_subscriptions: false } });
    expect(eventsOf(released)).toMatchObject([{ kind: "turn.active", turn_id: sent["turn_id"] }]);
    const stored = Number((await client.call("read_coordination_status"))["latest_event_seq"]);
    await client.kill();
    await other.kill();
    slow.open();
    const third = await bench.connect();
    const newer = await third.call("watch_events", { after_seq: stored });
    expect(eventsOf(newer)).toMatchObject([{ seq: stored + 1, kind: "turn.completed", turn_id: sent["turn_id"] }]);
    const all = eventsOf(await third.call("watch_events", { after_seq: 0 }));
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_event, at) => at + 1));
    const two = await third.call("watch_events", { after_seq: 1, limit: 2 });
    expect(eventsOf(two).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it("G-15 no line is longer than 4096 bytes and none has words of a prompt or an answer, 1 MB or not", async () => {
    const client = await bench.connect();
    const session_id = await started(client);
    const secret = "Fischers Fritz";
    const prompt = `${secret} ${"\u{1f41f}".repeat(250_000)}`;
    const { turn_id } = await client.change("send_prompt", { session_id, prompt });
    expect(await client.call("await_turn", { turn_id })).toMatchObject({ turn: { status: "completed" } });
    const next = await client.change("send_prompt", { session_id, prompt: "say it slowly" });
    const blocker = "\u{1f6ab}\n".repeat(1_000);
    const report = { session_id, turn_id: next["turn_id"], status: "failed", blocker, evidence: [secret] };
    await client.change("report_status", report);
    for (const line of lines()) {
      expect(Buffer.byteLength(line)).toBeLessThan(4_096);
      expect(line).not.toMatch(/Fischers|Done\.|\u{1f41f}/u);
    }
    expect(await client.call("read_turn", { turn_id: next["turn_id"] })).toMatchObject({
      turn: { status: "failed", error: { message: blocker }, evidence: [{ kind: "report", text: secret }] },
    });
    slow.open();
  });

  it("G-15 a line that was torn by a kill, or is none of ours, is passed over; the numbers go on without a gap", async () => {
    const client = await bench.connect();
    const session_id = await started(client);
    const before = lines().length;
    appendFileSync(bench.eventFile, '{"schema_version":1,"seq":99,"id":"evt-');
    const { turn_id } = await client.change("send_prompt", { session_id, prompt: "hello" });
    expect(await client.call("await_turn", { turn_id })).toMatchObject({ turn: { status: "completed" } });
    const seqs = lines().map((line) => JSON.parse(line).seq);
    expect(seqs).toEqual(seqs.map((_seq, at) => at + 1));
    expect(seqs.length).toBeGreaterThan(before);
  });

  inLongRuns("G-15 a wait of 99999 ms is over after 30 s", { timeout: 90_000 }, async () => {
    const client = await bench.connect();
    const begun = performance.now();
    const reply = await client.call("watch_events", { timeout_ms: 99_999 });
    expect(reply).toMatchObject({ timed_out: true, events: [] });
    expect(performance.now() - begun).toBeLessThan(32_000);
  });
});
