// A long session in a small window, with the real client: it never overflows, and requests repeat their prefix.

import { commonPrefix, type RecordedRequest, startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { Compaction } from "../../src/context/compaction/compaction.ts";
import { DEFAULT_COMPACTION } from "../../src/context/compaction/settings.ts";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { testDeps } from "../support/session.ts";
import { clientFor, DIALECTS, type Dialect, profileFor } from "../support/wire.ts";
import { big, lorem, NOTES } from "./support.ts";

const WINDOW = 32_000;
/** The first compactions come after about thirty inputs. */
const ROUNDS = process.env["LATHE_LONG"] ? 300 : 45;

const isSummary = ({ view }: RecordedRequest): boolean =>
  view.messages.some(({ text }) => text.includes("</conversation>"));

async function longSession(dialect: Dialect, rounds: number) {
  let round = 0;
  const server = await startModelServer({
    script: (request) => {
      if (isSummary(request)) return turn.text(NOTES);
      round += 1;
      const args = { word: `r${round}.`, tokens: 300 + ((round * 997) % 1500) };
      if (round % 7 === 0) return turn.text(`so far ${round} ${lorem(200)}`);
      return turn.calls([{ name: "big", args }]);
    },
  });
  const compaction = new Compaction({ settings: () => DEFAULT_COMPACTION });
  const reasons: string[] = [];
  const session = new Session({
    profile: profileFor(dialect, [big], { contextWindowSize: WINDOW }),
    env: new MemoryEnvironment(),
    client: clientFor(dialect, server),
    deps: testDeps(),
    middleware: [compaction.middleware()],
    config: { prefixBug: "throw" },
    onEvent: (event: SessionEvent) => {
      if (event.kind === "prefix_changed") reasons.push(event.data.reason);
    },
  });
  while (round < rounds) await session.submit(`question ${round}: ${lorem(50)}`);
  await session.close();
  return { server, reasons, session };
}

it.each(DIALECTS)(
  `E ${ROUNDS} rounds of a %s model stay below a window of 32k tokens, and each compaction makes the prefix stable again`,
  async (dialect) => {
    const { server, reasons } = await longSession(dialect, ROUNDS);
    // The vendor's own compaction is tried first, at another address.
    const work = server.requests.filter((request) => !isSummary(request) && !request.path.endsWith("/compact"));
    const sizes = work.map(({ rawBody }) => Math.ceil(rawBody.length / 4));
    expect(Math.max(...sizes)).toBeLessThan(WINDOW);
    expect(new Set(reasons)).toEqual(new Set(["prune", "compaction"].filter((reason) => reasons.includes(reason))));
    const lost = commonPrefix(work).filter(({ lostTail }) => lostTail.length > 100);
    expect(lost.length).toBeLessThanOrEqual(reasons.length);
    expect(reasons.length).toBeLessThan(work.length / 5);
    await server.close();
  },
  120_000,
);

it.each(DIALECTS)(
  "E 50 rounds of a %s model: at least 95 per cent of what is sent was sent before",
  async (dialect) => {
    let round = 0;
    const server = await startModelServer({
      script: () =>
        round++ % 10 === 9
          ? turn.text("so far")
          : turn.calls([{ name: "big", args: { word: `${round}`, tokens: 200 } }]),
    });
    const session = new Session({
      // As long as the product's own prompt.
      profile: profileFor(dialect, [big], { buildSystemPrompt: () => lorem(6000) }),
      env: new MemoryEnvironment(),
      client: clientFor(dialect, server),
      deps: testDeps(),
      middleware: [new Compaction({ settings: () => DEFAULT_COMPACTION }).middleware()],
      config: { prefixBug: "throw" },
    });
    while (round < 50) await session.submit("more");
    await session.close();
    const steps = commonPrefix(server.requests);
    const repeated = steps.reduce((sum, { prefix }) => sum + prefix.length, 0);
    const all = server.requests.slice(1).reduce((sum, { rawBody }) => sum + rawBody.length, 0);
    expect(repeated / all).toBeGreaterThan(0.95);
    await server.close();
  },
);

it("E a resume, a fork, a steering message and a child leave the prefix as it was", async () => {
  const agents = [spawnAgentTool, waitTool] as unknown as ToolDef[];
  let round = 0;
  const server = await startModelServer({
    script: ({ view }) => {
      const isChild = view.messages.some(({ text }) => text.includes("CHILD"));
      if (isChild) return turn.text("child is done");
      round += 1;
      if (round === 10) return turn.calls([{ name: "spawn_agent", args: { task: "CHILD" }, id: "spawn" }]);
      if (round % 10 === 0) return turn.text("so far");
      return turn.calls([{ name: "big", args: { word: `${round}`, tokens: 200 } }]);
    },
  });
  const blobs = new MemoryBlobs();
  const deps = testDeps();
  const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
  const open = (journal: Journal): Session =>
    new Session({
      profile: profileFor("anthropic", [big, ...agents], { buildSystemPrompt: () => lorem(6000) }),
      env: new MemoryEnvironment(),
      client: clientFor("anthropic", server),
      deps,
      journal,
      middleware: [new Compaction({ settings: () => DEFAULT_COMPACTION }).middleware()],
      config: { prefixBug: "throw" },
    });
  const store = new MemoryStore();
  const first = open(Journal.create({ id: "a", cwd: "." }, () => store, journalDeps));
  await first.submit("begin");
  const steered = first.submit("more");
  first.steer("and look at this");
  await steered;
  await first.close();
  const again = open(Journal.open(new MemoryStore(Buffer.from(store.read(0, store.size))), journalDeps));
  await again.submit("after a resume");
  const header = { id: "b", cwd: ".", timestamp: "2026-01-01T00:00:00.000Z" };
  const fork = forkJournal(again.journal, { upTo: again.journal.leaf, header, store: new MemoryStore() }, journalDeps);
  await again.close();
  const copy = open(fork);
  await copy.submit("in a fork");
  await copy.close();
  const work = server.requests.filter(
    ({ view }) => !view.messages.some(({ text }) => text.includes("CHILD") && text.length < 100),
  );
  const steps = commonPrefix(work);
  const repeated = steps.reduce((sum, { prefix }) => sum + prefix.length, 0);
  const all = work.slice(1).reduce((sum, { rawBody }) => sum + rawBody.length, 0);
  expect(work.length).toBeGreaterThan(35);
  expect(repeated / all).toBeGreaterThan(0.95);
  await server.close();
});
