import { describe, expect, it } from "vitest";
import { type RetryPolicy, retry } from "../../src/errors/retry.ts";
import {
  AbortError,
  AuthenticationError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
} from "../../src/types/errors.ts";
import { testClock } from "./support.ts";

const server = () => new ServerError("down", { provider: "p", statusCode: 500 });
const limited = (retryAfter: number) => new RateLimitError("slow", { provider: "p", statusCode: 429, retryAfter });

async function attempts(policy: Partial<RetryPolicy>, random: number, failures: readonly Error[]) {
  const clock = testClock();
  const queue = [...failures];
  let calls = 0;
  const outcome = await retry(
    async () => {
      calls++;
      const failure = queue.shift();
      if (failure !== undefined) throw failure;
      return "ok";
    },
    policy,
    { deps: { ...clock, random: () => random } },
  ).catch((error: unknown) => error);
  return { outcome, calls, sleeps: clock.sleeps.map((ms) => ms / 1000) };
}

describe("retry", () => {
  it("ER-05 it needs nothing but the call and the policy", async () => {
    let calls = 0;
    const failing = () => (++calls < 2 ? Promise.reject(server()) : Promise.resolve("ok"));
    await expect(retry(failing, { baseDelay: 0 })).resolves.toBe("ok");
    await expect(retry(failing, {}, { signal: AbortSignal.abort() })).rejects.toThrow(AbortError);
  });

  it.each([
    [0, [0.5, 1, 2, 4, 8]],
    [0.5, [1, 2, 4, 8, 16]],
    [1, [1.5, 3, 6, 12, 24]],
  ])("ER-05 A-065 with random %s the delays are exact", async (random, delays) => {
    const failures = Array.from({ length: 5 }, server);
    const { outcome, sleeps } = await attempts({ maxRetries: 5 }, random, failures);
    expect(outcome).toBe("ok");
    expect(sleeps).toEqual(delays);
  });

  it("ER-05 jitter comes after the cap, and can be switched off", async () => {
    const failures = Array.from({ length: 8 }, server);
    const jittered = await attempts({ maxRetries: 8 }, 1, failures);
    expect(jittered.sleeps.slice(-2)).toEqual([90, 90]);
    const plain = await attempts({ maxRetries: 8, jitter: false }, 1, failures);
    expect(plain.sleeps).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it("ER-05 three failures with the default policy: three calls and the last error", async () => {
    const failures = [server(), server(), server(), server()];
    const { outcome, calls } = await attempts({}, 0, failures);
    expect([calls, outcome]).toEqual([3, failures[2]]);
  });

  it("ER-05 A-067 maxRetries 0 means one call", async () => {
    expect((await attempts({ maxRetries: 0 }, 0, [server()])).calls).toBe(1);
  });

  it("ER-06 A-066 Retry-After within the cap replaces the back-off, equality included", async () => {
    expect((await attempts({}, 1, [limited(7)])).sleeps).toEqual([7]);
    expect((await attempts({}, 1, [limited(60)])).sleeps).toEqual([60]);
    expect((await attempts({}, 1, [limited(0)])).sleeps).toEqual([0]);
  });

  it("ER-06 A-066 a Retry-After above the cap is thrown at once", async () => {
    const error = limited(61);
    const { outcome, calls, sleeps } = await attempts({}, 0, [error]);
    expect([outcome, calls, sleeps]).toEqual([error, 1, []]);
    expect(error.retryAfter).toBe(61);
  });

  it("ER-05 what is not retryable is not retried; shouldRetry may opt in, but never for an abort", async () => {
    const denied = new AuthenticationError("no", { provider: "p", statusCode: 401 });
    expect((await attempts({}, 0, [denied])).calls).toBe(1);
    const timeout = new RequestTimeoutError("slow", { phase: "request" });
    expect((await attempts({}, 0, [timeout])).calls).toBe(1);
    expect((await attempts({ shouldRetry: () => true }, 0, [timeout])).calls).toBe(2);
    expect((await attempts({ shouldRetry: () => true }, 0, [new AbortError("stop")])).calls).toBe(1);
    expect((await attempts({ shouldRetry: () => true }, 0, [new TypeError("bug")])).calls).toBe(1);
  });

  it("ER-05 a budget ends the attempts before the wait that would exceed it", async () => {
    const { calls, sleeps } = await attempts({ maxRetries: 8, budget: 4 }, 0.5, Array.from({ length: 9 }, server));
    expect([calls, sleeps]).toEqual([3, [1, 2]]);
  });

  it("ER-05 onRetry hears error, attempt and delay", async () => {
    const heard: unknown[] = [];
    const error = server();
    await attempts({ onRetry: (...facts) => heard.push(facts) }, 0.5, [error]);
    expect(heard).toEqual([[error, 0, 1]]);
  });

  it("TM-01 an abort during the wait ends it at once", async () => {
    const { sleepWith } = await import("../../src/timers.ts");
    const clock = testClock();
    const controller = new AbortController();
    let calls = 0;
    const running = retry(
      async () => {
        calls++;
        throw server();
      },
      {},
      {
        signal: controller.signal,
        deps: { ...clock, random: () => 0.5, sleep: (ms, signal) => sleepWith(clock.setTimer, ms, signal) },
      },
    );
    const outcome = expect(running).rejects.toThrow(AbortError);
    await clock.waitForTimer(1000);
    controller.abort();
    await outcome;
    expect([calls, clock.pending]).toEqual([1, 0]);
  });
});
