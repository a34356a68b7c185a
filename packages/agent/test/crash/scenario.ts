// The session that the crash matrix kills: 12 rounds with parallel calls, steering, a child agent. It is driven the
// same way whether it begins or continues, so this module runs in the victim and in the process that reopens its
// journal.

import { appendFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Client, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { ToolRegistry } from "../../src/contract/registry/registry.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { hasBegun } from "../../src/record/journal/has-begun.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { processStartTime } from "../../src/record/journal/lock.ts";
import type { JournalStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { closeAgentTool } from "../../src/tools/builtin/close-agent/index.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";

export const TASK = "PARENT TASK";
export const CHILD_TASK = "CHILD TASK";
export const MID_STEER = "steered in the middle";
const EARLY_STEERS = ["steered early 1", "steered early 2"];

export interface Scenario {
  readonly folder: string;
  readonly serverUrl: string;
  /** Sees every journal write of the session and its child. */
  readonly onWrite: (moment: "before" | "after") => void;
}

/** Runs the scenario to its end, from wherever the journal in the folder stands. */
export async function runScenario(scenario: Scenario): Promise<void> {
  const { folder } = scenario;
  const path = join(folder, "s.jsonl");
  const deps = defaultDeps({ env: {} });
  const provider = createProvider("anthropic", { apiKey: "key", baseUrl: scenario.serverUrl, deps });
  const client = new Client({ providers: { anthropic: provider }, deps });
  const session: Session = new Session({
    profile: profile(folder),
    env: new MemoryEnvironment(),
    client,
    deps,
    journal: openJournal(scenario, path, { id: deps.uuid(), cwd: "/work" }),
    config: { steeringMode: "one-at-a-time", prefixBug: "throw", retry: { maxRetries: 0 } },
    subagents: {
      journal: (header) =>
        openJournal(scenario, join(folder, "s", `${header.agentId}.jsonl`), { id: deps.uuid(), ...header }),
    },
    onEvent: (event) => {
      acknowledge(folder, event);
      const isFifth = event.kind === "tool_call_start" && event.data.call_id === "p5_1";
      if (isFifth && !isKnown(session, MID_STEER)) session.steer(MID_STEER);
    },
  });
  if (session.journal.leaf === null) {
    for (const text of EARLY_STEERS) if (!isKnown(session, text)) session.steer(text);
    await session.submit(TASK);
  } else {
    await session.continue();
  }
  await session.close();
  await client.close();
}

/** A careful host does not repeat what the journal already contains. */
function isKnown(session: Session, text: string): boolean {
  const delivered = session.journal.context.messages.some((message) => JSON.stringify(message).includes(text));
  return delivered || session.queuedMessages("steering").some((queued) => queued.content === text);
}

function acknowledge(folder: string, event: SessionEvent): void {
  if (event.kind === "entry") appendFileSync(join(folder, "acks.log"), `${event.data.id}\n`);
}

function profile(folder: string) {
  const counted = (name: string, replay: "safe" | "never"): ToolDef => ({
    name,
    label: name,
    description: `The ${name} tool.`,
    schema: { type: "object", properties: { n: { type: "number" } }, additionalProperties: false },
    tier: "exec",
    replay,
    async execute(args, { callId }) {
      appendFileSync(join(folder, "runs.log"), `${replay} ${callId}\n`);
      await new Promise((resolve) => setImmediate(resolve));
      return `${name} ${String(args["n"])}`;
    },
  });
  /** Safe to run again by itself, but it starts calls that are not. */
  const nest: ToolDef = {
    ...counted("nest", "safe"),
    execute: async ({ n = null }, { call }) => {
      const results = [await call("act", { n }), await call("look", { n })];
      return results.flatMap(({ content }) => content.map((part) => (part.kind === "text" ? part.text : ""))).join();
    },
  };
  const agents = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as unknown as ToolDef[];
  const toolRegistry = new ToolRegistry([counted("look", "safe"), counted("act", "never"), nest, ...agents]);
  return {
    id: "anthropic",
    model: "claude-opus-4-6",
    toolRegistry,
    buildSystemPrompt: () => "You are a test.",
    tools: () => toolRegistry.definitions(),
    providerOptions: () => undefined,
    supportsReasoning: true,
    supportsStreaming: true,
    supportsParallelToolCalls: true,
    contextWindowSize: 200_000,
    instructionFiles: [],
  };
}

function openJournal(scenario: Scenario, path: string, header: Parameters<typeof Journal.create>[0]): Journal {
  const { pid } = process;
  const owner = { pid, startTime: processStartTime(pid) ?? "", host: hostname(), token: `${pid}-${Math.random()}` };
  const deps = {
    blobs: new FileBlobs(join(scenario.folder, "blobs"), owner.token),
    now: Date.now,
    newId: idSource(Math.random),
    sync: "none" as const,
  };
  const store = () => watched(new FileStore(path, { owner, create: true }), scenario.onWrite);
  if (hasBegun(path)) return Journal.open(store(), deps);
  return Journal.create(header, store, deps);
}

function watched(store: FileStore, onWrite: Scenario["onWrite"]): JournalStore {
  return {
    label: store.label,
    folder: store.folder,
    get size() {
      return store.size;
    },
    read: (offset, length) => store.read(offset, length),
    append(text) {
      onWrite("before");
      store.append(text);
      onWrite("after");
    },
    sync: () => store.sync(),
    close: () => store.close(),
  };
}
