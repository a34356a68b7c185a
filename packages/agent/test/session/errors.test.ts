import {
  AbortError,
  AccessDeniedError,
  AuthenticationError,
  ConfigurationError,
  ContextLengthError,
  InvalidRequestError,
  NetworkError,
  NotFoundError,
  QuotaExceededError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  StreamError,
} from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { FailedCall } from "../../src/contract/seams/types.ts";
import { retryDelay } from "../../src/session/retry.ts";
import type { Session } from "../../src/session/session.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { echo, setUp, testDeps, testProfile, tool, withoutToolGrace } from "../support/session.ts";

const at = { provider: "test" };

describe("model errors", () => {
  it.each([
    ["rate limit", new RateLimitError("slow down", at)],
    ["server", new ServerError("oops", at)],
    ["network", new NetworkError("reset")],
  ])("EH-02 D-056 %s is retried; after the budget the input ends and the session is idle", async (_name, error) => {
    const recovers = setUp({ script: [{ error }, { error }, { text: "ok" }] });
    await recovers.session.submit("go");
    await recovers.finish();
    expect(recovers.of("processing_end")[0]?.data.reason).toBe("completed");
    expect(recovers.of("retry").map((event) => [event.data.attempt, event.data.discards])).toEqual([
      [1, false],
      [2, false],
    ]);
    const gives = setUp({ script: [{ error }, { error }, { error }, { text: "later" }] });
    await gives.session.submit("go");
    expect(gives.session.state).toBe("idle");
    await gives.session.submit("again");
    await gives.finish();
    expect(gives.of("error").map((event) => event.data)).toEqual([
      { message: error.message, kind: error.kind, error_type: error.name, fatal: false },
    ]);
    expect(gives.of("processing_end").map((event) => event.data.reason)).toEqual(["error", "completed"]);
  });

  it.each([
    ["authentication", new AuthenticationError("bad key", at)],
    ["access", new AccessDeniedError("no", at)],
    ["configuration", new ConfigurationError("no provider")],
    ["invalid request", new InvalidRequestError("what?", at)],
    ["not found", new NotFoundError("no such model", at)],
    ["quota", new QuotaExceededError("empty", at)],
  ])("EH-02 D-057 %s: one request, the input ends, the session stays usable", async (_name, error) => {
    const s = setUp({ script: [{ error }, { text: "ok" }] });
    await s.session.submit("go");
    expect(s.client.requests).toHaveLength(1);
    expect(s.session.state).toBe("idle");
    await s.session.submit("again");
    await s.finish();
    expect(s.of("error")[0]?.data).toMatchObject({ error_type: error.name, fatal: false });
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["error", "completed"]);
  });

  it("EH-02 D-058 U-05 overflow is a warning, ends the input and leaves the session usable", async () => {
    const s = setUp({ script: [{ error: new ContextLengthError("too long", at) }, { text: "ok" }] });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    s.session.moveTo(null);
    await s.session.submit("shorter");
    await s.finish();
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["context_overflow"]);
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["context_overflow", "completed"]);
  });

  it("onOverflow may make room; the request is then made again, up to three times", async () => {
    const rescue = {
      name: "rescue",
      onOverflow: ({ entryIds }: { entryIds: readonly (string | undefined)[] }) => ({
        compact: { reason: "overflow", summary: "so far", firstKeptEntryId: entryIds.at(-1)! },
      }),
    };
    const error = new ContextLengthError("too long", at);
    const s = setUp({ script: [{ error }, { text: "ok" }], middleware: [rescue] });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("processing_end")[0]?.data.reason).toBe("completed");
    const inVain = setUp({ script: () => ({ error }), middleware: [rescue] });
    await inVain.session.submit("go");
    await inVain.finish();
    expect(inVain.client.requests).toHaveLength(4);
    expect(inVain.of("processing_end")[0]?.data.reason).toBe("context_overflow");
  });

  it("onFailure may change what failed, after the retries and not for an overflow; the request is made anew up to eight times", async () => {
    const failed: string[] = [];
    const replace = (session: () => Session) => ({
      name: "replace",
      onFailure: ({ failure }: FailedCall) => {
        failed.push(failure.kind);
        session().setProfile(testProfile([echo], { model: "other" }), "temporary", "it was down");
        return { retry: true } as const;
      },
    });
    const error = new QuotaExceededError("empty", at);
    const s = setUp({
      script: [{ text: "half", breakWith: error }, { text: "ok" }],
      middleware: [replace(() => s.session)],
    });
    await s.session.submit("go");
    await s.finish();
    expect(failed).toEqual(["quota"]);
    expect(s.client.requests.map(({ model }) => model)).toEqual(["scripted-1", "other"]);
    expect(s.of("retry").map((event) => event.data.discards)).toEqual([true]);
    expect(s.session.history.at(-1)).toMatchObject({ content: "ok" });
    const inVain = setUp({ script: () => ({ error }), middleware: [replace(() => inVain.session)] });
    await inVain.session.submit("go");
    await inVain.finish();
    expect(inVain.client.requests).toHaveLength(9);
    expect(inVain.of("processing_end")[0]?.data.reason).toBe("error");
    failed.length = 0;
    const overflow = setUp({
      script: [{ error: new ContextLengthError("too long", at) }],
      middleware: [replace(() => overflow.session)],
    });
    await overflow.session.submit("go");
    await overflow.finish();
    expect(failed).toEqual([]);
  });

  it("EH-02 a stream that breaks after text began is asked for once more and the text is void", async () => {
    const breakWith = new StreamError("connection reset");
    const s = setUp({ script: [{ text: "half an ans", breakWith }, { text: "whole" }] });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("retry").map((event) => event.data.discards)).toEqual([true]);
    expect(s.session.history.at(-1)).toMatchObject({ kind: "assistant", content: "whole" });
    const twice = setUp({
      script: [
        { text: "one", breakWith },
        { text: "two", breakWith },
      ],
      config: { retry: { maxRetries: 5 } },
    });
    await twice.session.submit("go");
    await twice.finish();
    expect(twice.client.requests).toHaveLength(2);
    expect(twice.of("processing_end")[0]?.data.reason).toBe("error");
  });

  it("ER-06 a Retry-After above the cap gives up at once, one below it is kept to", async () => {
    const waits: number[] = [];
    const deps = {
      ...testDeps(),
      setTimer: (callback: () => void, ms: number) => {
        waits.push(ms);
        const timer = setTimeout(callback, 0);
        return { cancel: () => clearTimeout(timer) };
      },
    };
    const config = { retry: { baseDelay: 1 }, firstEventTimeoutMs: 0, stallTimeoutMs: 0, hookTimeoutMs: 0 };
    const s = setUp({
      script: [{ error: new RateLimitError("x", { ...at, retryAfter: 7 }) }, { text: "ok" }],
      deps,
      config,
    });
    await s.session.submit("go");
    expect(waits).toEqual([7000]);
    await s.finish();
    const above = setUp({ script: [{ error: new RateLimitError("x", { ...at, retryAfter: 61 }) }], deps, config });
    await above.session.submit("go");
    await above.finish();
    expect(above.client.requests).toHaveLength(1);
  });

  it.each([
    [61, "x", "x (the provider says: try again in 61 s)"],
    [600, "x", "x (the provider says: try again in 10 min)"],
    [36_000, "x", "x (the provider says: try again in 10 h)"],
    [432, "Please try again in 7m12s.", "Please try again in 7m12s."],
  ])("ER-06 a wait of %i s that is too long is told: %s", async (retryAfter, message, shown) => {
    const s = setUp({ script: [{ error: new RateLimitError(message, { ...at, retryAfter }) }] });
    await s.session.submit("go");
    await s.finish();
    expect([s.of("error")[0]!.data.message, s.of("processing_end")[0]!.data.error?.message]).toEqual([shown, shown]);
  });

  it("LS-11 retries stop when their time together is used up, whatever their number", async () => {
    let time = 0;
    const deps = {
      ...testDeps(),
      now: () => time,
      setTimer: (callback: () => void, ms: number) => {
        const timer = setTimeout(() => {
          time += ms;
          callback();
        }, 0);
        return { cancel: () => clearTimeout(timer) };
      },
    };
    const down = { error: new ServerError("down", { ...at }) };
    const retry = { maxRetries: 100, baseDelay: 1, backoffMultiplier: 1, jitter: false, maxTotalMs: 3500 };
    const s = setUp({
      script: Array(9).fill(down),
      deps,
      config: { retry, firstEventTimeoutMs: 0, stallTimeoutMs: 0 },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests).toHaveLength(4);
    expect(s.of("processing_end")[0]?.data.reason).toBe("error");
  });

  it("a server that cannot be reached is given up earlier than one that fails", async () => {
    const config = {
      ...{ maxRetries: 8, baseDelay: 1, maxDelay: 60, backoffMultiplier: 2, jitter: false, midStream: 1 },
      ...{ maxTotalMs: 180_000, maxUnreachableMs: 45_000 },
    };
    const attemptsOf = (error: Error): number => {
      let elapsedMs = 0;
      for (let failures = 1; ; failures++) {
        const delay = retryDelay(error, { failures, midStream: 0, elapsedMs }, config, () => 0.5);
        if (delay === undefined) return elapsedMs;
        elapsedMs += delay;
      }
    };
    expect(attemptsOf(new NetworkError("connect ECONNREFUSED"))).toBe(31_000);
    expect(attemptsOf(new ServerError("down", { ...at }))).toBe(123_000);
  });

  it("a server that never answers ends in a stated time", async () => {
    let time = 0;
    const timers: { at: number; callback: () => void }[] = [];
    const deps = {
      ...testDeps(),
      now: () => time,
      setTimer: (callback: () => void, ms: number) => {
        const timer = { at: time + ms, callback };
        timers.push(timer);
        return { cancel: () => void timers.splice(timers.indexOf(timer), 1) };
      },
    };
    const s = setUp({
      script: [
        { text: "x", before: () => new Promise(() => {}) },
        { text: "abc", midway: () => new Promise(() => {}) },
      ],
      deps,
      config: { firstEventTimeoutMs: 1000, stallTimeoutMs: 500, retry: { maxRetries: 0 } },
    });
    const tick = async () => {
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
      const next = timers.sort((a, b) => a.at - b.at).shift();
      time = next?.at ?? time;
      next?.callback();
    };
    const first = s.session.submit("go");
    await tick();
    await first;
    expect(time).toBe(3000);
    const second = s.session.submit("again");
    await tick();
    await tick();
    await second;
    await s.finish();
    expect(s.of("error").map((event) => event.data.error_type)).toEqual([
      RequestTimeoutError.name,
      RequestTimeoutError.name,
    ]);
    expect(s.of("error").map((event) => event.data.message)).toEqual([
      "the model did not begin to answer for 1 s",
      "the model stopped in the middle of its answer for 0.5 s",
    ]);
  });
});

