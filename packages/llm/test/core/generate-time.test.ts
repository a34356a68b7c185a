import { gate, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { generate } from "../../src/generate/generate.ts";
import { stream } from "../../src/generate/stream.ts";
import type { Tool } from "../../src/generate/tools.ts";
import { sleepWith } from "../../src/timers.ts";
import { AbortError, RequestTimeoutError } from "../../src/types/errors.ts";
import { ANTHROPIC, clientFor, OPENAI, THREE, testClock, testDeps } from "./support.ts";

const weather = (execute?: Tool["execute"]): Tool => ({
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  ...(execute === undefined ? {} : { execute }),
});
const ask = (city: string, id?: string) => ({ name: "weather", args: { city }, ...(id === undefined ? {} : { id }) });

describe("retries of high-level calls", () => {
  it.each(THREE)("ER-07 A-068 A-112 $provider: 429 then an answer is a success after Retry-After", async (one) => {
    const clock = testClock();
    await using server = await startModelServer({ script: [turn.error(429, { retryAfter: 7 }), turn.text("ok")] });
    const deps = testDeps({ sleep: clock.sleep, now: clock.now });
    const result = await generate({ client: clientFor(one, server, { deps }), model: one.model, prompt: "x" });
    expect([result.text, server.requests.length, clock.sleeps]).toEqual(["ok", 2, [7000]]);
  });

  it.each([401, 403, 404])("ER-07 A-069 %i is asked once", async (status) => {
    await using server = await startModelServer({ script: () => turn.error(status) });
    await expect(generate({ client: clientFor(OPENAI, server), model: "m", prompt: "x" })).rejects.toMatchObject({
      statusCode: status,
    });
    expect(server.requests).toHaveLength(1);
  });

  it("ER-07 A-070 a 500 on step 3 does not run the tools of steps 1 and 2 again", async () => {
    await using server = await startModelServer({
      script: [turn.calls([ask("a")]), turn.calls([ask("b")]), turn.error(500), turn.text("done")],
    });
    const ran: unknown[] = [];
    const result = await generate({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      maxToolRounds: 5,
      tools: [
        weather(({ city }) => {
          ran.push(city);
          return "sun";
        }),
      ],
    });
    expect([result.text, ran, server.requests.length]).toEqual(["done", ["a", "b"], 4]);
  });

  it("ER-07 A-071 a stream is retried until its first event, not after", async () => {
    await using server = await startModelServer({
      script: [
        turn.error(503),
        turn.text("one two three", { deltaChars: 3, fault: { kind: "cut", at: { events: 5 } } }),
      ],
    });
    const events = stream({ client: clientFor(ANTHROPIC, server), model: ANTHROPIC.model, prompt: "x", maxRetries: 5 });
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const event of events) seen.push(event.type);
      })(),
    ).rejects.toMatchObject({ name: "NetworkError" });
    expect(seen.at(-1)).toBe("error");
    expect(server.requests).toHaveLength(2);
    await expect(events.response()).rejects.toMatchObject({ name: "NetworkError" });
  });
});

describe("time and abort of operations", () => {
  it("TM-02 A-035 perStep ends a hanging second step; the first step survives in the error", async () => {
    const clock = testClock();
    const held = gate();
    await using server = await startModelServer({
      script: [turn.calls([ask("a")]), turn.text("late", { before: held.wait })],
    });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    const outcome = generate({
      client: clientFor(ANTHROPIC, server, { deps }),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [weather(() => "sun")],
      timeout: { perStep: 1 },
    }).catch((error: unknown) => error);
    await held.reached;
    clock.advance(1000);
    const error = (await outcome) as RequestTimeoutError;
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect([error.phase, (error.partial as { steps: unknown[] }).steps.length]).toEqual(["perStep", 1]);
    await server.requests[1]?.finished;
    expect(server.requests[1]?.closedEarly).toBe(true);
    held.open();
  });

  it("TM-02 A-035 total covers tools and sleeps, and aborts the tools' signal", async () => {
    const clock = testClock();
    await using server = await startModelServer({ script: [turn.calls([ask("a")])] });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    let signal: AbortSignal | undefined;
    const started = gate();
    const outcome = generate({
      client: clientFor(ANTHROPIC, server, { deps }),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [
        weather((_, context) => {
          signal = context.abortSignal;
          return started.wait().then(() => "never in time");
        }),
      ],
      timeout: 5,
    }).catch((error: unknown) => error);
    await started.reached;
    clock.advance(5000);
    expect(await outcome).toMatchObject({ name: "RequestTimeoutError", phase: "total" });
    expect(signal?.aborted).toBe(true);
    started.open();
  });

  it("TM-01 A-034 an abort during tool execution ends the loop without another request", async () => {
    await using server = await startModelServer({ script: [turn.calls([ask("a")]), turn.text("never")] });
    const controller = new AbortController();
    let aborted: boolean | undefined;
    const outcome = generate({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      abortSignal: controller.signal,
      tools: [
        weather((_, context) => {
          controller.abort();
          aborted = context.abortSignal.aborted;
          return "too late";
        }),
      ],
    });
    await expect(outcome).rejects.toThrow(AbortError);
    expect([aborted, server.requests.length]).toEqual([true, 1]);
  });

  it("TM-01 A-034 an abort during the back-off sleep ends at once", async () => {
    const clock = testClock();
    await using server = await startModelServer({ script: () => turn.error(500) });
    const controller = new AbortController();
    const deps = testDeps({
      setTimer: clock.setTimer,
      now: clock.now,
      sleep: (ms, signal) => sleepWith(clock.setTimer, ms, signal),
    });
    const outcome = generate({
      client: clientFor(OPENAI, server, { deps }),
      model: "m",
      prompt: "x",
      abortSignal: controller.signal,
    });
    const failed = expect(outcome).rejects.toThrow(AbortError);
    await clock.waitForTimer(1000);
    controller.abort();
    await failed;
    expect(server.requests).toHaveLength(1);
  });
});
