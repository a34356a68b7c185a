// The states of a session: what a host sees of each way in which an input can end, and that there are no others.

import { AuthenticationError, ContextLengthError } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { SessionState } from "../../src/contract/events/types.ts";
import { SessionCore } from "../../src/session/core.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { ScriptedClient } from "../support/scripted-client.ts";
import { type Setup, type SetupOptions, setUp, testDeps, testProfile } from "../support/session.ts";

const at = { provider: "test" };
const call = { calls: [{ name: "echo" }] };

/** The states after idle, as reported; each change begins where the last one ended. */
function stateLog(s: Setup): SessionState[] {
  const changes = s.of("state_changed").map(({ data }) => data);
  let present: SessionState = "idle";
  for (const { from, to } of changes) {
    expect(from).toBe(present);
    present = to;
  }
  return [...changes.map(({ to }) => to), ...s.of("session_end").map(({ data }) => data.state)];
}

interface Course {
  readonly options: SetupOptions;
  /** Prompts after the first. */
  readonly afterwards?: (s: Setup) => Promise<unknown>;
  readonly states: readonly SessionState[];
}

const COURSES: Readonly<Record<string, Course>> = {
  "a plain answer": { options: { script: [{ text: "a" }] }, states: ["processing", "idle", "closed"] },
  "rounds of tools": { options: { script: [call, call, { text: "a" }] }, states: ["processing", "idle", "closed"] },
  "a limit": {
    options: { script: () => call, config: { maxToolRoundsPerInput: 2 } },
    states: ["processing", "idle", "closed"],
  },
  "an overflow": {
    options: { script: [{ error: new ContextLengthError("too long", at) }, { text: "ok" }] },
    afterwards: (s) => s.session.submit("shorter"),
    states: ["processing", "idle", "processing", "idle", "closed"],
  },
  "a refused key": {
    options: { script: [{ error: new AuthenticationError("bad key", at) }, { text: "ok" }] },
    afterwards: (s) => s.session.submit("again"),
    states: ["processing", "idle", "processing", "idle", "closed"],
  },
  "a question by the host's predicate": {
    options: { script: [{ text: "Which one?" }, { text: "ok" }], isQuestion: (turn) => turn.content.endsWith("?") },
    afterwards: async (s) => {
      expect(s.session.state).toBe("awaiting_input");
      await s.session.submit("the first");
    },
    states: ["processing", "awaiting_input", "processing", "idle", "closed"],
  },
  "a question that nobody answers": {
    options: { script: [{ text: "Which one?" }], isQuestion: () => true },
    states: ["processing", "awaiting_input", "closed"],
  },
};

describe("SN-03 what a host sees of", () => {
  it.each(Object.entries(COURSES))("SN-03 %s", async (_, { options, afterwards, states }) => {
    const s = setUp(options);
    await s.session.submit("x");
    await afterwards?.(s);
    await s.finish();
    expect(stateLog(s)).toEqual(states);
    expect(s.session.state).toBe("closed");
  });

  it("SN-03 an interrupt is idle again, an abort is closed, and closed is final", async () => {
    const s = setUp({
      script: [
        { text: "a b", midway: () => void s.session.interrupt() },
        { text: "a b", midway: () => void s.session.abort() },
      ],
    });
    await s.session.submit("x");
    expect(s.session.state).toBe("idle");
    await s.session.submit("y");
    await s.finish();
    expect(stateLog(s)).toEqual(["processing", "idle", "processing", "closed"]);
    await expect(s.session.submit("z")).rejects.toThrow("closed");
    for (const queue of [() => s.session.steer("z"), () => s.session.followUp("z")])
      expect(queue).toThrow("session is closed");
    expect(s.session.state).toBe("closed");
  });
});

describe("SN-03 illegal edges", () => {
  const REACH: Readonly<Record<SessionState, readonly SessionState[]>> = {
    idle: [],
    processing: ["processing"],
    awaiting_input: ["processing", "awaiting_input"],
    closed: ["closed"],
  };
  it.each([
    ["idle", "awaiting_input"],
    ["awaiting_input", "idle"],
    ["closed", "idle"],
    ["closed", "processing"],
    ["closed", "awaiting_input"],
  ] as const)("SN-03 from %s to %s throws", (from, to) => {
    const core = new SessionCore({
      profile: testProfile(),
      env: new MemoryEnvironment(),
      client: new ScriptedClient([]),
      deps: testDeps(),
    });
    for (const state of REACH[from]) core.setState(state);
    expect(() => core.setState(to)).toThrow(`a session cannot go from ${from} to ${to}`);
    expect(core.state).toBe(from);
  });
});
