// How soon the composer is there and takes keys: over a bare node that writes one word, both at a terminal of their own.

import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import type { Bench } from "../../../scripts/bench-types.ts";
import { modelServer } from "./model-server.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const ROUNDS = 15;
const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-first-text-")));
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: dir,
  LATHE_HOME: join(dir, ".lathe"),
  TERM: "xterm-256color",
  OPENAI_API_KEY: "k",
};
const BARE = join(dir, "bare.js");
writeFileSync(BARE, 'process.stdout.write("Ask")');

/** Milliseconds from the start of the process to this text on its terminal. */
function textAfter(args: readonly string[], text: string, extra: Record<string, string> = {}): Promise<number> {
  const begun = performance.now();
  const terminal = spawn(process.execPath, [...args], {
    cwd: dir,
    cols: 100,
    rows: 30,
    name: "xterm-256color",
    env: { ...env, ...extra },
  });
  return new Promise((resolve) => {
    let written = "";
    let took = 0;
    terminal.onData((bytes) => {
      written += bytes;
      if (took > 0 || !written.includes(text)) return;
      took = performance.now() - begun;
      // Leaves as a person would, so that the compiled code is kept for the next start.
      if (args[0] === CLI) terminal.write("\x03\x03");
    });
    terminal.onExit(() => resolve(took));
  });
}

export const benches: Bench[] = [
  {
    name: "first text of the terminal over bare node",
    async run() {
      const server = await modelServer();
      const extra = { OPENAI_BASE_URL: server.url };
      const run = [CLI, "--model", "openai/gpt-5.2"];
      const ours = (): Promise<number> => textAfter(run, "Ask", extra);
      const bare = (): Promise<number> => textAfter([BARE], "Ask");
      // The first request writes the code cache, in the second run for the packs that the first one has added.
      await textAfter([...run, "hello"], "gpt-5.2 · ", extra);
      await ours();
      let best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
      for (let i = 0; i < ROUNDS; i++)
        best = { ours: Math.min(best.ours, await ours()), bare: Math.min(best.bare, await bare()) };
      server.close();
      return {
        value: best.ours / best.bare,
        unit: "x",
        budget: 2.5,
        note: `${best.ours.toFixed(1)} ms against ${best.bare.toFixed(1)} ms`,
      };
    },
  },
];
