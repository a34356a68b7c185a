// Debug adapters that end, hang or break the protocol during a call: no process remains.

import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { type Bench, bench, newFolder, PATH } from "./debug-kit.ts";

const HERE = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const WAIT = 120_000;

let at: Bench;
beforeEach(() => {
  const folder = newFolder();
  copyFileSync(HERE("debug-scripted-gdb.mjs"), join(folder, "gdb"));
  chmodSync(join(folder, "gdb"), 0o755);
  at = bench(folder, undefined, { PATH: `${folder}:${PATH}` });
  at.write("prog");
});
afterEach(() => at.close());

const launch = (): Promise<string> => at.say({ action: "launch", program: join(at.folder, "prog"), adapter: "gdb" });
const evaluate = (expression: string, timeoutMs = 30_000): Promise<string> =>
  at.say({ action: "evaluate", expression, timeoutMs });

it(
  "T-DBG-1 T-DBG-2 gdb by a scripted adapter: what it is told, what it may ask for, what it may not be asked",
  async () => {
    expect(await launch()).toContain("debug-1 (gdb) has stopped: entry");
    expect(JSON.parse(await evaluate("x"))).toMatchObject({
      launched: "-q -i dap",
      config: { program: join(at.folder, "prog"), stopAtBeginningOfMainSubprogram: true },
    });
    for (const [action, capability] of [
      ["set_instruction_breakpoint", "supportsInstructionBreakpoints"],
      ["data_breakpoint_info", "supportsDataBreakpoints"],
      ["disassemble", "supportsDisassembleRequest"],
      ["modules", "supportsModulesRequest"],
      ["loaded_sources", "supportsLoadedSourcesRequest"],
    ] as const)
      await expect(at.say({ action })).rejects.toThrow(`The debugger gdb does not support ${action} (${capability}).`);
    await expect(at.say({ action: "read_memory" })).rejects.toThrow("read_memory needs memory_reference.");
    await expect(at.say({ action: "set_breakpoint" })).rejects.toThrow(
      "set_breakpoint needs function, or file and line.",
    );
    const inTerminal = Number(await evaluate("terminal"));
    expect(isAlive(inTerminal)).toBe(true);
    await expect.poll(() => at.say({ action: "output" })).toBe("in /, b\n");
    await at.say({ action: "terminate" });
    await until(() => !isAlive(inTerminal));
  },
  WAIT,
);

it(
  "T-DBG-1 an adapter that dies, is killed, breaks the protocol or falls silent is named, and the next launch works",
  async () => {
    await launch();
    await expect(evaluate("die")).rejects.toThrow("The debugger gdb has ended: it exited with code 7: internal error");
    await expect(at.say({ action: "continue" })).rejects.toThrow("Debug session debug-1 has ended");
    await launch();
    await expect(evaluate("gigabyte")).rejects.toThrow("it announced a message of 1000000000 bytes");
    await launch();
    const { pid } = JSON.parse(await evaluate("x")) as { pid: number };
    const asked = evaluate("sleep");
    process.kill(pid, "SIGKILL");
    await expect(asked).rejects.toThrow("The debugger gdb has ended: it was ended by SIGKILL");
    await launch();
    const { pid: stopped } = JSON.parse(await evaluate("x")) as { pid: number };
    process.kill(stopped, "SIGSTOP");
    await expect(evaluate("x", 500)).rejects.toThrow("The debugger gdb did not answer evaluate within 0.5 s.");
    expect(await at.say({ action: "terminate" })).toBe("debug-4 has ended.");
    await until(() => !isAlive(stopped));
  },
  WAIT,
);

it("T-DBG-2 without any adapter, one line lists what is installed and what to install", async () => {
  const folder = newFolder();
  const bare = bench(folder, undefined, { PATH: folder });
  await expect(bare.say({ action: "launch", program: join(folder, "nope.py") })).rejects.toThrow(
    "nope.py does not exist",
  );
  const ruby = bare.write("a.rb", "puts 1");
  await expect(bare.say({ action: "launch", program: ruby })).rejects.toThrow("No debugger adapter available.");
  const program = bare.write("a.go", "package main");
  await expect(bare.say({ action: "launch", program })).rejects.toThrow(
    "No debugger adapter available. Installed adapters: ",
  );
  await expect(bare.say({ action: "launch", program, adapter: "gdb" })).rejects.toThrow("install gdb");
  await bare.close();
});
