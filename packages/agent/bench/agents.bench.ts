// What child agents cost: those that are parked, those that stream side by side, and the start of one.

import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { bundledRun } from "./bundled-run.ts";

const measure = <T>(what: string): Promise<T> =>
  bundledRun<T>({ program: "./agents-run.ts", server: "./agents-server.ts", what });

export const benches: readonly Bench[] = [
  {
    name: "memory with 200 parked children over that with none",
    async run() {
      const { none, all } = await measure<{ none: number; all: number }>("parked");
      const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
      return { value: all / none, unit: "x", budget: 1.1, note: `${mib(all)} against ${mib(none)}` };
    },
  },
  {
    name: "99th percentile of the event loop's delay with 16 streaming children over one",
    async run() {
      const { one, many } = await measure<{ one: number; many: number }>("delays");
      return ratio(many, one, { budget: 3, unit: "ms" });
    },
  },
  {
    name: "start of a child to its first request over that of a plain session",
    async run() {
      const { child, plain } = await measure<{ child: number; plain: number }>("starts");
      return ratio(child, plain, { budget: 1.5, unit: "ms" });
    },
  },
];
