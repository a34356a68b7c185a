// Runs in a plain process of its own, bundled as users get it: a session with child agents. Prints what it took as JSON.

import { hostname } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Client, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { FileBlobs } from "../src/base/blobs/file-blobs.ts";
import type { ChildHeader } from "../src/contract/journal.ts";
import { ToolRegistry } from "../src/contract/registry/registry.ts";
import { FileStore } from "../src/record/journal/file-store.ts";
import { idSource } from "../src/record/journal/ids.ts";
import { Journal } from "../src/record/journal/journal.ts";
import { processStartTime } from "../src/record/journal/lock.ts";
import { Session } from "../src/session/session.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";
import { benchProfile } from "./bench-profile.ts";

const [what, url, folder] = process.argv.slice(2) as [string, string, string];

let requestedAt: (() => void) | undefined;
const standard = defaultDeps({ env: {} });
const deps = {
  ...standard,
  fetch: Object.assign((request: Parameters<typeof standard.fetch>[0]) => {
    requestedAt?.();
    return standard.fetch(request);
  }, standard.fetch),
};
const journalDeps = {
  blobs: new FileBlobs(join(folder, "blobs"), "bench"),
  now: deps.now,
  newId: idSource(deps.random),
};
const { pid } = process;

function openJournal(header: Partial<ChildHeader>): Journal {
  const owner = { pid, startTime: processStartTime(pid) ?? "", host: hostname(), token: deps.uuid() };
  const file = join(folder, `${header.agentId ?? owner.token}.jsonl`);
  return Journal.create(
    { id: deps.uuid(), cwd: folder, ...header },
    () => new FileStore(file, { owner, create: true }),
    journalDeps,
  );
}

function newSession(): Session {
  const toolRegistry = new ToolRegistry([]);
  return new Session({
    profile: benchProfile(toolRegistry),
    env: new LocalEnvironment({ cwd: folder, baseEnv: {} }),
    client: new Client({
      providers: { anthropic: createProvider("anthropic", { apiKey: "key", baseUrl: url, deps }) },
      deps,
    }),
    deps,
    journal: openJournal({}),
    config: { maxSubagentDepth: 1 },
    subagents: {
      types: async () => [{ name: "task", description: "Works.", source: "bundled", prompt: "You work." }],
      journal: openJournal,
      limits: () => ({ idleMs: 1 }),
    },
  });
}

/** What the process holds, wherever it is kept. */
function heldBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function batch(session: Session, count: number, assignment: string): Promise<void> {
  const tasks = Array.from({ length: count }, () => ({ assignment }));
  const { started, failed } = await session.subagents.spawnBatch({ callId: "c", agent: "task", context: "all", tasks });
  if (failed.length > 0) throw new Error(failed[0]!.why);
  await Promise.all(started.map(({ agentId }) => session.subagents.wait(agentId, new AbortController().signal)));
}

/** Before and after 200 children that have worked and are parked. */
async function parked(): Promise<object> {
  const session = newSession();
  await session.submit("hello");
  // What the first children load, and what the engine compiles for them, is no child's own.
  for (let done = 0; done < 100; done += 20) await batch(session, 20, "work");
  await session.close();
  const other = newSession();
  await other.submit("hello");
  const none = heldBytes();
  for (let done = 0; done < 200; done += 20) await batch(other, 20, "work");
  while (other.subagents.list().some(({ state }) => state !== "parked")) await turnOfLoop();
  await turnOfLoop();
  const all = heldBytes();
  await other.close();
  return { none, all };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Ninety-nine of a hundred waits of the event loop are shorter, in milliseconds, while so many children stream. */
async function p99(session: Session, count: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await batch(session, count, "stream, then work");
  delay.disable();
  return delay.percentile(99) / 1e6;
}

async function delays(): Promise<object> {
  const session = newSession();
  await batch(session, 2, "work");
  const one: number[] = [];
  const many: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    one.push(await p99(session, 1));
    many.push(await p99(session, 16));
  }
  await session.close();
  return { one: median(one), many: median(many) };
}

/** Milliseconds until the first request is sent: of a child, and of a session of its own. */
async function starts(): Promise<object> {
  const parent = newSession();
  const child: number[] = [];
  const plain: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    plain.push(
      await untilRequest(async () => {
        const session = newSession();
        await session.submit("hello");
        await session.close();
      }),
    );
    child.push(await untilRequest(() => batch(parent, 1, "work")));
  }
  await parent.close();
  return { child: median(child.slice(10)), plain: median(plain.slice(10)) };
}

async function untilRequest(run: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  let took: number | undefined;
  requestedAt = () => {
    took ??= performance.now() - begun;
  };
  await run();
  requestedAt = undefined;
  return took!;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const measures: Readonly<Record<string, () => Promise<object>>> = { parked, delays, starts };
process.stdout.write(JSON.stringify(await measures[what]!()));
process.exit(0);
