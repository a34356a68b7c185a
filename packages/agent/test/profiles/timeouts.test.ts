import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { type Clock, monotonicClock } from "../../src/world/process/clock.ts";
import { type Dialect, wire } from "../support/wire.ts";

/** Deadlines of commands pass at once; the pause between the two signals is real. */
function impatientClock(): { clock: Clock; deadlines: number[] } {
  const deadlines: number[] = [];
  const clock: Clock = {
    now: monotonicClock.now,
    after: (ms, fn) => {
      if (ms >= 10_000) deadlines.push(ms);
      return monotonicClock.after(ms >= 10_000 ? 0 : ms, fn);
    },
  };
  return { clock, deadlines };
}

const CASES: readonly (readonly [Dialect, string, number])[] = [
  ["openai", "gpt-5.2", 10_000],
  ["gemini", "gemini-3-pro-preview", 10_000],
  ["anthropic", "claude-opus-4-6", 120_000],
];

it.each(CASES)("D-021 U-08 %s %s: shell has its default time", async (dialect, model, ms) => {
  const { clock, deadlines } = impatientClock();
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "lathe-time-")));
  const w = await wire(
    dialect,
    [turn.calls([{ name: "shell", id: "s", args: { command: "sleep 600" } }]), turn.text("slow")],
    {
      profile: defineProfile(FAMILIES[dialect], { model }),
      env: new LocalEnvironment({ cwd, baseEnv: { PATH: process.env["PATH"] }, clock }),
    },
  );
  await w.session.submit("wait");
  expect(w.session.state).toBe("idle");
  await w.finish();
  expect(deadlines).toEqual([ms]);
  expect(w.result(1, "s", "shell").text).toBe(
    `[ERROR: Command timed out after ${ms}ms. Partial output is shown above.\nYou can retry with a longer timeout by setting the timeout_ms parameter.]`,
  );
});
