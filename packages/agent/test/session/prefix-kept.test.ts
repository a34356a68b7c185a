// What is stored of the prompt: written once, unchanged by tools that come back, replaced if it is lost, and part of
// the size that users see.

import { describe, expect, it } from "vitest";
import { type BlobStore, MemoryBlobs } from "../../src/base/blobs/store.ts";
import { PrefixGuard } from "../../src/context/prefix/guard.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { echo, setUp, testDeps, testProfile, tool } from "../support/session.ts";

function journalOver(store: MemoryStore, blobs: BlobStore): Journal {
  const deps = testDeps();
  const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
  if (store.size > 0) return Journal.open(store, journalDeps);
  return Journal.create({ id: deps.uuid(), cwd: "/project" }, () => store, journalDeps);
}

const linesOf = (store: MemoryStore): string[] => Buffer.from(store.read(0, store.size)).toString("utf8").split("\n");

describe("the prompt in the session file", () => {
  it("is written once, however many requests follow", async () => {
    const store = new MemoryStore();
    const s = setUp({
      script: [{ text: "a" }, { text: "b" }, { text: "c" }],
      journal: journalOver(store, new MemoryBlobs()),
    });
    for (const input of ["1", "2", "3"]) await s.session.submit(input);
    await s.finish();
    expect(linesOf(store).filter((line) => line.startsWith('{"type":"prefix"'))).toHaveLength(1);
  });

  it.each(["systemPrompt", "environment", "tools"] as const)(
    "whose %s was lost is rendered anew, and the session goes on",
    async (part) => {
      const store = new MemoryStore();
      const blobs = new MemoryBlobs();
      const surroundings = () => ({ environment: "It is Monday.", projectDocs: "" });
      const first = setUp({ script: [{ text: "a" }], journal: journalOver(store, blobs), surroundings });
      await first.session.submit("1");
      const [line] = first.session.journal.outside("prefix");
      await first.finish();

      const without: BlobStore = {
        put: (bytes) => blobs.put(bytes),
        get: (hash) => (hash === line?.[part] ? undefined : blobs.get(hash)),
        size: (hash) => blobs.size(hash),
        sync: () => blobs.sync(),
      };
      const journal = journalOver(new MemoryStore(store.read(0, store.size)), without);
      const second = setUp({ script: [{ text: "b" }], journal, surroundings });
      await second.session.submit("2");
      await second.finish();
      const [request] = second.client.requests;
      expect(JSON.stringify(request?.messages)).toContain("It is Monday.");
      expect(JSON.stringify(request?.messages)).toContain("You are a test.");
      expect(request?.tools?.map(({ name }) => name)).toEqual(["echo"]);
    },
  );
});

describe("the provider's cache", () => {
  it("is not lost when a tool is offered again as it was", async () => {
    const late = () => tool("late", () => "x");
    let offered = [late()];
    const s = setUp({
      script: [{ text: "a" }, { text: "b" }, { text: "c" }],
      toolProviders: [{ tools: () => offered }],
    });
    await s.session.submit("1");
    offered = [late()]; // its server was restarted
    await s.session.submit("2");
    await s.finish();
    expect(s.of("prefix_changed")).toEqual([]);
    expect([...s.session.journal.outside("prefix")]).toHaveLength(1);
  });

  it("is lost, and said to be, when a tool comes back with another description", async () => {
    let offered = [tool("late", () => "x")];
    const s = setUp({ script: [{ text: "a" }, { text: "b" }], toolProviders: [{ tools: () => offered }] });
    await s.session.submit("1");
    offered = [tool("late", () => "x", { description: "Now in colour." })];
    await s.session.submit("2");
    await s.finish();
    expect(s.of("prefix_changed").map(({ data }) => data.reason)).toEqual(["tools"]);
  });

  it("is the same for the same bytes in new objects", () => {
    const segment = (text: string) => ({ kind: "message" as const, text, hash: text, bytes: text.length });
    const guard = new PrefixGuard();
    guard.check(["a", "b"].map(segment));
    expect(guard.check(["a", "b", "c"].map(segment))).toEqual({ kind: "same" });
  });
});

describe("the size of a request that was not sent yet", () => {
  it("is estimated with prompt, environment and tools", async () => {
    const big = tool("big", () => "x", {
      description: "d".repeat(8_000),
      schema: { type: "object", properties: { one: { type: "string", enum: ["e".repeat(8_000)] } } },
    });
    const s = setUp({
      profile: testProfile([echo, big], { buildSystemPrompt: () => "p".repeat(8_000) }),
      surroundings: () => ({ environment: "s".repeat(8_000), projectDocs: "" }),
      script: [{ text: "a" }],
      middleware: [
        {
          name: "size",
          beforeRequest: ({ request, contextTokens }) => {
            const characters = JSON.stringify([request.messages, request.tools]).length;
            expect(contextTokens).toBeGreaterThan((0.9 * characters) / 4);
            expect(contextTokens).toBeLessThan((1.1 * characters) / 4);
            return undefined;
          },
        },
      ],
    });
    await s.session.submit("1");
    await s.finish();
    expect(s.of("warning")).toEqual([]); // a hook that throws is one
    expect(s.client.requests).toHaveLength(1);
  });
});
