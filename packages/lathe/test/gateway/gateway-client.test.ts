// Lathe itself as a client of the gateway: it works with a key of the gateway, and holds no provider's.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { has } from "../../../agent/test/programs.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { startTestGateway, type TestGateway, VENDOR_KEY } from "./gateway-kit.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(() => box.remove());

const ARGS = ["--no-session", "--model", "gateway/m-messages", "-p", "Say hello."];

async function pointAt(test: TestGateway): Promise<string> {
  const key = await test.key({ budget: { usd: 5, period: "month" } });
  await mkdir(join(box.home, ".lathe"), { recursive: true });
  const models = [{ id: "m-messages" }];
  const gateway = { baseUrl: `${test.gateway.url}/v1`, api: "openai-completions", apiKey: key, models };
  await writeFile(join(box.home, ".lathe/models.yml"), stringify({ providers: { gateway } }));
  return key;
}

/** Which of these texts a file holds that may be larger than the memory of this test. */
async function foundIn(file: string, texts: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  let before = Buffer.alloc(0);
  for await (const piece of createReadStream(file, { highWaterMark: 16 << 20 })) {
    const bytes = Buffer.concat([before, piece as Buffer]);
    for (const text of texts) if (bytes.includes(text)) found.add(text);
    // A text may lie over the end of a piece.
    before = bytes.subarray(-256);
  }
  return texts.filter((text) => found.has(text));
}

describe("M2 Lathe behind the gateway", () => {
  it("M2 a run with tools works over the gateway with another protocol behind it", async () => {
    await using test = await startTestGateway();
    await pointAt(test);
    await writeFile(join(box.dir, "notes.txt"), "the word is plum\n");
    test.upstream.push(turn.calls([{ name: "bash", args: { command: "cat notes.txt" } }]), turn.text("It is plum."));
    const run = await box.run([...ARGS, "--permission-mode", "full"]);
    expect([run.code, run.stdout]).toEqual([0, "It is plum.\n"]);
    expect(test.upstream.requests[1]?.text).toContain("the word is plum");
  });

  // Writing out its 3 GB of addresses takes half a minute.
  const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it.skipIf(!has("gcore", "gdb"));
  inLongRuns(
    "M2 its memory holds no provider's key, though the same search finds its own (needs gcore, gdb)",
    async () => {
      const held = gate();
      await using test = await startTestGateway({
        upstream: { script: [turn.text("Hello.", { beforeEvent: held.wait })] },
      });
      const key = await pointAt(test);
      // Without it, the addresses that V8 keeps free for WebAssembly are written out, too: 10 GB of nothing.
      const child = box.start(ARGS, { NODE_OPTIONS: "--disable-wasm-trap-handler" });
      child.stdin.end();
      await held.reached;
      const core = join(box.home, "core");
      execFileSync("gcore", ["-o", core, String(child.pid)], { stdio: "ignore" });
      expect(await foundIn(`${core}.${child.pid}`, [key, VENDOR_KEY])).toEqual([key]);
      held.open();
      child.stdout.resume();
      await once(child, "close");
      expect(child.exitCode).toBe(0);
    },
    120_000,
  );
});
