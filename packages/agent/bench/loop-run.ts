// Runs in a plain process of its own, bundled as users get it: the loop, or the plain program, against a model server. Prints
// what it took as JSON.

import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Client, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { FileBlobs } from "../src/base/blobs/file-blobs.ts";
import { ToolRegistry } from "../src/contract/registry/registry.ts";
import { FileStore } from "../src/record/journal/file-store.ts";
import { idSource } from "../src/record/journal/ids.ts";
import { Journal } from "../src/record/journal/journal.ts";
import { processStartTime } from "../src/record/journal/lock.ts";
import { Session } from "../src/session/session.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";
import { benchProfile } from "./bench-profile.ts";
import { plainRounds } from "./plain-agent.ts";

interface Place {
  readonly url: string;
  readonly folder: string;
}

async function sessionRounds(place: Place, rounds: number, onRound: (round: number) => void = () => {}): Promise<void> {
  const deps = defaultDeps({ env: {} });
  const { pid } = process;
  const owner = { pid, startTime: processStartTime(pid) ?? "", host: hostname(), token: deps.uuid() };
  const store = () => new FileStore(join(place.folder, `${owner.token}.jsonl`), { owner, create: true });
  const journal = Journal.create({ id: deps.uuid(), cwd: place.folder }, store, {
    blobs: new FileBlobs(join(place.folder, "blobs"), owner.token),
    now: deps.now,
    newId: idSource(deps.random),
    sync: "none",
  });
  const toolRegistry = new ToolRegistry([
    {
      name: "read",
      label: "read",
      description: "Reads a file.",
      schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      tier: "read",
      replay: "safe",
      execute: (args, { env }) => env.readFile(String(args["path"])),
    },
  ]);
  const provider = createProvider("anthropic", { apiKey: "key", baseUrl: place.url, deps });
  let round = 0;
  const session = new Session({
    profile: benchProfile(toolRegistry),
    env: new LocalEnvironment({ cwd: place.folder, baseEnv: {} }),
    client: new Client({ providers: { anthropic: provider }, deps }),
    deps,
    journal,
    config: { maxToolRoundsPerInput: rounds, enableLoopDetection: false },
    onEvent: (event) => {
      if (event.kind === "turn_end") onRound(++round);
    },
  });
  await session.submit("go");
  await session.close();
}

/** Milliseconds of this process's own work; the machine's other load does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What a request is sent from is kept as bytes, which stand outside of the heap. */
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function compare(place: Place, rounds: number): Promise<object> {
  await plainRounds(place.url, place.folder, 50);
  await sessionRounds(place, 50);
  const start = cpuMs();
  await plainRounds(place.url, place.folder, rounds);
  const middle = cpuMs();
  await sessionRounds(place, rounds);
  return { plain: (middle - start) / rounds, ours: (cpuMs() - middle) / rounds };
}

async function long(place: Place, rounds: number): Promise<object> {
  const window = 100;
  const marks = new Map<number, number>();
  let heldAt1000 = 0;
  let heldAtEnd = 0;
  await sessionRounds(place, rounds, (round) => {
    if ([20, 120, 2000, 2100].includes(round)) marks.set(round, cpuMs());
    if (round === 1000) heldAt1000 = heldBytes();
    if (round === rounds) heldAtEnd = heldBytes();
  });
  const span = (from: number) => (marks.get(from + window)! - marks.get(from)!) / window;
  return { early: span(20), late: span(2000), bytesPerRound: (heldAtEnd - heldAt1000) / (rounds - 1000) };
}

const [what, url, folder, rounds] = process.argv.slice(2);
const place: Place = { url: url!, folder: folder! };
writeFileSync(join(place.folder, "small.txt"), "A small file of a few lines.\n".repeat(10));
const result = await (what === "long" ? long : compare)(place, Number(rounds));
process.stdout.write(JSON.stringify(result));
process.exit(0);
