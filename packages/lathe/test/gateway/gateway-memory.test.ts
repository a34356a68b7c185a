// A client of the gateway, which is Lathe itself here, holds its own key and no provider's: its whole memory is searched.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { has } from "../../../agent/test/programs.ts";
import { sandbox } from "../command.ts";
import { startTestGateway, VENDOR_KEY } from "./gateway-kit.ts";

describe.skipIf(!has("gcore", "gdb"))("memory of a client (needs gcore, gdb)", () => {
  it("M2 a client of the gateway holds no provider's key, though the same search finds its own", async () => {
    const held = gate();
    await using test = await startTestGateway({
      upstream: { script: [turn.text("Hello.", { beforeEvent: held.wait })] },
    });
    const box = await sandbox();
    try {
      const key = await test.key();
      await mkdir(join(box.home, ".lathe"), { recursive: true });
      const provider = {
        baseUrl: `${test.gateway.url}/v1`,
        api: "openai-completions",
        apiKey: key,
        models: [{ id: "m-chat" }],
      };
      await writeFile(join(box.home, ".lathe/models.yml"), stringify({ providers: { gateway: provider } }));
      // Without it, the memory that V8 keeps free for WebAssembly is written out, too: 10 GB of nothing.
      const env = { NODE_OPTIONS: "--disable-wasm-trap-handler" };
      const child = box.start(["--no-session", "--model", "gateway/m-chat", "-p", "Say hello."], env);
      child.stdin.end();
      await held.reached;
      const core = join(box.home, "core");
      execFileSync("gcore", ["-o", core, String(child.pid)], { stdio: "ignore" });
      const memory = await readFile(`${core}.${child.pid}`);
      expect({ own: memory.includes(key), vendor: memory.includes(VENDOR_KEY) }).toEqual({ own: true, vendor: false });
      held.open();
      let said = "";
      child.stdout.on("data", (piece: Buffer) => {
        said += piece.toString();
      });
      await once(child, "close");
      expect(said).toBe("Hello.\n");
    } finally {
      await box.remove();
    }
  });
});
