import { textOf } from "@lathe/llm";
import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { PrefixGuard } from "../../src/context/prefix/guard.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { echo, setUp, testDeps, testProfile, tool } from "../support/session.ts";
import { clientFor, DIALECTS, lostMessages, profileFor, wire } from "../support/wire.ts";

const segment = (text: string) => ({ kind: "message" as const, text, hash: text, bytes: text.length });

describe("the guard", () => {
  it("lets the prefix grow, names a stated change, and finds one that nobody stated", () => {
    const guard = new PrefixGuard();
    const [a, b, c] = ["aaaa", "bbbb", "cccc"].map(segment) as [
      ReturnType<typeof segment>,
      ReturnType<typeof segment>,
      ReturnType<typeof segment>,
    ];
    expect(guard.check([a, b]).kind).toBe("same");
    expect(guard.check([a, b, c]).kind).toBe("same");
    guard.expect("compaction");
    expect(guard.check([a, c])).toEqual({ kind: "changed", reason: "compaction", tokensLost: 2 });
    expect(guard.check([b, c])).toMatchObject({ kind: "bug", tokensLost: 2 });
    expect(guard.check([b])).toMatchObject({ kind: "bug", message: expect.stringContaining("1 segments are gone") });
    expect(guard.check([segment("bbbb,more]")]).kind).toBe("same");
  });
});

describe.each(DIALECTS)("over %s", (dialect) => {
  it("every body continues the one before it, also after resume in a new session object, and in a fork", async () => {
    const store = new MemoryStore();
    const blobs = new MemoryBlobs();
    const deps = testDeps();
    const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, journalDeps);
    const surroundings = () => ({ environment: `It is tick ${deps.now()}.`, projectDocs: `docs of ${deps.now()}` });
    const call = (n: number) => turn.calls([{ name: "echo", args: { n }, id: `c${n}` }]);
    const w = await wire(dialect, [call(1), call(2), turn.text("one"), call(3), turn.text("two")], {
      journal,
      deps,
      surroundings,
    });
    w.session.steer("mind the gap");
    await w.session.submit("first");
    await w.session.close();
    const session = new Session({
      profile: profileFor(dialect, [tool("newcomer", () => "x"), echo]),
      env: new MemoryEnvironment(),
      client: clientFor(dialect, w.server),
      deps,
      journal: Journal.open(new MemoryStore(store.read(0, store.size)), journalDeps),
      surroundings,
      config: { prefixBug: "throw" },
    });
    await session.submit("second");
    await session.close();
    await using other = await startModelServer({ script: [turn.text("forked")] });
    const source = Journal.open(new MemoryStore(store.read(0, store.size)), journalDeps);
    const fork = new Session({
      profile: profileFor(dialect),
      env: new MemoryEnvironment(),
      client: clientFor(dialect, other),
      deps,
      journal: forkJournal(
        source,
        { upTo: source.leaf, header: { id: deps.uuid(), cwd: "/work" }, store: new MemoryStore() },
        journalDeps,
      ),
      surroundings,
      config: { prefixBug: "throw" },
    });
    await fork.submit("second");
    await fork.close();
    expect(w.server.requests).toHaveLength(5);
    // Only the end of the message list and the parameters after it may differ between neighbours.
    for (const tail of lostMessages(w.server)) expect(tail).not.toMatch(/echo|first|mind|tick|docs/);
    // The fork says what the fourth request said: it begins where the first input had ended.
    expect(other.requests[0]!.text).toBe(w.server.requests[3]!.text);
    const { view } = w.server.requests[4]!;
    expect(view.system).toContain("docs of");
    expect(view.tools).toEqual(["echo"]);
    await w.finish();
  });
});

describe("stated changes", () => {
  it.each([
    [
      "model",
      (s: ReturnType<typeof setUp>) =>
        s.session.setProfile(testProfile([echo], { model: "other-2", buildSystemPrompt: () => "Another." })),
    ],
    ["instructions", (s: ReturnType<typeof setUp>) => s.session.reload()],
    ["branch", (s: ReturnType<typeof setUp>) => s.session.moveTo(null)],
    ["tools", (s: ReturnType<typeof setUp>) => s.session.registerTool(tool("more", () => "x"))],
  ])("%s", async (reason, change) => {
    let renders = 0;
    const s = setUp({
      script: [{ text: "a" }, { text: "b" }, { text: "c" }],
      surroundings: () => ({ environment: "", projectDocs: `version ${++renders}` }),
    });
    await s.session.submit("1");
    change(s);
    await s.session.submit("2");
    await s.session.submit("3");
    await s.finish();
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual([reason]);
    expect(s.of("prefix_changed")[0]!.data.tokensLost).toBeGreaterThan(0);
    expect([...s.session.journal.outside("prefix")].length).toBe(reason === "branch" ? 1 : 2);
  });

  it("a prompt for a new model that could not be rendered is rendered with the next input", async () => {
    let broken = false;
    const s = setUp({
      surroundings: async ({ model }) => {
        if (broken) throw new Error("git is broken");
        return { environment: "", projectDocs: `docs for ${model}` };
      },
      script: [{ text: "a" }, { text: "b" }],
    });
    await s.session.submit("1");
    s.session.setProfile(testProfile([echo], { model: "other" }));
    broken = true;
    await s.session.submit("2");
    broken = false;
    await s.session.submit("3");
    await s.finish();
    expect(s.client.requests.map(({ messages }) => textOf(messages[0]!))).toEqual([
      expect.stringContaining("docs for scripted-1"),
      expect.stringContaining("docs for other"),
    ]);
    expect(s.of("error").map((event) => event.data.message)).toEqual(["git is broken"]);
  });

  it("a change without a reason ends the input in tests and is an error event in production", async () => {
    const meddler = {
      name: "meddler",
      beforeRequest: ({ request }: { request: { messages: readonly object[] } }) =>
        ({ request: { ...request, messages: request.messages.slice(1) } }) as never,
    };
    const run = async (prefixBug: "throw" | "report") => {
      let on = false;
      const s = setUp({
        script: [{ text: "a" }, { text: "b" }],
        config: { prefixBug },
        middleware: [{ ...meddler, beforeRequest: (info) => (on ? meddler.beforeRequest(info) : undefined) }],
      });
      await s.session.submit("1");
      on = true;
      await s.session.submit("2");
      await s.finish();
      return {
        requests: s.client.requests.length,
        codes: s.of("error").map((event) => event.data.code ?? event.data.error_type),
      };
    };
    expect(await run("throw")).toEqual({ requests: 1, codes: ["PrefixBug"] });
    expect(await run("report")).toEqual({ requests: 2, codes: ["prefix_bug"] });
  });
});
