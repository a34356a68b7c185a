// Every fault of the model server in every mode: how the run ends while it lasts, how if it happens once, and that the
// session then continues with a sound server.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultBench, SOUND_ANSWER, sound } from "./bench.ts";
import { MODES, type ModeName } from "./modes.ts";
import { isFull, report } from "./report.ts";
import { type End, SERVER_FAULTS, type ServerFault } from "./server-faults.ts";
import type { Ended } from "./talk.ts";

/** Distinctions that programs get; users only read the text. */
const fits = (ended: Ended, expected: End): boolean =>
  ended.how === expected || (ended.how === "error" && expected !== "answer");

async function tried(mode: ModeName, fault: ServerFault): Promise<void> {
  const bench = await FaultBench.open();
  try {
    const talk = await MODES[mode](bench);
    bench.answer = () => fault.turn;
    const lasting = fault.lasting && (await talk.say("ask-1"));
    let isFirst = true;
    bench.answer = () => {
      const answer = isFirst ? fault.turn : sound();
      isFirst = false;
      return answer;
    };
    const once = await talk.say("ask-2");
    bench.answer = sound;
    const after = await talk.say("ask-3");
    const code = await talk.leave();
    const seen = { lasting, once, after, code, damage: await bench.damage(), left: await bench.processesLeft() };
    const wrong =
      (lasting !== undefined && !fits(lasting, fault.lasting!)) ||
      !fits(once, (mode === "library" ? fault.onceInLibrary : undefined) ?? fault.once) ||
      [lasting, once].some((ended) => ended?.words === "") ||
      existsSync(join(bench.box.dir, "must-not-run")) ||
      after.words !== SOUND_ANSWER ||
      code !== 0 ||
      seen.damage !== "" ||
      seen.left.length > 0;
    if (wrong) throw new Error(`${mode}: ${JSON.stringify(seen, undefined, 1)}`);
  } finally {
    await bench.close();
  }
}

/** What the tests do with each piece is too slow for megabytes: the screen is emulated, each message to an editor is checked. */
const SLOW: readonly ModeName[] = ["terminal", "plain", "ACP"];

describe("a server that fails, in every mode", () => {
  const chosen = SERVER_FAULTS.filter(({ short }) => isFull || short);
  it.each(chosen.map((fault) => [fault.name, fault] as const))(
    "%s",
    async (_, fault) => {
      const names = (Object.keys(MODES) as ModeName[]).filter((name) => !fault.withoutScreen || !SLOW.includes(name));
      const tries = await Promise.allSettled(names.map((mode) => tried(mode, fault)));
      expect(tries.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual([]);
      report("server", {
        fault: fault.name,
        lasting: fault.lasting,
        once: fault.once,
        onceInLibrary: fault.onceInLibrary,
        withoutScreen: fault.withoutScreen,
      });
    },
    120_000,
  );
});
