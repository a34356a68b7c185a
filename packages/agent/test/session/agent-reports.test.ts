import { gate } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { agentProfile, answersIn, batch, cast, childJournals, firstText, types, yields } from "../support/agents.ts";
import { type SetupOptions, setUp, testDeps } from "../support/session.ts";

const never = (): Promise<void> => new Promise(() => {});

/** A session over a store, and how it looks to a process that opens the store as it was after the n-th write. */
function world() {
  const deps = testDeps();
  const children = childJournals(deps);
  const sizes: number[] = [0];
  class Watched extends MemoryStore {
    override append(bytes: Uint8Array): void {
      super.append(bytes);
      sizes.push(this.size);
    }
  }
  const store = new Watched();
  const options = (script: SetupOptions["script"], journal: Journal): SetupOptions => ({
    deps,
    script,
    journal,
    profile: agentProfile(),
    subagents: { types, journal: children.journal },
    config: { jobReports: "run" },
  });
  return {
    sizes,
    first: (script: SetupOptions["script"]) =>
      setUp(
        options(
          script,
          Journal.create({ id: "s", cwd: "/work" }, () => store, children.journalDeps),
        ),
      ),
    again: (size: number, script: SetupOptions["script"]) =>
      setUp(options(script, Journal.open(new MemoryStore(store.read(0, size)), children.journalDeps))),
  };
}

const reportsIn = (journal: Journal): string[] =>
  [...journal.entryIds()].flatMap((id) => {
    const entry = journal.entry(id);
    return entry.type === "message" && entry.source?.kind === "agent" ? [JSON.stringify(entry.message.content)] : [];
  });

describe("results of agents after an interrupt", () => {
  it("SA-01 MO-06 begin nothing by themselves, the next input brings them once; who sets an agent to work hears of it again", async () => {
    let stuck = 0;
    const gotStuck = gate();
    // Both are at work: the session itself and its agent.
    const hang = (): Promise<void> => {
      stuck += 1;
      if (stuck === 2) gotStuck.open();
      return never();
    };
    const s = world().first((request) => {
      const isChild = firstText(request).includes("assignment");
      const said = JSON.stringify(request.messages.at(-1));
      if (isChild) return said.includes("carry on") ? yields("carried on") : { text: "", before: hang };
      if (answersIn(request) === 0) return batch([{ id: "A", assignment: "look" }]);
      return stuck < 2 && !said.includes("next") ? { text: "", before: hang } : { text: "ok" };
    });
    const mains = () => s.client.requests.filter((request) => !firstText(request).includes("assignment"));
    /** The report has been queued, and whatever it begins has begun. */
    const reported = async (): Promise<void> => {
      for await (const { kind, data } of s.session.events())
        if (kind === "queue_changed" && data.change === "added" && data.source?.kind === "agent") return;
    };
    const running = s.session.submit("go on");
    await gotStuck.wait();
    const cut = reported();
    await s.session.interrupt();
    expect(await running).toMatchObject({ reason: "interrupted" });
    await cut;
    expect([s.session.state, s.session.queuedMessages("steering").length, mains().length]).toEqual(["idle", 1, 2]);
    expect(await s.session.submit("next")).toMatchObject({ reason: "completed" });
    expect(mains()).toHaveLength(3);
    const [first, ...others] = reportsIn(s.session.journal);
    expect(others).toEqual([]);
    expect(mains()[2]!.messages.filter(({ content }) => JSON.stringify(content) === first)).toHaveLength(1);

    // If nothing is at work, nothing is held back; a user's message after an interrupt asks for a result.
    await s.session.interrupt();
    await s.session.subagents.directory.send("A", "wait");
    const again = reported();
    await s.session.interrupt();
    await again;
    expect([s.session.state, mains().length]).toEqual(["idle", 3]);
    const ended = (async () => {
      for await (const event of s.session.events()) if (event.kind === "processing_end") return;
    })();
    await s.session.subagents.directory.send("A", "carry on");
    await ended;
    expect(mains()).toHaveLength(4);
    expect(JSON.stringify(mains()[3])).toContain("carried on");
    expect(reportsIn(s.session.journal)).toHaveLength(3);
    await s.finish();
  });
});

