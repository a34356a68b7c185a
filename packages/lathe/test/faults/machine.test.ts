// Faults of the machine: the run ends in a stated way, its journal is whole, and once the machine is sound again the session goes on.

import { describe, expect, it } from "vitest";
import { FaultBench, SOUND_ANSWER, sound } from "./bench.ts";
import { MACHINE_FAULTS, type MachineFault } from "./machine-faults.ts";
import { isFull, report } from "./report.ts";

/** There is an input to go on with. */
const isCut = ({ journal }: MachineFault): boolean => ["unfinished", "error"].includes(journal.split(",")[0] ?? "");

const chosen = MACHINE_FAULTS.filter(({ short }) => isFull || short);

describe("a machine that fails", () => {
  for (const fault of chosen) {
    const { needs } = fault;
    const title = needs ? `${fault.name} (needs ${needs.what})` : fault.name;
    it.runIf(needs?.isThere ?? true)(
      title,
      async () => {
        const bench = await FaultBench.open();
        try {
          let seen: object = {};
          let after: object = {};
          await fault.try(bench, {
            broken: async ({ code, stdout, stderr }) => {
              const left = await bench.processesLeft();
              seen = { exit: code, says: code === 0 ? stdout : stderr, journal: bench.lastState(), left };
            },
            sound: async () => {
              bench.answer = sound;
              const kept = bench.journals().length > 0;
              const { code, stdout } = await bench.run([
                ...(kept ? ["-c"] : []),
                ...(isCut(fault) ? [] : ["-p", "more"]),
              ]);
              after = { code, stdout, damage: await bench.damage() };
            },
          });
          expect(seen).toEqual({
            exit: fault.exit,
            says: expect.stringMatching(fault.says),
            journal: fault.journal,
            left: [],
          });
          expect(after).toEqual({ code: 0, stdout: `${SOUND_ANSWER}\n`, damage: "" });
        } finally {
          await bench.close();
        }
        report("machine", { fault: fault.name, exit: fault.exit, journal: fault.journal });
      },
      60_000,
    );
  }
});
