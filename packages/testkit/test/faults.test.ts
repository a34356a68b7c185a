import { describe, expect, it } from "vitest";
import { type DialectName, type Fault, type ModelTurn, startModelServer, turn } from "../src/index.ts";
import { dialectNames, sample, send } from "./wire.ts";

const base = turn.text("a text of some length, so that it takes several events", { deltaChars: 5, usage: false });

async function play(dialect: DialectName, played: ModelTurn, stream = true) {
  await using server = await startModelServer({ script: [played] });
  return await send(server, sample(dialect, stream));
}

const broken = (dialect: DialectName, fault: Fault, stream = true) =>
  play(dialect, turn.withFault(fault, base), stream);

describe.each(dialectNames)("faults in the dialect %s", (dialect) => {
  it("cut before the head: no status", async () => {
    expect(await broken(dialect, { kind: "cut", at: "before-head" })).toMatchObject({
      status: undefined,
      complete: false,
    });
  });

  it.each([true, false])("cut after the head: status and nothing else (stream: %s)", async (stream) => {
    const answer = await broken(dialect, { kind: "cut", at: "after-head" }, stream);
    expect(answer).toMatchObject({ status: 200, body: "", complete: false });
  });

  it.each([true, false])("cut after a number of bytes, whatever the chunks (stream: %s)", async (stream) => {
    const whole = await play(dialect, base, stream);
    const one = await broken(dialect, { kind: "cut", at: "after-first-byte" }, stream);
    expect(one).toMatchObject({ complete: false, bytes: whole.bytes.subarray(0, 1) });
    const cut: Fault = { kind: "cut", at: { bytes: 40 } };
    for (const chunk of ["events", 1, 7] as const) {
      const answer = await play(dialect, { ...turn.withFault(cut, base), chunk }, stream);
      expect(answer).toMatchObject({ complete: false, bytes: whole.bytes.subarray(0, 40) });
    }
  });

  it("cut after a number of events, and inside the next one", async () => {
    const whole = await play(dialect, base);
    const two = await broken(dialect, { kind: "cut", at: { events: 2 } });
    expect(two.complete).toBe(false);
    expect(two.bytes).toEqual(Buffer.concat(whole.chunks.slice(0, 2)));
    const inside = await broken(dialect, { kind: "cut", at: "inside-json" });
    const borders = whole.chunks.map((_, i) => Buffer.concat(whole.chunks.slice(0, i)).length);
    expect(inside.complete).toBe(false);
    expect(inside.bytes).toEqual(whole.bytes.subarray(0, inside.bytes.length));
    expect(borders).not.toContain(inside.bytes.length);
  });

  it("a malformed line stands between healthy events", async () => {
    const whole = await play(dialect, base);
    const answer = await broken(dialect, { kind: "malformed", beforeEvent: 2 });
    expect(answer.complete).toBe(true);
    expect(answer.chunks.toSpliced(2, 1)).toEqual(whole.chunks);
  });

  it.each([true, false])("a content length that is too large or too small (stream: %s)", async (stream) => {
    const whole = await play(dialect, base, stream);
    const longer = await broken(dialect, { kind: "wrong-length", by: 10 }, stream);
    expect(longer).toMatchObject({ complete: false, bytes: whole.bytes });
    expect(Number(longer.headers["content-length"])).toBe(whole.bytes.length + 10);
    const shorter = await broken(dialect, { kind: "wrong-length", by: -10 }, stream);
    expect(Number(shorter.headers["content-length"])).toBe(whole.bytes.length - 10);
    expect(shorter.bytes).toEqual(whole.bytes.subarray(0, shorter.bytes.length));
    expect(shorter.bytes.length).toBeLessThanOrEqual(whole.bytes.length - 10);
  });

  it("the terminal event twice, or never", async () => {
    const whole = await play(dialect, base);
    const terminal = dialect === "bedrock" ? 2 : 1;
    const twice = await broken(dialect, { kind: "duplicate-terminal" });
    expect(twice.chunks).toEqual([...whole.chunks, ...whole.chunks.slice(-terminal)]);
    const never = await broken(dialect, { kind: "missing-terminal" });
    expect(never).toMatchObject({ complete: true, chunks: whole.chunks.slice(0, -terminal) });
  });

  it("the vendor's error event ends a healthy start", async () => {
    const whole = await play(dialect, base);
    const answer = await broken(dialect, { kind: "stream-error", afterEvents: 3, message: "no more" });
    expect(answer.chunks.slice(0, 3)).toEqual(whole.chunks.slice(0, 3));
    expect(answer.chunks).toHaveLength(4);
    expect(answer.chunks[3]!.toString("latin1")).toContain("no more");
  });

  it.each([0, 2])("silence after %i events until the client leaves", async (afterEvents) => {
    await using server = await startModelServer({ script: [turn.withFault({ kind: "stall", afterEvents }, base)] });
    const leaving = new AbortController();
    const { path, headers, body } = sample(dialect, true);
    const answer = await fetch(server.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    const reader = answer.body!.getReader();
    if (afterEvents > 0) expect((await reader.read()).value!.length).toBeGreaterThan(0);
    leaving.abort();
    await server.requests[0]!.finished;
    expect(server.requests[0]!.closedEarly).toBe(true);
  });

  it("deltas without end until the client leaves", async () => {
    await using server = await startModelServer({ script: [turn.withFault({ kind: "endless" }, base)] });
    const answer = await send(server, sample(dialect, true), (chunks) => chunks.length > 500);
    expect(answer.complete).toBe(false);
    await server.requests[0]!.finished;
    expect(server.requests[0]!.closedEarly).toBe(true);
  });

  it.each([400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 529])(
    "status %i with a body of the vendor",
    async (status) => {
      const answer = await play(dialect, turn.error(status, { message: "told so", headers: { "x-extra": "1" } }));
      expect(answer.status).toBe(status);
      expect(answer.body).toContain("told so");
      expect(answer.headers).toMatchObject({ "x-extra": "1", "content-type": "application/json" });
      expect(() => JSON.parse(answer.body)).not.toThrow();
    },
  );
});

it("a proxy's page instead of the vendor's body", async () => {
  const answer = await play("anthropic", turn.error(502, { body: "<html>Bad Gateway</html>" }));
  expect(answer).toMatchObject({ status: 502, body: "<html>Bad Gateway</html>" });
  expect(answer.headers["content-type"]).toBe("text/html");
});
