import { Message, textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { Jobs } from "../../src/tools/run/jobs.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { tempFolder } from "../journal/support.ts";
import { type Setup, setUp, testDeps, testProfile, tool } from "../support/session.ts";

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("work between inputs", () => {
  const title = { messages: [Message.user("A title, please.")] };

  it("interrupt ends a model call of the host, and the session is free when it returns", async () => {
    const asked = gate();
    const s: Setup = setUp({
      script: [
        {
          before: () => {
            asked.open();
            return new Promise(() => {});
          },
        },
        { text: "ok" },
      ],
    });
    const call = s.session.callModel("title", title);
    await asked.opened;
    await expect(s.session.submit("go")).rejects.toThrow("session is busy");
    await s.session.interrupt();
    expect(s.session.state).toBe("idle");
    expect(await call).toBeUndefined();
    expect(await s.session.submit("go")).toMatchObject({ text: "ok" });
    await s.finish();
  });

  it("is refused while an input runs, which goes on as if nobody had asked", async () => {
    const refused: unknown[] = [];
    const note = (error: unknown): void => void refused.push(error);
    const s: Setup = setUp({
      script: [
        {
          text: "done",
          before: async () => {
            await s.session.callModel("title", title).catch(note);
            await s.session.compact({ reason: "test", summary: "x", firstKeptEntryId: "" }).catch(note);
            for (const move of [() => s.session.moveTo(null), () => s.session.restoreHistory()]) {
              try {
                move();
              } catch (error) {
                note(error);
              }
            }
          },
        },
      ],
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    await s.finish();
    expect(refused.map(String)).toEqual(Array(4).fill("SessionError: session is busy"));
    expect(s.client.requests).toHaveLength(1);
  });

  it("a question to the user stays open while the host asks a model for something else", async () => {
    const s = setUp({ script: [{ text: "Which one?" }, { text: "A title" }], isQuestion: () => true });
    await s.session.submit("go");
    expect(await s.session.callModel("title", title)).toMatchObject({ text: "A title" });
    expect(s.session.state).toBe("awaiting_input");
    await s.finish();
  });

  it("EH-03 work that ends only after the session has given up on it reports an interruption, no failure of the session", async () => {
    const [begun, late] = [gate(), gate()];
    const deps = testDeps();
    const s: Setup = setUp({
      script: [{ text: "one" }],
      // The session gives up at once instead of after its limit.
      deps: { ...deps, setTimer: (callback, ms) => deps.setTimer(callback, ms === 4500 ? 0 : ms) },
    });
    await s.session.submit("go");
    const moved = s.session.navigate(null, {
      summarize: async () => {
        begun.open();
        await late.opened;
        return { summary: "too late" };
      },
    });
    await begun.opened;
    await s.finish();
    late.open();
    expect(await moved).toMatchObject({ cancelled: "it was interrupted" });
    expect(s.session.state).toBe("closed");
  });

  it("another model brings its own tools, from the next request on", async () => {
    const s = setUp({ script: [{ text: "a" }, { calls: [{ name: "other", id: "o" }] }, { text: "b" }] });
    await s.session.submit("one");
    s.session.setProfile(testProfile([tool("other", () => "it ran")], { model: "scripted-2" }));
    await s.session.submit("two");
    await s.finish();
    expect(s.client.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["echo"],
      ["other"],
      ["other"],
    ]);
    expect(s.of("tool_call_end").map(({ data }) => data.output)).toEqual(["it ran"]);
  });

  it("restoreHistory sends everything again that a compaction hid, and says when nothing is hidden", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }] });
    await s.session.submit("one");
    expect(s.session.restoreHistory()).toBe(false);
    const firstKeptEntryId = s.session.journal.leaf!;
    await s.session.compact({ summary: "it was short", firstKeptEntryId, tokensBefore: 1, reason: "test" });
    await s.session.submit("two");
    expect(s.session.restoreHistory()).toBe(true);
    expect(s.session.restoreHistory()).toBe(false);
    await s.session.submit("three");
    await s.finish();
    const sent = s.client.requests.map(({ messages }) => messages.slice(1).map(textOf));
    expect(sent[1]).toEqual([expect.stringContaining("it was short"), "a", "two"]);
    expect(sent[2]).toEqual(["one", "a", "two", "b", "three"]);
  });

  it("an answer for another agent does not settle a question of this one, though their calls share an id", async () => {
    const answers: boolean[] = [];
    const s: Setup = setUp({
      script: [{ calls: [{ name: "echo", id: "c" }] }, { text: "done" }],
      middleware: [{ name: "asks", approve: () => ({ decision: "ask" }) }],
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        answers.push(s.session.answerApproval("c", { decision: "allow", by: "test" }, "another"));
        answers.push(s.session.answerApproval("c", { decision: "deny", by: "test" }));
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(answers).toEqual([false, true]);
    expect(s.of("tool_call_end")[0]?.data.is_error).toBe(true);
  });
});

it("closing a session cleans up its own environment, and leaves a shared one to whoever else works there", async () => {
  class CountingEnvironment extends MemoryEnvironment {
    cleanups = 0;
    override async cleanup(): Promise<void> {
      this.cleanups++;
    }
  }
  const cleanups: number[] = [];
  for (const sharedEnv of [false, true]) {
    const env = new CountingEnvironment();
    await setUp({ script: [], env, sharedEnv }).finish();
    cleanups.push(env.cleanups);
  }
  expect(cleanups).toEqual([1, 0]);
});

it("closing a session in a shared environment ends its own background commands, and never those that the host keeps", async () => {
  const running = async (services: { readonly jobs: Jobs } | undefined): Promise<boolean | undefined> => {
    const env = new LocalEnvironment({ cwd: tempFolder(), baseEnv: { PATH: process.env["PATH"] } });
    const s = setUp({ script: [], env, sharedEnv: true, ...(services ? { services } : {}) });
    const jobs = services?.jobs ?? s.session.beside.jobs;
    const handle = jobs?.start("sleep 1000", (command) => env.startCommand(command)).handle;
    await s.finish();
    const isRunning = handle?.running;
    await env.cleanup();
    return isRunning;
  };
  expect([await running(undefined), await running({ jobs: new Jobs() })]).toEqual([false, true]);
});

it("what fails while a session closes is said, and the session closes all the same", async () => {
  const s = setUp({
    script: [],
    beforeClose: async () => {
      throw new Error("the host is gone");
    },
  });
  await s.finish();
  expect(s.of("warning").map(({ data }) => data)).toEqual([{ message: "Error: the host is gone", code: "shutdown" }]);
  expect(s.session.state).toBe("closed");
});
