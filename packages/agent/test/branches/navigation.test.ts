// Moving to another entry of a session's tree, with a scripted model: what the next request contains, and what happens
// if the move fails.

import { ConfigurationError, textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { branchSummarizer } from "../../src/context/branches/branch-summary.ts";
import type { BranchSummaryEntry } from "../../src/contract/journal.ts";
import type { TreeMove } from "../../src/contract/seams/types.ts";
import { userMessages } from "../../src/record/journal/tree.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { type Setup, setUp, testProfile, tool } from "../support/session.ts";

const NOTES = "## Tried\nPrompts two and three.\n\n## Learned\nThe parser is slow.\n\n## Left behind\nNothing";
const summarize = branchSummarizer({ reserveTokens: 16_384 });

const isSummary = (text: string): boolean => text.includes("handover notes");

/** Three prompts with their answers; then `later` plays. */
async function threePrompts(later: readonly ScriptedTurn[] = [], options: Partial<Parameters<typeof setUp>[0]> = {}) {
  const s = setUp({ ...options, script: [...["one", "two", "three"].map((n) => ({ text: `answer ${n}` })), ...later] });
  for (const n of ["one", "two", "three"]) await s.session.submit(`prompt ${n}`);
  const prompts = userMessages(s.session.journal);
  return Object.assign(s, { prompt: (n: number): string => prompts[n - 1]!.id });
}

const textsOf = (s: Setup): string[] => s.client.requests.at(-1)!.messages.map(textOf);

describe("G-31 CO-10 moving inside one session", () => {
  it("to prompt 2 with a summary: the file only grows, the prompt comes back to be edited, and the next request has prompt 1 and the summary", async () => {
    const s = await threePrompts([{ text: NOTES }, { text: "a better answer" }, { text: "and more" }]);
    const before = [...s.session.journal.entryIds()];
    const moved = await s.session.navigate(s.prompt(2), { summarize });
    expect(moved).toMatchObject({ text: "prompt two", leafId: moved.summaryEntryId });
    expect([...s.session.journal.entryIds()].slice(0, before.length)).toEqual(before);
    const entry = s.session.journal.entry(moved.summaryEntryId!) as BranchSummaryEntry;
    expect(entry).toMatchObject({ parentId: s.session.journal.entry(s.prompt(2)).parentId, fromId: entry.parentId });
    expect(entry.fromExtension).toBeUndefined();

    const asked = s.client.requests[3]!.messages.map(textOf).join("\n");
    expect(isSummary(asked)).toBe(true);
    expect(asked).toMatch(/prompt two[\s\S]*answer two[\s\S]*prompt three[\s\S]*answer three/);
    expect(asked).not.toContain("prompt one");

    await s.session.submit("prompt two, better");
    const sent = textsOf(s);
    expect(sent.slice(-4)).toEqual([
      "prompt one",
      "answer one",
      expect.stringMatching(/^<branch_summary>\nThe user tried another line of work[\s\S]*The parser is slow/),
      "prompt two, better",
    ]);
    expect(sent.join("\n")).not.toContain("prompt three");
    await s.session.submit("go on");
    expect(s.of("prefix_changed").map(({ data }) => data.reason)).toEqual(["branch"]);
    expect(s.of("tree_moved").map(({ data }) => data)).toEqual([
      {
        old_leaf_id: before.at(-1),
        new_leaf_id: entry.id,
        summary_entry_id: entry.id,
        from_extension: false,
      },
    ]);
    await s.finish();
  });

  it("an answer is a place as well, nothing comes back to be edited, and without a summary no model is asked", async () => {
    const s = await threePrompts([{ text: "another answer" }]);
    const answer = s.session.journal.entry(s.prompt(2)).parentId!;
    expect(await s.session.navigate(answer)).toEqual({ leafId: answer });
    await s.session.submit("instead");
    expect(textsOf(s).slice(-3)).toEqual(["prompt one", "answer one", "instead"]);
    expect(s.client.requests).toHaveLength(4);
    await s.finish();
  });

  it("the files that the left branch touched and what failed there stand below the summary", async () => {
    const change = { path: "/proj/src/a.ts", added: 1, removed: 0 };
    const edit = tool("edit", () => ({ content: [{ kind: "text", text: "done" }], changes: [change] }), {
      tier: "write",
    });
    const fails = tool("fails", () => ({ content: [{ kind: "text", text: "no such test" }], isError: true }));
    const s = setUp({
      profile: testProfile([edit, fails]),
      script: [
        { text: "first" },
        {
          calls: [
            { name: "edit", id: "c1" },
            { name: "fails", id: "c2" },
          ],
        },
        { text: "second" },
        { text: NOTES },
      ],
    });
    await s.session.submit("one");
    await s.session.submit("two");
    const [, two] = userMessages(s.session.journal);
    const { summaryEntryId } = await s.session.navigate(two!.id, { summarize });
    const { summary, details } = s.session.journal.entry(summaryEntryId!) as BranchSummaryEntry;
    expect(summary).toMatch(/<files>\n.*a\.ts \(Write\)\n<\/files>/);
    expect(summary).toMatch(/<failed-attempts>\n- .*no such test/);
    expect(details).toMatchObject({ modifiedFiles: ["/proj/src/a.ts"] });
    await s.finish();
  });

  it("choosing the place where one is does nothing, also when only bookkeeping follows it", async () => {
    const s = await threePrompts();
    const { journal } = s.session;
    const answer = journal.leaf!;
    const size = [...journal.entryIds()].length;
    expect(await s.session.navigate(answer, { summarize })).toEqual({ leafId: answer });
    s.session.label(answer, "here");
    const leaf = journal.leaf;
    expect(await s.session.navigate(answer, { summarize })).toEqual({ leafId: leaf });
    expect([...journal.entryIds()]).toHaveLength(size + 1);
    expect(s.of("tree_moved")).toEqual([]);
    await s.finish();
  });

  it("CO-10 interrupting the summary leaves the leaf where it was, and the session goes on there", async () => {
    let reached = (): void => {};
    const asking = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const never = (): Promise<void> => {
      reached();
      return new Promise(() => {});
    };
    const s = await threePrompts([{ before: never }, { text: "still here" }]);
    const leaf = s.session.journal.leaf;
    const going = s.session.navigate(s.prompt(2), { summarize });
    await asking;
    await expect(s.session.submit("too early")).rejects.toThrow("session is busy");
    await expect(s.session.navigate(s.prompt(1))).rejects.toThrow("session is busy");
    await s.session.interrupt();
    expect(await going).toEqual({ leafId: leaf, cancelled: "it was interrupted" });
    expect(s.session.journal.leaf).toBe(leaf);
    expect(s.session.journal.openIntents()).toEqual([]);
    await s.session.submit("go on");
    expect(textsOf(s).join("\n")).toContain("answer three");
    expect(s.of("prefix_changed")).toEqual([]);
    await s.finish();
  });

  it.each([
    ["no model can be called", [{ error: new ConfigurationError("no provider for it") }], "no provider for it"],
    ["the summary is empty twice", [{ text: " " }, { text: "" }], "it is empty"],
    ["the answer is refused", [{ text: "", finish: "content_filter" as const }, { text: "" }], "was incomplete"],
  ])("when %s, the conversation stays where it was", async (_what, turns, problem) => {
    const s = await threePrompts([...turns, { text: "still here" }]);
    await expect(s.session.navigate(s.prompt(2), { summarize })).rejects.toThrow(problem);
    await s.session.submit("go on");
    expect(textsOf(s).join("\n")).toContain("answer three");
    expect(s.of("tree_moved")).toEqual([]);
    expect(s.session.state).toBe("idle");
    await s.finish();
  });

  it("a summary that was paid for before a failure is not asked for again", async () => {
    const s = await threePrompts([{ text: NOTES }, { text: "x" }]);
    const broken: typeof summarize = async (move, context) => {
      await summarize(move, context);
      throw new Error("the process ended here");
    };
    await expect(s.session.navigate(s.prompt(2), { summarize: broken })).rejects.toThrow("ended here");
    expect((await s.session.navigate(s.prompt(2), { summarize })).summaryEntryId).toBeDefined();
    expect(s.client.requests).toHaveLength(4);
    await s.finish();
  });

  it("a branch longer than the window is summarised from its newest messages", async () => {
    const s = setUp({
      profile: testProfile([], { contextWindowSize: 32_000 }),
      script: [{ text: "first" }, { text: `OLDEST ${"x ".repeat(60_000)}` }, { text: "NEWEST" }, { text: NOTES }],
    });
    for (const n of ["one", "two", "three"]) await s.session.submit(n);
    const [, two] = userMessages(s.session.journal);
    await s.session.navigate(two!.id, { summarize });
    const asked = s.client.requests[3]!.messages.map(textOf).join("\n");
    expect(asked).toContain("NEWEST");
    expect(asked.length).toBeLessThan(3 * 17_000);
    await s.finish();
  });

  it("an entry that is not there is refused, and the start is a place", async () => {
    const s = await threePrompts([{ text: "anew" }]);
    await expect(s.session.navigate("nowhere0")).rejects.toThrow("There is no entry nowhere0 in this session.");
    expect(await s.session.navigate(s.prompt(1))).toEqual({ leafId: null, text: "prompt one" });
    await s.session.submit("anew");
    expect(textsOf(s).slice(1)).toEqual(["anew"]);
    expect(s.session.journal.children(null)).toHaveLength(2);
    await s.finish();
  });
});

describe("G-34 hooks", () => {
  it("one that objects to a move leaves file and leaf as they are; it sees what would be left", async () => {
    const moves: TreeMove[] = [];
    const s = await threePrompts([], {
      middleware: [
        {
          name: "guard",
          beforeTree: (move) => {
            moves.push(move);
            return { cancel: "not now" };
          },
        },
      ],
    });
    const { journal } = s.session;
    const [leaf, ids] = [journal.leaf, [...journal.entryIds()]];
    expect(await s.session.navigate(s.prompt(2), { summarize })).toEqual({ leafId: leaf, cancelled: "not now" });
    expect([journal.leaf, [...journal.entryIds()], [...journal.outside("leaf")]]).toEqual([leaf, ids, []]);
    const before = journal.entry(s.prompt(2)).parentId;
    expect(moves).toMatchObject([
      {
        targetId: s.prompt(2),
        oldLeafId: leaf,
        newLeafId: before,
        commonAncestorId: before,
        userWantsSummary: true,
        entriesToSummarize: [{ id: s.prompt(2) }, {}, { id: s.prompt(3) }, {}],
      },
    ]);
    await s.finish();
  });

  it("one that gives the summary spares the model call, and the entry says where it came from", async () => {
    const s = await threePrompts([], {
      middleware: [{ name: "own", beforeTree: () => ({ summary: "as the extension says" }) }],
    });
    const { summaryEntryId } = await s.session.navigate(s.prompt(2), { summarize });
    expect(s.session.journal.entry(summaryEntryId!)).toMatchObject({
      type: "branch_summary",
      summary: "as the extension says",
      fromExtension: true,
    });
    expect(s.client.requests).toHaveLength(3);
    expect(s.of("tree_moved")[0]?.data.from_extension).toBe(true);
    await s.finish();
  });

  it("one that hangs or fails is reported and does not keep anybody from moving", async () => {
    const s = await threePrompts([], {
      middleware: [
        { name: "hangs", timeoutMs: 20, beforeTree: () => new Promise(() => {}) },
        {
          name: "fails",
          beforeBranch: () => {
            throw new Error("broken");
          },
        },
        { name: "objects", beforeBranch: () => ({ cancel: "no" }), beforeSwitch: ({ reason }) => ({ cancel: reason }) },
      ],
    });
    expect(await s.session.navigate(s.prompt(1))).toMatchObject({ leafId: null });
    expect(await s.session.mayBranch(s.prompt(1))).toBe("no");
    expect(await s.session.maySwitch({ reason: "resume", sessionFile: "/there" })).toBe("resume");
    expect(s.of("warning").map(({ data }) => data.message)).toEqual([
      expect.stringMatching(/hangs.beforeTree.*20 ms/),
      expect.stringMatching(/fails.beforeBranch.*broken/),
    ]);
    await s.finish();
  });
});

describe("G-31 G-33 the tree and its labels", () => {
  it("children come oldest first under their parents, and carry their labels", async () => {
    const s = await threePrompts([{ text: "two again" }]);
    await s.session.navigate(s.prompt(2));
    await s.session.submit("prompt two again");
    s.session.label(s.prompt(2), "first try");
    const { journal } = s.session;
    expect(journal.children(null)).toEqual([s.prompt(1)]);
    const [answer] = journal.children(s.prompt(1));
    const [first, second] = journal.children(answer!);
    expect([journal.labels.get(first!), journal.labels.get(second!)]).toEqual(["first try", undefined]);
    const [again] = journal.children(second!);
    expect(journal.meta(journal.children(again!)[0]!)!.type).toBe("label");
    await s.finish();
  });

  it("a label stands for one entry: twice, on nothing, and taking away what is not there are refused", async () => {
    const s = await threePrompts();
    const label = (id: string, name?: string) => () => s.session.label(id, name);
    s.session.label(s.prompt(1), "start");
    expect(label(s.prompt(1), "start")).toThrow(`Entry ${s.prompt(1)} is labelled "start" already.`);
    expect(label(s.prompt(2), "start")).toThrow(
      `The label "start" is on entry ${s.prompt(1)} already. Choose another, or clear it there first.`,
    );
    expect(label("nowhere0", "x")).toThrow("There is no entry nowhere0 in this session.");
    expect(label(s.prompt(2))).toThrow(`Entry ${s.prompt(2)} has no label to clear.`);
    expect(label(s.prompt(2), "  ")).toThrow("A label cannot be empty.");
    s.session.label(s.prompt(1));
    s.session.label(s.prompt(2), "start");
    expect([...s.session.journal.labels]).toEqual([[s.prompt(2), "start"]]);
    await s.finish();
  });
});
