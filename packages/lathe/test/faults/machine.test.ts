// Faults of the machine: the run ends in a defined way, its journal is complete, and the session continues once the
// machine works again.

import { describe, expect, it } from "vitest";
import { FaultBench, SOUND_ANSWER, sound } from "./bench.ts";
import { type Looks, MACHINE_FAULTS, type MachineFault } from "./machine-faults.ts";
import { goIn, type MachineMode } from "./machine-modes.ts";
import { isFull, report } from "./report.ts";

/** Whether there is an input to resume. */
const isCut = (journal: string): boolean => ["unfinished", "error"].includes(journal.split(",")[0] ?? "");

const chosen = MACHINE_FAULTS.filter(({ short }) => isFull || short);
/** In the gate, the doors are tried with faults of the server. */
const MODES: readonly MachineMode[] = isFull ? ["print", "ACP", "serve"] : ["print"];

interface Broken {
  readonly exit: number | null;
  readonly says: string;
  readonly journal: string;
  readonly left: readonly string[];
}

async function tried(fault: MachineFault, mode: MachineMode): Promise<void> {
  const bench = await FaultBench.open();
  const { journal } = fault;
  try {
    let seen: Broken | undefined;
    let after: object = {};
    const how = goIn(mode, bench);
    await how.prepare();
    const look: Looks = {
      whileBroken: async ({ code, stdout, stderr }) => {
        const left = await bench.processesLeft();
        seen = { exit: code, says: code === 0 ? stdout : stderr, journal: bench.lastState(), left };
      },
      onceSound: async () => {
        bench.answer = sound;
        const kept = bench.journals().length > 0;
        const { code, stdout } = await bench.run([
          ...(kept ? ["-c"] : []),
          ...(isCut(seen?.journal ?? "") ? [] : ["-p", "more"]),
        ]);
        after = { code, stdout, damage: await bench.damage() };
      },
    };
    await fault.try(bench, look, how);
    const exit = mode === "print" ? fault.exit : Math.min(fault.exit, 1);
    expect(seen, mode).toEqual({ exit, says: expect.stringMatching(fault.says), journal, left: [] });
    expect(after, mode).toEqual({ code: 0, stdout: `${SOUND_ANSWER}\n`, damage: "" });
  } finally {
    await bench.close();
  }
  const outcome = mode === "print" ? String(fault.exit) : fault.exit === 0 ? "the answer" : "an error";
  report("machine", { fault: fault.name, mode, outcome, journal });
}

describe("a machine that fails", () => {
  for (const fault of chosen) {
    const { needs } = fault;
    const title = needs ? `${fault.name} (needs ${needs.what})` : fault.name;
    for (const mode of MODES) it.runIf(needs?.isThere ?? true)(`${mode}: ${title}`, () => tried(fault, mode), 60_000);
  }
});
