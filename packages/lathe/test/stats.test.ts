import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forkJournal, Journal } from "@lathe/agent";
import { encodeLine } from "@lathe/agent/record";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, openStore, result, saySomething, user } from "./sessions-fixture.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

describe("lathe stats", () => {
  it("SP-08 counts messages, tokens and money by model and by day, subagents included, forks once", async () => {
    const march = Date.parse("2026-03-01T23:59:00Z");
    const one = await saySomething(box.maker, "one", "ok", { at: march });
    await saySomething(box.maker, "child", "ok", { path: one.path.replace(".jsonl", "/agent-1.jsonl") });
    const two = box.maker.make({ at: march + 3_600_000 });
    two.journal.append(user("two"));
    two.journal.append(call("c", "bash", {}));
    two.journal.append(result("c", "out"));
    const intent = await two.journal.intent({ effect: "request", replay: "safe" });
    const usage = { inputTokens: 7, outputTokens: 0, totalTokens: 7 };
    two.journal.settle(intent.id, "failed", { usage, cost: 0.5 });
    await two.journal.close();
    const source = Journal.open(openStore(one.path), box.maker.deps);
    const store = openStore(one.path.replace(one.id, "fork"));
    await forkJournal(
      source,
      { upTo: source.leaf, header: { id: "fork", cwd: box.dir }, store },
      box.maker.deps,
    ).close();
    await source.close();
    const { stdout } = await box.run("stats", "--json");
    const stats = JSON.parse(stdout) as Record<string, unknown>;
    expect(stats).toMatchObject({
      sessions: 3,
      messages: { user: 3, assistant: 3, tool: 1 },
      byModel: {
        "acme/m-1": { answers: 3, input: 4000, cached: 1600, output: 180 },
        "(failed requests)": { answers: 0, input: 7, cost: 0.5 },
      },
      byDay: { "2026-03-01": { answers: 2 }, "2026-03-02": { answers: 1 } },
    });
    const text = (await box.run("stats")).stdout;
    expect(text).toContain("3 sessions, 3 prompts, 3 answers, 1 tool result, $0.52\n");
    expect(text).toMatch(/acme\/m-1 +3 +4\.0k +1\.6k +180 +\$0\.0220/);
  });

  it("is zero when there is nothing", async () => {
    expect((await box.run("stats")).stdout).toBe("0 sessions, 0 prompts, 0 answers, 0 tool results, $0.00\n");
  });

  it("counts an answer whose model nobody wrote down", async () => {
    const { path } = await saySomething(box.maker, "x", "y");
    const message = { role: "assistant", content: [] };
    writeFileSync(
      path,
      encodeLine({ type: "message", id: "zzzzzzzz", parentId: null, timestamp: "2026-01-01", message }),
      {
        flag: "a",
      },
    );
    const { byModel } = JSON.parse((await box.run("stats", "--json")).stdout) as Record<string, object>;
    expect(byModel).toMatchObject({ "(unknown)": { answers: 1 } });
  });

  it("SP-08 tells projects apart, gives a subagent's work to its session's, and --days leaves out what is older", async () => {
    const now = Date.now();
    const other = join(box.dir, "other");
    const old = await saySomething(box.maker, "long ago", "ok", { at: now - 40 * 86_400_000 });
    const here = await saySomething(box.maker, "here", "ok", { at: now - 60_000 });
    const child = { path: here.path.replace(".jsonl", "/agent-1.jsonl"), cwd: join(box.dir, "below") };
    await saySomething(box.maker, "child", "ok", child);
    await saySomething(box.maker, "there", "ok", { cwd: other });
    const stats = await json();
    expect(stats).toMatchObject({
      sessions: 3,
      total: { answers: 4 },
      byProject: { [box.dir]: { answers: 3 }, [other]: { answers: 1 } },
    });
    expect(await json("--days", "7")).toMatchObject({ sessions: 2, total: { answers: 3 }, messages: { user: 3 } });
    const text = (await box.run("stats", "--days", "7")).stdout;
    expect(text).toMatch(/^by day +answers +in +cached +out +cost$/m);
    expect(text).toMatch(/^by model /m);
    expect(text).toMatch(new RegExp(`^${other} +1 +1\\.0k +800 +50 +\\$0\\.01`, "m"));
    expect(old.path).not.toBe(here.path);
  });

  it("counts calls outside the conversation", async () => {
    const { journal } = box.maker.make();
    journal.append(user("x"));
    const usage = { inputTokens: 30, outputTokens: 5, totalTokens: 35 };
    const data = { role: "compaction", model: "acme/small", usage, cost: 0.25 };
    journal.append({ type: "custom", customType: "maintenance", data });
    journal.append({ type: "custom", customType: "maintenance", data: null });
    await journal.close();
    expect(await json()).toMatchObject({ byModel: { "acme/small": { answers: 1, input: 30, output: 5, cost: 0.25 } } });
  });

  it("says as many answers in its first line as its tables do, one of each without a plural, and no price for a model without one", async () => {
    const { journal } = box.maker.make();
    journal.append(user("x"));
    const { cost: _cost, ...unpriced } = answer("y") as { cost?: number };
    journal.append(unpriced as ReturnType<typeof answer>);
    await journal.close();
    expect((await box.run("stats")).stdout).toMatch(/^1 session, 1 prompt, 1 answer, 0 tool results, –\n[^$]*$/);
    expect(await json()).toMatchObject({ total: { answers: 1, cost: 0, unpriced: 1 } });
    const usage = { inputTokens: 30, outputTokens: 5, totalTokens: 35 };
    const data = { role: "handoff", model: "acme/small", usage, cost: 0.25 };
    const again = Journal.open(openStore(journal.label), box.maker.deps);
    again.append({ type: "custom", customType: "maintenance", data });
    await again.close();
    const { stdout } = await box.run("stats");
    expect(stdout).toMatch(/^1 session, 1 prompt, 2 answers, 0 tool results, at least \$0\.25\n/);
    expect(stdout).toMatch(/acme\/m-1 +1 .* –\n/);
    expect(stdout).toMatch(/acme\/small +1 .* \$0\.25\n/);
  });

  it("says what it could not count", async () => {
    const sound = await saySomething(box.maker, "sound", "ok");
    const bad = await saySomething(box.maker, "a line with a typo", "ok");
    writeFileSync(bad.path, readFileSync(bad.path, "utf8").replace("typo", "tyop"));
    writeFileSync(sound.path.replace(sound.id, "broken"), "no header here\n");
    const { stdout, stderr, code } = await box.run("stats");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2 sessions, 1 prompt, 2 answers/);
    expect(stderr).toBe("lathe: Not counted: 1 older or unreadable file, 1 damaged line. See: lathe sessions doctor\n");
    expect(await json()).toMatchObject({ unread: { files: 1, lines: 1 } });
  });

  it("counts what a fork took over once, also when the session it comes from is gone", async () => {
    const one = await saySomething(box.maker, "one", "ok");
    const source = Journal.open(openStore(one.path), box.maker.deps);
    const path = one.path.replace(one.id, "fork");
    const header = { id: "fork", cwd: box.dir, parentSession: one.path };
    const fork = forkJournal(source, { upTo: source.leaf, header, store: openStore(path) }, box.maker.deps);
    fork.append(user("two"));
    fork.append(answer("ok"));
    await fork.close();
    await source.close();
    expect(await json()).toMatchObject({ total: { answers: 2 }, messages: { user: 2 } });
    rmSync(one.path);
    expect(await json()).toMatchObject({ sessions: 1, total: { answers: 2 }, messages: { user: 2 } });
  });

  it("does not open a file again that has not changed, reads one that has, and forgets one that is gone", async () => {
    const made = [];
    for (let at = 0; at < 60; at++) made.push(await saySomething(box.maker, `prompt ${at}`, "ok"));
    const [same, grown, gone] = made;
    const then = 1_700_000_000;
    utimesSync(same!.path, then, then);
    const before = await json();
    expect(before).toMatchObject({ sessions: 60, total: { answers: 60 } });
    // Nobody could count this.
    writeFileSync(same!.path, "x".repeat(statSync(same!.path).size));
    utimesSync(same!.path, then, then);
    expect(await json()).toEqual(before);
    const again = Journal.open(openStore(grown!.path), box.maker.deps);
    again.append(answer("more"));
    await again.close();
    rmSync(gone!.path);
    expect(await json()).toMatchObject({ sessions: 59, total: { answers: 60 } });
    writeFileSync(join(box.home, "cache", "session-stats.json"), "{");
    expect(await json()).toMatchObject({ sessions: 58, total: { answers: 59 } });
  });

  it("refuses what it does not know in one line", async () => {
    for (const [args, words] of [
      [["--days", "soon"], '--days takes a number of days, not "soon".'],
      [["today"], 'takes no word but "edits", not "today"'],
      [["--month"], "See: lathe stats --help"],
    ] as const) {
      const { code, stderr } = await box.run("stats", ...args);
      expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 2, lines: 1 });
      expect(stderr).toContain(words);
    }
  });
});

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await box.run("stats", "--json", ...args);
  return JSON.parse(stdout) as Record<string, unknown>;
}
