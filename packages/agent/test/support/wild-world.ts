// A session with children whose model, tools, hooks and host act at random: what every run must guarantee, whatever
// happens.

import { NetworkError, type Request, ServerError, textOf } from "@lathe/llm";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import type { ChildHeader } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import type { JournalDeps } from "../../src/record/journal/new-lines.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { closeAgentTool } from "../../src/tools/builtin/close-agent/index.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import type { ScriptedCall, ScriptedTurn } from "./scripted-client.ts";
import { type Setup, setUp, testDeps, testProfile, tool } from "./session.ts";

const CHILD = "work of a child";

export class WildWorld {
  readonly chance: () => number;
  readonly #deps = testDeps();
  readonly #journalDeps: JournalDeps;
  #store = new MemoryStore();
  #children = new Map<string, MemoryStore>();
  #ids = 0;

  constructor(seed: number) {
    let state = (seed * 2654435761) >>> 0 || 1;
    this.chance = () => {
      state = (state * 1664525 + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const newId = (): string => `i${(this.#ids++).toString(36).padStart(7, "0")}`;
    this.#journalDeps = { blobs: new MemoryBlobs(), now: this.#deps.now, newId };
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.chance() * items.length)]!;
  }

  /** Now, at the next turn of the event loop, or in a few milliseconds. */
  pause(): Promise<void> {
    const kind = this.chance();
    if (kind < 0.25) return Promise.resolve();
    if (kind < 0.5) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => setTimeout(resolve, this.chance() * 3));
  }

  /** Records what a process killed now leaves behind; the returned function restores it. */
  kill(): () => void {
    const store = copyOf(this.#store);
    const children = new Map([...this.#children].map(([id, child]) => [id, copyOf(child)]));
    return () => {
      this.#store = store;
      this.#children = children;
    };
  }

  /** A new process over the recorded state. */
  open(): Setup {
    const isNew = this.#store.size === 0;
    if (!isNew) this.#store = copyOf(this.#store);
    const store = this.#store;
    const journal = isNew
      ? Journal.create({ id: "s", cwd: "/work" }, () => store, this.#journalDeps)
      : Journal.open(store, this.#journalDeps);
    const s: Setup = setUp({
      deps: this.#deps,
      journal,
      profile: testProfile(this.#tools(), { supportsParallelToolCalls: this.chance() < 0.8 }),
      script: (request) => this.#answer(request),
      subagents: { journal: (header) => this.#childJournal(header) },
      config: {
        retry: { maxRetries: 1, baseDelay: 0.001, midStream: 1 },
        interruptMode: this.pick(["wait", "immediate"]),
        steeringMode: this.pick(["all", "one-at-a-time"]),
        followUpMode: this.pick(["all", "one-at-a-time"]),
      },
      middleware: [
        {
          name: "moods",
          approve: () => (this.chance() < 0.2 ? { decision: "ask" } : undefined),
          afterCall: async () => {
            if (this.chance() < 0.2) await this.pause();
            return undefined;
          },
          beforeStop: () => (this.chance() < 0.1 ? { continueWith: "go on" } : undefined),
          onStreamEvent: ({ type }) => (type === "text_delta" && this.chance() < 0.03 ? { cut: "no" } : undefined),
        },
      ],
      onEvent: (event) => this.#approve(() => s, event),
    });
    return s;
  }

  #approve(setup: () => Setup, event: SessionEvent): void {
    const inner = event.kind === "subagent_event" ? event.data.event : event;
    if (inner.kind !== "approval_request") return;
    const decision = this.chance() < 0.8 ? "allow" : "deny";
    const answer = { decision, by: "user" } as const;
    void this.pause().then(() => setup().session.answerApproval(inner.data.call_id, answer, inner.agent_id));
  }

  #tools(): ToolDef[] {
    const moody = (name: string, more: Partial<ToolDef>): ToolDef =>
      tool(
        name,
        async (_args, { onOutput, signal }) => {
          onOutput("begun", "stdout");
          await this.pause();
          if (this.chance() < 0.1) throw new Error("the tool broke");
          if (this.chance() < 0.5) signal.throwIfAborted();
          onOutput("done", "stdout");
          return "result";
        },
        more,
      );
    const agents = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as unknown as ToolDef[];
    return [
      moody("look", { replay: "safe" }),
      moody("act", { replay: "never" }),
      moody("edit", { replay: "never", exclusive: true }),
      ...agents,
    ];
  }

  #answer(request: Request): ScriptedTurn {
    const when = this.chance() < 0.5 ? { before: () => this.pause() } : { midway: () => this.pause() };
    const said = request.messages.filter((message) => message.role === "assistant").length;
    const mood = this.chance();
    if (mood < 0.06) return { ...when, error: new ServerError("busy", { provider: "test", statusCode: 500 }) };
    if (mood < 0.1) return { ...when, text: "half an answer", breakWith: new NetworkError("cut off") };
    if (said > 8 || mood < 0.25) return { ...when, text: `answer ${said}` };
    const calls = Array.from({ length: 1 + Math.floor(this.chance() * 3) }, () => this.#call(request));
    return { ...when, calls, text: "let me see", finish: this.chance() < 0.05 ? "length" : "tool_calls" };
  }

  #call(request: Request): ScriptedCall {
    const id = `c${this.#ids++}`;
    const isChild = textOf(request.messages[1]!) === CHILD;
    const kind = this.chance() * (isChild ? 0.6 : 1);
    if (kind < 0.6) return { name: this.pick(["look", "act", "edit"]), id };
    const agents = [...JSON.stringify(request.messages).matchAll(/agent_id\\":\\"(\w+)\\"/g)].map((match) => match[1]!);
    if (kind < 0.75 || agents.length === 0) return { name: "spawn_agent", args: { task: CHILD }, id };
    const agent_id = this.pick(agents);
    if (kind < 0.85) return { name: "wait", args: { agent_id }, id };
    return kind < 0.95
      ? { name: "send_input", args: { agent_id, message: "more" }, id }
      : { name: "close_agent", args: { agent_id }, id };
  }

  #childJournal(header: ChildHeader): Journal {
    const left = this.#children.get(header.agentId);
    const store = left ? copyOf(left) : new MemoryStore();
    this.#children.set(header.agentId, store);
    if (store.size > 0) return Journal.open(store, this.#journalDeps);
    return Journal.create({ id: this.#deps.uuid(), ...header }, () => store, this.#journalDeps);
  }
}

function copyOf(store: MemoryStore): MemoryStore {
  return new MemoryStore(store.read(0, store.size));
}
