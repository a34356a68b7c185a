import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import type { ArtifactStore } from "../../src/record/artifacts/store.ts";
import { JournalError } from "../../src/record/journal/errors.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { historyError, journalError } from "../support/history-grammar.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { setUp, testDeps, testProfile, tool } from "../support/session.ts";

const big = (characters: number) => tool("big", () => "x".repeat(characters));
const call = (name: string, id: string, args = {}): ScriptedTurn => ({ calls: [{ name, id, args }] });
const agents = [spawnAgentTool, sendInputTool, waitTool] as unknown as ToolDef[];

class BreakingStore extends MemoryStore {
  broken = false;
  /** Appends until the disk is full; the write after the last one is cut in half. */
  room = Number.POSITIVE_INFINITY;
  override append(text: string | Uint8Array): void {
    if (!this.broken && this.room-- > 0) {
      super.append(text);
      return;
    }
    if (!this.broken) super.append(Buffer.from(text as string).subarray(0, text.length / 2));
    this.broken = true;
    throw new JournalError("io", "the disk is full");
  }
}

class BreakingBlobs extends MemoryBlobs {
  broken = false;
  override put(bytes: Uint8Array): string {
    if (this.broken) throw new Error("ENOSPC: no space left on device, write");
    return super.put(bytes);
  }
}

describe("a full disk", () => {
  it("RN-03 a call whose whole output cannot be stored still has its result", async () => {
    const artifacts: ArtifactStore = {
      open: () => {
        throw new Error("ENOSPC: no space left on device");
      },
      read: async () => undefined,
      ids: async () => [],
    };
    const s = setUp({ artifacts, profile: testProfile([big(2 << 20)]), script: [call("big", "b"), { text: "done" }] });
    await s.session.submit("go");
    expect(journalError(s.session.journal)).toBeUndefined();
    await s.finish();
    expect(s.of("processing_end")[0]?.data.reason).toBe("completed");
    const { is_error, output = "" } = s.of("tool_call_end")[0]!.data;
    expect([is_error, output.length]).toEqual([false, 1 << 20]);
    expect(output).toMatch(/^x+\n\[\.\.\. \d+ or more characters are omitted here \.\.\.\]\nx+$/);
    expect(s.of("warning").map((event) => event.data.message)).toEqual([
      "the whole output of big could not be saved: ENOSPC: no space left on device",
    ]);
  });

  it("at every write of a run: the session ends with the reason, and continues when there is space again", async () => {
    const act = tool("act", (args) => `did ${JSON.stringify(args)}`, { replay: "never" });
    const script: ScriptedTurn[] = [
      { text: "first", calls: [1, 2].map((n) => ({ name: "act", id: `a${n}`, args: { n } })) },
      call("act", "b"),
      { text: "done" },
    ];
    let room = 1;
    for (let full = true; full; room++) {
      const deps = testDeps();
      const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
      const store = new BreakingStore();
      store.room = room;
      const journal = Journal.create({ id: "s", cwd: "/work" }, () => store, journalDeps);
      const s = setUp({ deps, journal, profile: testProfile([act]), script });
      await s.session.submit("go");
      full = store.broken;
      await s.finish();
      expect(s.of("session_end")[0]?.data).toMatchObject(
        full ? { reason: "error", error: "the disk is full" } : { reason: "closed" },
      );
      const reopened = Journal.open(new MemoryStore(store.read(0, store.size)), journalDeps);
      const again = setUp({ deps, journal: reopened, profile: testProfile([act]), script: () => ({ text: "fine" }) });
      await again.session.continue();
      await again.session.submit("more");
      expect([room, journalError(reopened)]).toEqual([room, undefined]);
      expect(again.client.requests.flatMap(({ messages }) => historyError(messages.slice(1)) ?? [])).toEqual([]);
      await again.finish();
    }
    expect(room).toBeGreaterThan(15);
  });

  it("blobs that cannot be written end the session like a journal that cannot, and say what to do", async () => {
    const deps = testDeps();
    const blobs = new BreakingBlobs();
    const store = new MemoryStore();
    const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
    const breaks = tool("big", () => {
      blobs.broken = true;
      return "x".repeat(100_000);
    });
    const s = setUp({
      deps,
      journal: Journal.create({ id: "s", cwd: "/work" }, () => store, journalDeps),
      profile: testProfile([{ ...breaks, replay: "never" }]),
      config: { toolOutputLimits: { big: 200_000 } },
      script: [call("big", "b")],
    });
    const outcome = await s.session.submit("go");
    expect(outcome).toMatchObject({ reason: "error", error: { message: expect.stringContaining("ENOSPC") } });
    expect(s.session.state).toBe("closed");
    expect(s.of("error").map((event) => event.data)).toEqual([
      expect.objectContaining({
        fatal: true,
        message: expect.stringMatching(/ENOSPC.*Free space or fix the folder of blobs, then open the session again/),
      }),
    ]);

    blobs.broken = false;
    const copy = new MemoryStore(store.read(0, store.size));
    const again = setUp({ deps, journal: Journal.open(copy, journalDeps), script: [{ text: "done" }] });
    await again.session.continue();
    expect(resultText(again.client.requests[0]!, "b")).toContain("effects unknown");
    expect(journalError(again.session.journal)).toBeUndefined();
    await again.finish();
  });

  it("SB-02 a child that ends when the parent's journal is gone is still reported to whoever waits", async () => {
    const deps = testDeps();
    const store = new BreakingStore();
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const s = setUp({
      deps,
      journal: Journal.create({ id: "s", cwd: "/work" }, () => store, {
        blobs: new MemoryBlobs(),
        now: deps.now,
        newId: idSource(deps.random),
      }),
      profile: testProfile(agents),
      script: (request) => {
        if (JSON.stringify(request.messages[1]).includes("the task")) return { text: "child", before: () => gate };
        return request.messages.length === 2 ? call("spawn_agent", "s", { task: "the task" }) : { text: "done" };
      },
    });
    await s.session.submit("go");
    store.broken = true;
    goOn();
    const [child] = s.session.subagents.list();
    const report = await s.session.subagents.wait(child!.agentId, AbortSignal.timeout(60_000));
    expect(report).toMatchObject({ status: "completed", output: "child" });
    await s.session.submit("more");
    expect(s.session.state).toBe("closed");
    expect(s.of("warning").map((event) => event.data.message)).toEqual([
      expect.stringMatching(/^the end of agent \w+ was not recorded: the disk is full$/),
    ]);
  });

  it("SB-01 a child whose own journal cannot be opened is an error result; the parent continues", async () => {
    const s = setUp({
      profile: testProfile(agents),
      config: { budget: { tokens: 10_000 } },
      subagents: {
        journal: () => {
          throw new JournalError("locked", "This session is open in process 7.");
        },
      },
      script: [call("spawn_agent", "s", { task: "the task" }), { text: "done" }],
    });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "s")).toMatch(
      /^The agent \w+ cannot be started: This session is open in process 7\.$/,
    );
    expect(s.of("processing_end")[0]?.data.reason).toBe("completed");
  });
});
