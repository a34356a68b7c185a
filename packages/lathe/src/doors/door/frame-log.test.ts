import { expect, it } from "vitest";
import type { WireEvent } from "../../hosts/wire/events.ts";
import type { DoorFrame, SessionSnapshot } from "./door.ts";
import { FrameLog } from "./frame-log.ts";
import { FrameReader } from "./frame-reader.ts";

const said = (delta: string): WireEvent => ({
  type: "message_update",
  assistantMessageEvent: { type: "text_delta", delta },
});
const thought = (delta: string): WireEvent => ({
  type: "message_update",
  assistantMessageEvent: { type: "thinking_delta", delta },
});
const printed = (toolCallId: string, delta: string): WireEvent => ({
  type: "tool_execution_update",
  toolCallId,
  delta,
  stream: "stdout",
});

/** A log whose timer fires when the test says so. */
function logWithTimer(limits: { mostFrames?: number; mostChars?: number } = {}) {
  let due: (() => void) | undefined;
  const waits: number[] = [];
  const setTimer = (callback: () => void, ms: number) => {
    due = callback;
    waits.push(ms);
    return { cancel: () => (due = undefined) };
  };
  const log = new FrameLog({ setTimer, first: 1, ...limits });
  return { log, waits, ring: () => due?.() };
}

const snapshotAt = (log: FrameLog) => async (): Promise<DoorFrame> => ({
  seq: log.last,
  kind: "snapshot",
  snapshot: { running: [] } as unknown as SessionSnapshot,
});
const readerOf = (log: FrameLog, after?: number): FrameReader =>
  new FrameReader(log, { after, snapshot: snapshotAt(log), onEnd: () => {} });

it("M1: deltas of the same text become one frame every 30 ms; other events keep their place among them", async () => {
  const { log, waits, ring } = logWithTimer();
  for (const event of [said("a"), printed("1", "x"), said("b"), printed("2", "y"), printed("1", "z")]) log.event(event);
  expect([log.last, waits]).toEqual([0, [30]]);
  ring();
  for (const event of [thought("hm"), said("c"), said("d")]) log.event(event);
  log.event({ type: "turn_start" });
  log.event(said("e"));
  log.end();
  const frames: DoorFrame[] = [];
  for await (const frame of readerOf(log, 0)) frames.push(frame);
  expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(frames.map((frame) => frame.kind === "event" && frame.event)).toEqual([
    ...[said("ab"), printed("1", "xz"), printed("2", "y"), thought("hm"), said("cd")],
    ...[{ type: "turn_start" }, said("e")],
  ]);
});

it("M1: a reader that is too far behind, or that comes with the number of another door, goes on from a snapshot", async () => {
  const { log } = logWithTimer({ mostFrames: 3 });
  const slow = readerOf(log, 0);
  const push = (times: number): void => {
    for (let i = 0; i < times; i++) log.push({ kind: "clients", clients: [] });
  };
  push(1);
  expect((await slow.next()).value).toMatchObject({ seq: 1, kind: "clients" });
  push(3);
  expect((await slow.next()).value).toMatchObject({ seq: 2, kind: "clients" });
  push(3);
  const kinds = async (reader: FrameReader, count: number) => {
    const seen: [string, number][] = [];
    for (let i = 0; i < count; i++) {
      const { value } = await reader.next();
      if (value) seen.push([value.kind, value.seq]);
    }
    return seen;
  };
  expect(await kinds(readerOf(log, 99), 1)).toEqual([["snapshot", 7]]);
  expect(await kinds(readerOf(log, 4), 3)).toEqual([
    ["clients", 5],
    ["clients", 6],
    ["clients", 7],
  ]);
  const behind = kinds(slow, 2);
  await Promise.resolve();
  push(1);
  expect(await behind).toEqual([
    ["snapshot", 7],
    ["clients", 8],
  ]);
});

it("M1: what is kept is bounded by its size, too, and a reader that returns is woken at once", async () => {
  const { log } = logWithTimer({ mostChars: 1000 });
  for (let i = 0; i < 10; i++) log.push({ kind: "closed", problem: "x".repeat(270) });
  expect([5, 7, 8, 10].map((after) => log.reaches(after))).toEqual([false, true, true, true]);
  const reader = readerOf(log, 10);
  const waiting = reader.next();
  await reader.return();
  expect(await waiting).toEqual({ done: true, value: undefined });
});
