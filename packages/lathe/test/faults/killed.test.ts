// The agent at a terminal, ended from outside in every situation: the journal is complete, the next start reports the
// state, the session continues, and no process remains.

import { describe, expect, it } from "vitest";
import { KEY, type TerminalOptions, type TerminalRun } from "../terminal/emulator.ts";
import { FaultBench, SOUND_ANSWER, sound } from "./bench.ts";
import { isFull, report } from "./report.ts";
import { letGo, type NextStart, SITUATIONS, type Situation } from "./situations.ts";

type Ending = "SIGKILL" | "SIGTERM" | "terminal closed";
const ENDINGS: readonly Ending[] = ["SIGKILL", "SIGTERM", "terminal closed"];

interface Outcome {
  readonly exit: number | "gone";
  readonly journal: string;
  readonly next: NextStart;
  readonly hasDraft: boolean;
  readonly wrong: string | undefined;
  readonly damage: string;
  readonly left: readonly string[];
}

/** What comes after the end needs no process that could be ended. */
const NEXT: TerminalOptions = { inside: !isFull };

const ANSWERED = new RegExp(`[\\s\\S]*${SOUND_ANSWER}[\\s\\S]*claude-sonnet-4-5 · [\\d.]+m?s`);

async function end(run: TerminalRun, ending: Ending, bench: FaultBench): Promise<number> {
  if (ending === "terminal closed") run.hangUp();
  else run.signal(ending);
  if (ending === "SIGKILL") await run.exited;
  letGo(bench);
  return run.exited;
}

async function outcomeOf(situation: Situation, ending: Ending): Promise<Outcome> {
  const bench = await FaultBench.open("retry: {baseDelay: 0.001}\n");
  try {
    const run = await situation.arrange(bench);
    const exit = await end(run, ending, bench);
    const left = await bench.processesLeft();
    const journal = bench.lastState();
    const wrong = situation.check?.(bench);
    bench.answer = sound;
    const again = bench.terminal(["-c"], NEXT);
    const offers = situation.next === "asks to continue";
    const rows = await again.seeAnywhere(offers ? /Resume it\?[\s\S]*Esc to cancel/ : /\/help[\s\S]*❯ .*\n─/);
    const hasDraft = situation.draft !== undefined && rows.join("\n").includes(`❯ ${situation.draft}`);
    again.type(offers ? "y" : `, go on${KEY.enter}`);
    if (situation.answer !== undefined && ending === "SIGKILL") {
      await again.see("Esc to stop");
      again.type(situation.answer);
    }
    const screen = await again.seeAnywhere(offers ? ANSWERED : new RegExp(`, go on${ANSWERED.source}`));
    const next = screen.join("\n").includes("Resume it?") || offers ? "asks to continue" : "as it was";
    again.type(KEY.ctrl("d"));
    await again.exited;
    return { exit, journal, next, hasDraft, wrong, damage: await bench.damage(), left };
  } finally {
    await bench.close();
  }
}

const cases = SITUATIONS.flatMap((situation) =>
  ENDINGS.flatMap((ending) =>
    isFull || (situation.short && ending === "terminal closed") ? [[situation.name, ending, situation] as const] : [],
  ),
);

describe("the agent at a terminal, ended from outside", () => {
  it.each(cases)(
    "%s: %s",
    async (name, ending, situation) => {
      const outcome = await outcomeOf(situation, ending);
      expect(outcome).toEqual({
        exit: ending === "SIGKILL" ? 137 : (situation.exit ?? 130),
        journal: ending === "SIGKILL" ? situation.killed : situation.ended,
        next: situation.next,
        hasDraft: situation.draft !== undefined,
        wrong: undefined,
        damage: "",
        left: [],
      });
      report("killed", { situation: name, ending, exit: outcome.exit, journal: outcome.journal, next: outcome.next });
    },
    120_000,
  );
});

it("words that are typed while a cut-off session opens are sent, and answer no question about it", async () => {
  const bench = await FaultBench.open();
  try {
    const [waiting] = SITUATIONS.filter(({ name }) => name === "waiting for the first byte");
    const run = await waiting!.arrange(bench);
    run.signal("SIGKILL");
    await run.exited;
    bench.answer = sound;
    const again = bench.terminal(["-c"], NEXT);
    await again.see(/❯ .*\n─/);
    again.type(`and now yes${KEY.enter}`);
    await again.seeAnywhere(ANSWERED);
    expect(bench.server.requests.at(-1)?.view.messages.at(-1)?.text).toContain("and now yes");
    expect(again.screen.join("\n")).not.toContain("Resume it?");
  } finally {
    await bench.close();
  }
});
