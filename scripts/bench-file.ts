// Runs the benchmarks of one file and prints them as a table.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bench } from "./bench-types.ts";

const file = process.argv[2] ?? "";
const { benches } = (await import(pathToFileURL(file).href)) as { benches: readonly Bench[] };
let broken = false;
for (const bench of benches) {
  const { value, unit, budget, note } = await bench.run();
  const over = budget !== undefined && value > budget;
  broken ||= over;
  const verdict = budget === undefined ? "" : `  budget ${budget}${over ? "  OVER" : ""}`;
  console.log(
    `${basename(file, ".bench.ts")}: ${bench.name}: ${round(value)} ${unit}${verdict}${note ? `  (${note})` : ""}`,
  );
}
process.exit(broken ? 1 : 0);

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
