// What one tool round costs, whether it grows with history, and what events and memory cost on the way.

import type { Bench } from "../../../scripts/bench-types.ts";
import { EventHub } from "../src/contract/events/hub.ts";
import { bundledRun } from "./bundled-run.ts";

const measure = <T>(what: "compare" | "long", rounds: number): Promise<T> =>
  bundledRun<T>({
    program: "./loop-run.ts",
    server: "./loop-server.ts",
    serverArgs: [String(2 * rounds + 200)],
    what,
    args: [String(rounds)],
  });

interface LongRun {
  readonly early: number;
  readonly late: number;
  readonly bytesPerRound: number;
}

let longRun: Promise<LongRun> | undefined;
/** One 5,000-round session serves two benches. */
const runLong = (): Promise<LongRun> => {
  longRun ??= measure<LongRun>("long", 5000);
  return longRun;
};

const against = (a: number, b: number): string => `${a.toFixed(2)} ms against ${b.toFixed(2)} ms of CPU`;

export const benches: readonly Bench[] = [
  {
    name: "one read round over 80 lines of plain Node",
    async run() {
      const { ours, plain } = await measure<{ ours: number; plain: number }>("compare", 300);
      return { value: ours / plain, unit: "x", budget: 2.5, note: against(ours, plain) };
    },
  },
  {
    name: "a tool round at round 2,000 over one at round 20",
    async run() {
      const { early, late } = await runLong();
      return { value: late / early, unit: "x", budget: 1.5, note: against(late, early) };
    },
  },
  {
    name: "memory of a 5,000-round session per round, the history itself included",
    async run() {
      const { bytesPerRound } = await runLong();
      return { value: bytesPerRound / 1024, unit: "KiB", budget: 8 };
    },
  },
  {
    name: "events through three readers",
    async run() {
      const count = 200_000;
      const hub = new EventHub({
        sessionId: "bench",
        now: Date.now,
        snapshot: () => ({ state: "processing", model: "m", leaf_id: null, calls: [] }),
      });
      const readers = [1, 2, 3].map(async () => {
        let seen = 0;
        for await (const event of hub.read()) if (event.kind === "assistant_text_delta") seen += 1;
        return seen;
      });
      const start = performance.now();
      for (let i = 0; i < count; i++) {
        hub.emit("assistant_text_delta", { delta: "some text " });
        if (i % 500 === 499) await new Promise((resolve) => setImmediate(resolve));
      }
      hub.emit("session_end", { state: "closed", reason: "closed" });
      const seen = await Promise.all(readers);
      const perSecond = count / ((performance.now() - start) / 1000);
      return { value: perSecond, unit: "events/s", note: `${seen.join(", ")} delivered` };
    },
  },
];
