// Go programs under delve, which listens on a port: binaries, tests, and one that waits for its debugger.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type Bench, bench } from "./debug-kit.ts";

const WAIT = 120_000;

let at: Bench;
beforeEach(() => {
  at = bench();
});
afterEach(() => at.close());

describe.skipIf(!has("go", "dlv"))("Go (needs go, dlv)", () => {
  const LINES = [
    ...["package main", "", "func sum(v []int) int {", "\ttotal := 0"],
    ...["\tfor i := 1; i < len(v); i++ {", "\t\ttotal += v[i]", "\t}", "\treturn total", "}", ""],
    ...["func main() {", "\tprintln(sum([]int{1, 2, 3}))", "}"],
  ];
  const TABLE = ["hit | i | v[i] | total", "1   | 1 | 2    | 0", "2   | 2 | 3    | 2"];

  it(
    "T-DBG-1 T-DBG-2 a binary of a Go module, over the port that delve listens on: trace, instruction breakpoint",
    async () => {
      at.write("go.mod", "module sum", "", "go 1.19");
      const file = at.write("sum.go", ...LINES);
      const program = join(at.folder, "sum");
      const built = await at.env.execCommand("go build -gcflags='-N -l' -o sum .", WAIT);
      expect(built).toMatchObject({ exitCode: 0 });
      const traced = await at.say({ action: "trace", program, at: { file, line: 6 }, show: ["i", "v[i]", "total"] });
      expect(traced.split("\n").slice(0, 4)).toEqual(["sum.go:6: 2 hits; the program exited.", ...TABLE]);
      expect(traced).toContain("\n5");
      await at.say({ action: "launch", program });
      await at.say({ action: "set_breakpoint", function: "main.sum" });
      expect(await at.say({ action: "continue" })).toContain("main.sum at sum.go:3");
      const code = (await at.say({ action: "disassemble", instruction_count: 5 })).split("\n");
      const [instruction_reference] = code[4]!.split(" ");
      expect(await at.say({ action: "set_instruction_breakpoint", instruction_reference })).toContain(
        "Breakpoint at 0x",
      );
      expect(await at.say({ action: "continue" })).toContain("has stopped: instruction breakpoint");
      await at.say({ action: "remove_instruction_breakpoint", instruction_reference });
      await at.say({ action: "terminate" });

      const headless = ["exec", "--headless", "--accept-multiclient", "--listen=127.0.0.1:0", program];
      const server = await at.env.startProcess!(["dlv", ...headless]);
      let said = "";
      for await (const bytes of server.stdout) {
        said += Buffer.from(bytes).toString();
        if (/listening at: .*:\d+\s/.test(said)) break;
      }
      const port = Number(/:(\d+)\s/.exec(said)?.[1]);
      const { details } = await at.run({ action: "attach", port, adapter: "delve", file, line: 6 });
      if (details.state === "running") await at.say({ action: "continue" });
      expect(await at.say({ action: "stack_trace" })).toContain("main.sum at sum.go:6");
      expect(await at.say({ action: "evaluate", expression: "v[i]" })).toContain("2");
      await at.say({ action: "terminate" });
      await server.stop(0);
    },
    WAIT,
  );

  const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;
  inLongRuns(
    "T-DBG-1 T-DBG-2 trace of a failing Go test compiles it outside the project",
    async () => {
      at.write("go.mod", "module sum", "", "go 1.19");
      const file = at.write("sum.go", ...LINES);
      const program = at.write(
        "sum_test.go",
        ...["package main", "", 'import "testing"', "", "func TestSum(t *testing.T) {"],
        ...["\tif got := sum([]int{1, 2, 3}); got != 6 {", '\t\tt.Fatalf("got %d", got)', "\t}", "}"],
      );
      const wanted = { at: { file, line: 6 }, show: ["i", "v[i]", "total"], timeoutMs: 300_000 };
      const traced = await at.say({ action: "trace", program, ...wanted });
      expect(traced.split("\n").slice(0, 4)).toEqual(["sum.go:6: 2 hits; the program exited.", ...TABLE]);
      expect(traced).toContain("got 5");
      expect(readFileSync(file, "utf8")).toBe(`${LINES.join("\n")}\n`);
      const names = (await at.env.listDirectory(at.folder, 1)).map(({ name }) => name).sort();
      expect(names).toEqual(["go.mod", "sum.go", "sum_test.go"]);
    },
    400_000,
  );
});