describe("results of agents and the end of the process", () => {
  it("SA-01 a result reaches the model exactly once, whichever write the process died after", async () => {
    const w = world();
    const script = cast({
      "go on": [batch([{ id: "A", assignment: "look" }]), { text: "meanwhile" }, { text: "heard" }, { text: "again" }],
      assignment: [yields("seen")],
      next: () => ({ text: "ok" }),
    });
    const s = w.first(script);
    const heard = (async () => {
      for await (const event of s.session.events())
        if (event.kind === "processing_end" && reportsIn(s.session.journal).length > 0) return;
    })();
    await s.session.submit("go on");
    await heard;
    await s.finish();
    expect(reportsIn(s.session.journal)).toHaveLength(1);
    let told = 0;
    for (const size of w.sizes.slice(1)) {
      const reopened = w.again(size, () => ({ text: "ok" }));
      const known = reopened.session.subagents.list().length;
      reopened.session.abandonUnfinishedInput();
      await reopened.session.submit("next");
      const reports = reportsIn(reopened.session.journal);
      // The child was not recorded yet, so nothing was promised.
      expect([size, reports.length]).toEqual([size, known]);
      told += reports.length;
      await reopened.finish();
    }
    expect(told).toBeGreaterThan(5);
  });

  it("SA-04 an agent that was at work when the process ended is failed, and takes messages again", async () => {
    const w = world();
    let stuck = (): void => {};
    const isStuck = new Promise<void>((resolve) => {
      stuck = resolve;
    });
    const hang = (): Promise<void> => {
      stuck();
      return never();
    };
    const s = w.first(
      cast({
        "go on": [batch([{ id: "A", assignment: "look" }]), { text: "meanwhile" }],
        assignment: [{ text: "", before: () => hang() }],
      }),
    );
    await s.session.submit("go on");
    await isStuck;
    const again = w.again(
      w.sizes.at(-1)!,
      cast({
        "go on": (request) =>
          request.messages.some(({ content }) => JSON.stringify(content).includes("more work"))
            ? { text: "ok" }
            : { calls: [{ name: "send_input", args: { agent_id: "A", message: "more work" }, id: "i" }] },
        assignment: () => yields("revived"),
      }),
    );
    expect(again.session.subagents.list()).toMatchObject([
      { agentId: "A", status: "failed", state: "parked", output: "interrupted" },
    ]);
    await again.session.subagents.send("A", "more work", "c");
    expect(await again.session.subagents.wait("A", new AbortController().signal)).toMatchObject({
      output: "revived",
      state: "idle",
    });
    const read = async (url: string) =>
      Buffer.from((await again.session.schemes.read(url, new AbortController().signal)).bytes).toString();
    expect(await read("agent://A")).toBe("revived");
    expect(await read("history://A")).toContain("You are A. Your assignment:\n\nlook");
    await expect(read("agent://B")).rejects.toThrow("Not found: B. Known: A");
    await again.session.subagents.close("A");
    expect(await read("history://A")).toContain("## Message\nmore work");
    await again.finish();
    await s.finish();
  });

  it("G-78 IU-02 parts of a JSON output are read by a path or a query, not by both", async () => {
    const w = world();
    const s = w.first(
      cast({
        "go on": [batch([{ id: "A", assignment: "look" }]), { text: "meanwhile" }, { text: "heard" }],
        assignment: [yields('{"items":[{"name":"one"},{"name":"two"}]}')],
      }),
    );
    await s.session.submit("go on");
    await s.session.subagents.wait("A", new AbortController().signal);
    const read = async (url: string) =>
      Buffer.from((await s.session.schemes.read(url, new AbortController().signal)).bytes).toString();
    expect(await read("agent://A/items/1/name")).toBe("two");
    expect(await read("agent://A?q=items[0].name")).toBe("one");
    await expect(read("agent://A/items?q=items")).rejects.toThrow("give one of them");
    await expect(read("agent://A/none")).rejects.toThrow("has no none");
    await s.finish();
  });
});
