import { spawn, spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI, collect } from "./command.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench({
    auth: "none",
    listings: { models: [{ id: "tiny:1b", contextLength: 16_384, capabilities: ["completion", "tools"] }] },
  });
});
afterEach(() => b.close());

const nowhere = {
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
  LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
};
const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Opens the interactive mode as plain lines, where nothing is asked, types the lines once it is ready, and gives all that was shown. */
async function interactive(env: Record<string, string>, lines: readonly string[]): Promise<string> {
  const child = spawn("script", ["-qec", `${process.execPath} ${CLI} --plain`, "/dev/null"], {
    cwd: b.box.dir,
    env: { ...b.box.env, TERM: "xterm", ...env },
  });
  const finished = collect(child);
  let shown = "";
  const queue = [...lines];
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    const ready = shown.includes("/help");
    for (const line of ready ? queue.splice(0) : []) child.stdin.write(`${line}\r`);
  });
  return (await finished).stdout;
}

describe.skipIf(!hasScript)("the first start at a terminal (needs script)", () => {
  it("without key and server it goes on with the practice model and says so in one line", async () => {
    const shown = await interactive(nowhere, ["/quit"]);
    expect(shown).toContain("No API key and no local model server found: continuing with the practice model");
    expect(shown).toContain("practice/basic");
  });

  it("G-48 a local server comes before the practice model", async () => {
    const shown = await interactive({ ...nowhere, OLLAMA_BASE_URL: b.server.baseUrl("ollama") }, ["/quit"]);
    expect(shown).toContain("No API key found; using ollama/tiny:1b from the server on this machine.");
    expect(shown).not.toContain("practice");
  });

  it("G-52 with a key it is the provider's usual model, and no server is asked", async () => {
    const env = { ...nowhere, OLLAMA_BASE_URL: b.server.baseUrl("ollama"), ANTHROPIC_API_KEY: "k" };
    const shown = await interactive(env, ["/quit"]);
    expect(shown).toMatch(/anthropic\/claude-/);
    expect(b.server.requests).toHaveLength(0);
  });
});
