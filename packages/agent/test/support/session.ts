// A session with a scripted model, a memory environment and a clock that the test moves.

import { expect } from "vitest";
import type { SessionDeps } from "../../src/base/time/deadline.ts";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { ToolRegistry } from "../../src/contract/registry/registry.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { sleepOn } from "../../src/session/replay/record.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/types.ts";
import type { Profile } from "../../src/tools/profiles/types.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { grammarError } from "./event-grammar.ts";
import { type Script, ScriptedClient } from "./scripted-client.ts";

/** Real timers, but a counter for the clock and ids, so that runs can be compared. */
export function testDeps(): SessionDeps {
  let time = Date.UTC(2026, 0, 1);
  let seed = 1;
  let ids = 0;
  return {
    now: () => time++,
    random: () => {
      seed = (seed * 16807) % 2147483647;
      return seed / 2147483647;
    },
    uuid: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
    setTimer: (callback, ms) => {
      const timer = setTimeout(callback, ms);
      return { cancel: () => clearTimeout(timer) };
    },
    // Uses the timers of the object that it is called on, because a test may have replaced them.
    sleep(ms, signal) {
      return sleepOn((callback, after) => this.setTimer(callback, after), ms, signal);
    },
  };
}

/** The grace time that a tool gets after its deadline passes at once; every other timer is real. */
export function withoutToolGrace(deps: SessionDeps = testDeps()): SessionDeps {
  const { setTimer } = deps;
  return { ...deps, setTimer: (callback, ms) => setTimer(callback, ms === 2500 ? 0 : ms) };
}

export function testProfile(tools: readonly ToolDef[] = [], overrides: Partial<Profile> = {}): Profile {
  const toolRegistry = new ToolRegistry(tools);
  return {
    id: "test",
    model: "scripted-1",
    toolRegistry,
    buildSystemPrompt: (_env, docs) => (docs === "" ? "You are a test." : `You are a test.\n\n${docs}`),
    tools: () => toolRegistry.definitions(),
    providerOptions: () => undefined,
    supportsReasoning: true,
    supportsStreaming: true,
    supportsParallelToolCalls: true,
    contextWindowSize: 100_000,
    instructionFiles: [],
    ...overrides,
  };
}

/** A tool with any arguments whose work is a function. */
export function tool(
  name: string,
  execute: ToolDef["execute"],
  more: Partial<Omit<ToolDef, "name" | "execute">> = {},
): ToolDef {
  return {
    name,
    label: name,
    description: `The ${name} tool.`,
    schema: { type: "object", properties: {}, additionalProperties: true },
    tier: "read",
    replay: "safe",
    execute,
    ...more,
  };
}

export const echo = tool("echo", (args) => `echo ${JSON.stringify(args)}`);

export interface Setup {
  readonly session: Session;
  readonly client: ScriptedClient;
  /** All events so far; complete after `settled`. */
  readonly events: SessionEvent[];
  kinds(): string[];
  of<K extends SessionEvent["kind"]>(kind: K): Extract<SessionEvent, { kind: K }>[];
  /** Closes the session and checks the grammar over all its events. */
  finish(): Promise<void>;
}

export type SetupOptions = Partial<Omit<SessionOptions, "client">> & { readonly script: Script };

export function setUp({ script, ...options }: SetupOptions): Setup {
  const client = new ScriptedClient(script);
  const session = new Session({
    profile: testProfile([echo]),
    env: new MemoryEnvironment(),
    client,
    deps: testDeps(),
    ...options,
    config: { prefixBug: "throw", retry: { baseDelay: 0.001 }, ...options.config },
  });
  return watch(session, client);
}

export function watch(session: Session, client: ScriptedClient): Setup {
  const events: SessionEvent[] = [];
  const reader = session.events();
  const done = (async () => {
    for await (const event of reader) events.push(event);
  })();
  return {
    session,
    client,
    events,
    kinds: () => events.map((event) => event.kind),
    of: (kind) => events.filter((event) => event.kind === kind) as never,
    async finish() {
      await session.close();
      await done;
      expect(grammarError(events, { ended: true })).toBeUndefined();
    },
  };
}
