import { textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { echo, type Setup, type SetupOptions, setUp, testProfile, tool } from "../support/session.ts";

const lastTexts = (request: { messages: readonly Parameters<typeof textOf>[0][] }, count: number) =>
  request.messages.slice(-count).map((message) => `${message.role}: ${textOf(message)}`);

/** A session whose tool calls back while it runs. */
function withHook(
  hook: (s: Setup) => void,
  options: Partial<SetupOptions> = {},
  profile: Parameters<typeof testProfile>[1] = {},
): Setup {
  const poke = tool("poke", () => {
    hook(s);
    return "poked";
  });
  const s: Setup = setUp({
    profile: testProfile([poke, echo], profile),
    script: [{ calls: [{ name: "poke" }] }, { text: "done" }],
    ...options,
  });
  return s;
}

describe("steering", () => {
  it("RN-04 D-032 D-034 lands after the current tool round as a steering turn, in queue order", async () => {
    const s = withHook((setup) => {
      setup.session.steer("first");
      setup.session.steer("second");
    });
    await s.session.submit("go");
    await s.finish();
    expect(lastTexts(s.client.requests[1]!, 3)).toEqual(["tool: ", "user: first", "user: second"]);
    expect(s.of("steering_injected").map((event) => event.data.content)).toEqual(["first", "second"]);
    expect(s.session.history.map((turn) => turn.kind)).toEqual([
      "user",
      "assistant",
      "tool_results",
      "steering",
      "steering",
      "assistant",
    ]);
  });

  it("RN-04 lateSteering run: what comes with the last words is the next input, but not after an interrupt", async () => {
    const late = setUp({
      script: [{ text: "a", before: () => void late.session.steer("late") }, { text: "b" }],
      config: { lateSteering: "run" },
    });
    await late.session.submit("go");
    expect(late.session.queuedMessages("steering")).toEqual([]);
    await late.finish();
    expect(late.of("user_input").map((event) => event.data.content)).toEqual(["go", "late"]);

    const both = setUp({
      script: [
        {
          text: "a",
          before: () => {
            both.session.followUp("afterwards");
            both.session.steer("late");
          },
        },
        { text: "b" },
        { text: "c" },
      ],
      config: { lateSteering: "run" },
    });
    await both.session.submit("go");
    await both.finish();
    expect(both.of("user_input").map((event) => event.data.content)).toEqual(["go", "late", "afterwards"]);

    const cut: Setup = setUp({
      script: [
        {
          text: "a",
          before: () => {
            cut.session.steer("late");
            void cut.session.interrupt();
          },
        },
      ],
      config: { lateSteering: "run" },
    });
    await cut.session.submit("go");
    expect(cut.session.queuedMessages("steering").map((message) => message.content)).toEqual(["late"]);
    await cut.finish();
  });

  it("RN-04 when idle it waits for the next input; after the last round it is delivered with the next one", async () => {
    const s = setUp({ script: [{ text: "a", before: () => void s.session.steer("too late") }, { text: "b" }] });
    s.session.steer("early");
    await s.session.submit("one");
    expect(lastTexts(s.client.requests[0]!, 2)).toEqual(["user: one", "user: early"]);
    expect(s.session.queuedMessages("steering")).toHaveLength(1);
    await s.session.submit("two");
    await s.finish();
    expect(lastTexts(s.client.requests[1]!, 2)).toEqual(["user: two", "user: too late"]);
  });

  it("one-at-a-time delivers one message per round", async () => {
    const s = setUp({
      script: [{ calls: [{ name: "echo" }] }, { text: "done" }],
      config: { steeringMode: "one-at-a-time" },
    });
    s.session.steer("a");
    s.session.steer("b");
    await s.session.submit("go");
    await s.finish();
    expect(lastTexts(s.client.requests[0]!, 1)).toEqual(["user: a"]);
    expect(lastTexts(s.client.requests[1]!, 1)).toEqual(["user: b"]);
  });

  it("a queued message can be edited and cancelled until it is delivered", async () => {
    const s = setUp({ script: [{ text: "ok" }] });
    const a = s.session.steer("a");
    const b = s.session.steer("b");
    expect(s.session.editQueued(a, "better")).toBe(true);
    expect(s.session.cancelQueued(b)).toBe(true);
    await s.session.submit("go");
    expect(s.session.editQueued(a, "too late")).toBe(false);
    expect(s.session.cancelQueued(b)).toBe(false);
    await s.finish();
    expect(lastTexts(s.client.requests[0]!, 2)).toEqual(["user: go", "user: better"]);
    expect(s.of("queue_changed").map((event) => event.data.change)).toEqual(["added", "added", "edited", "cancelled"]);
  });

  it("interrupt mode immediate skips the calls that have not started; wait runs them all", async () => {
    const run = async (interruptMode: "wait" | "immediate") => {
      const script = [{ calls: [{ name: "poke" }, { name: "echo" }] }, { text: "done" }];
      const s = withHook(
        ({ session }) => void session.steer("stop that"),
        { config: { interruptMode }, script },
        {
          supportsParallelToolCalls: false,
        },
      );
      await s.session.submit("go");
      await s.finish();
      expect(lastTexts(s.client.requests[1]!, 1)).toEqual(["user: stop that"]);
      return s.of("tool_call_end").map((event) => event.data.error ?? event.data.output);
    };
    expect(await run("wait")).toEqual(["poked", "echo {}"]);
    expect(await run("immediate")).toEqual(["poked", "skipped: user steered"]);
  });
});

describe("follow-ups", () => {
  it("RN-04 D-033 run in order, each as an input of its own", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }] });
    s.session.followUp("two");
    s.session.followUp("three");
    await s.session.submit("one");
    await s.finish();
    expect(s.of("user_input").map((event) => [event.data.content, event.data.origin])).toEqual([
      ["one", "input"],
      ["two", "follow_up"],
      ["three", "follow_up"],
    ]);
    expect(s.of("processing_end").map((event) => event.data.followups_pending)).toEqual([2, 1, 0]);
  });

  it("mode all makes one input of them", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }], config: { followUpMode: "all" } });
    s.session.followUp("two");
    s.session.followUp("three");
    await s.session.submit("one");
    await s.finish();
    expect(lastTexts(s.client.requests[1]!, 2)).toEqual(["user: two", "user: three"]);
    expect(s.of("processing_end")).toHaveLength(2);
  });

  it("RN-04 do not run after an interrupt, but on request", async () => {
    const s = setUp({ script: [{ text: "a", before: () => void s.session.interrupt() }, { text: "b" }] });
    s.session.followUp("later");
    await s.session.submit("one");
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["interrupted"]);
    expect(s.session.queuedMessages("follow_up")).toHaveLength(1);
    await s.session.continue();
    await s.finish();
    expect(s.of("user_input").map((event) => event.data.content)).toEqual(["one", "later"]);
  });
});

describe("effort", () => {
  it("RN-05 D-036 D-037 D-038 passes through unchanged and counts from the next call", async () => {
    const levels = ["low", "medium", "high", "xhigh", undefined];
    const s = setUp({
      script: (_request, index) => {
        s.session.config.reasoningEffort = levels[index];
        return index < levels.length ? { calls: [{ name: "echo", args: { index } }] } : { text: "done" };
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests.map((request) => request.reasoningEffort)).toEqual([undefined, ...levels]);
    expect("reasoningEffort" in s.client.requests[0]!).toBe(false);
  });
});

it("SN-01 images come along with the text", async () => {
  const s = setUp({ script: [{ text: "a cat" }] });
  const image = { data: new Uint8Array([1, 2, 3]), mediaType: "image/png" };
  await s.session.submit([
    { kind: "text", text: "what is this?" },
    { kind: "image", image },
  ]);
  await s.finish();
  expect(s.of("user_input")[0]?.data).toMatchObject({ content: "what is this?", images: 1 });
  expect(s.client.requests[0]!.messages.at(-1)?.content[1]).toEqual({ kind: "image", image });
});