describe("the end", () => {
  it("interrupt ends the input, fills the open calls and leaves the session usable", async () => {
    const slow = tool(
      "slow",
      (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new AbortError("stopped")));
          queueMicrotask(() => void s.session.interrupt());
        }),
    );
    const never = { ...slow, name: "never", replay: "never" as const };
    const s = setUp({
      profile: testProfile([slow, never, echo]),
      script: [{ calls: [{ name: "slow" }, { name: "never" }, { name: "echo" }] }, { text: "ok" }],
    });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    expect(
      s
        .of("tool_call_end")
        .map((event) => event.data.error ?? event.data.output)
        .sort(),
    ).toEqual([
      "[interrupted before this call finished]",
      "[interrupted, effects unknown: this call may or may not have taken effect]",
      "echo {}",
    ]);
    await s.session.submit("again");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["interrupted", "completed"]);
  });

  it("an interrupt in the middle of an answer keeps the text that was seen", async () => {
    const s = setUp({
      script: [
        {
          text: "half and half",
          midway: () => {
            void s.session.interrupt();
            return new Promise(() => {});
          },
        },
        { text: "ok" },
      ],
    });
    await s.session.submit("go");
    expect(s.session.history.at(-1)).toMatchObject({ kind: "assistant", content: "half an" });
    expect(s.client.open).toBe(0);
    await s.session.submit("again");
    await s.finish();
    expect(s.of("assistant_text_end")[0]?.data).toMatchObject({ interrupted: true, text: "half an" });
  });

  it("EH-03 D-054 D-059 U-07 abort: stream and tools first, then the environment, session_end last, idempotent", async () => {
    const order: string[] = [];
    class Watched extends MemoryEnvironment {
      override async cleanup(): Promise<void> {
        order.push("cleanup");
      }
    }
    const slow = tool(
      "slow",
      (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            order.push("tool stopped");
            reject(signal.reason);
          });
          started();
        }),
    );
    let started = (): void => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const s = setUp({ env: new Watched(), profile: testProfile([slow]), script: [{ calls: [{ name: "slow" }] }] });
    const submitted = s.session.submit("go");
    await running;
    await Promise.all([s.session.abort(), s.session.abort(), s.session.close()]);
    await submitted;
    expect(s.session.state).toBe("closed");
    await s.finish();
    expect(order).toEqual(["tool stopped", "cleanup"]);
    expect(s.kinds().slice(-2)).toEqual(["processing_end", "session_end"]);
    expect(s.of("processing_end")[0]?.data.reason).toBe("aborted");
    expect(s.of("session_end").map((event) => event.data)).toEqual([{ state: "closed", reason: "aborted" }]);
  });

  it("EH-03 a tool that does not listen is left behind; the end still comes", async () => {
    let started = (): void => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const deaf = tool("deaf", () => {
      started();
      return new Promise<string>(() => {});
    });
    const script = [{ calls: [{ name: "deaf" }] }];
    const s = setUp({ profile: testProfile([deaf]), script, deps: withoutToolGrace() });
    const submitted = s.session.submit("go");
    await running;
    await s.session.abort();
    await submitted;
    await s.finish();
    expect(s.of("tool_call_end")).toHaveLength(1);
  });

  it("a journal that cannot be written ends the session and says so", async () => {
    const s = setUp({ script: [{ text: "ok" }] });
    await s.session.submit("1");
    s.session.journal.append = () => {
      throw new Error("disk full");
    };
    await s.session.submit("2");
    expect(s.session.state).toBe("closed");
    await s.finish();
    expect(s.of("error")[0]?.data).toMatchObject({ message: "disk full", fatal: true });
    expect(s.of("session_end")[0]?.data).toMatchObject({ reason: "error", error: "disk full" });
  });
});
