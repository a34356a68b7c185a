// The ledger of a gateway that is killed or whose disk is full.

import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gate, startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { homePaths } from "../../src/platform/home/paths.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { ask, bearer } from "../serve/serve-kit.ts";
import { canMount, withTmpfs } from "../tmpfs.ts";
import { modelsFile, startTestGateway, VENDOR_KEY } from "./gateway-kit.ts";

const BODY = JSON.stringify({ model: "m-chat", max_tokens: 1000, messages: [{ role: "user", content: "Hi" }] });
const usage = { input: 1000, output: 200 };

async function started(box: Sandbox) {
  const child = box.start(["auth-gateway", "serve", "--bind", "127.0.0.1:0"]);
  child.stdout.resume();
  let said = "";
  for await (const line of createInterface({ input: child.stderr })) {
    said += `${line}\n`;
    const [url] = /http:\/\/[\d.:]+\d/.exec(line) ?? [];
    if (url !== undefined) return { child, url, said };
  }
  throw new Error(said);
}

it("M2 SIGKILL with a request under way: it counts whole from the next start on, and once", async () => {
  const box = await sandbox();
  const held = gate();
  await using upstream = await startModelServer({ auth: { key: VENDOR_KEY } });
  try {
    await mkdir(homePaths(box.env, box.home).home, { recursive: true });
    await writeFile(homePaths(box.env, box.home).models, stringify(modelsFile(upstream, VENDOR_KEY)));
    const added = await box.run(["auth-gateway", "key", "add", "laptop", "--budget", "1"]);
    const headers = bearer(added.stdout.trim());
    const send = (url: string) => ask(url, "/v1/chat/completions", { method: "POST", headers, body: BODY });
    upstream.push(turn.text("one", { usage }), turn.text("two", { usage, beforeEvent: held.wait }));
    const first = await started(box);
    expect((await send(first.url)).status).toBe(200);
    const cut = send(first.url).catch(() => "cut");
    await held.reached;
    first.child.kill("SIGKILL");
    expect(await cut).toBe("cut");
    held.open();
    const rows = async (url: string) => JSON.parse((await ask(url, "/v1/usage", { headers })).text).keys;
    const second = await started(box);
    expect(second.said).toContain("1 unfinished request of the previous gateway");
    const [row] = await rows(second.url);
    expect([row.usd, row.uncertain > 0.015, row.left]).toEqual([0.006, true, 1 - row.usd - row.uncertain]);
    second.child.kill("SIGTERM");
    expect((await once(second.child, "exit"))[0]).toBe(0);
    const third = await started(box);
    expect([third.said.includes("unfinished"), await rows(third.url)]).toEqual([false, [row]]);
    third.child.kill("SIGTERM");
    await once(third.child, "exit");
  } finally {
    await box.remove();
  }
});

it.runIf(canMount)(
  "M2 a full disk: nothing is sent that is not written down, and it goes on (needs mount)",
  async () => {
    const box = await sandbox();
    const { gatewayLedger } = homePaths(box.env, box.home);
    try {
      await withTmpfs(gatewayLedger, "64k", async (folder) => {
        await using test = await startTestGateway({ box });
        const key = await test.key({ budget: { usd: 1, period: "month" } });
        const send = () => test.ask("/v1/chat/completions", { method: "POST", headers: bearer(key), body: BODY });
        test.upstream.push(turn.text("one", { usage }), turn.text("two", { usage }));
        expect((await send()).status).toBe(200);
        await writeFile(join(folder, "filler"), Buffer.alloc(1 << 20)).catch(() => undefined);
        // What is left of the last page is written before the disk is full.
        let refused = await send();
        for (let nth = 0; refused.status === 200 && nth < 40; nth++) {
          test.upstream.push(turn.text("more", { usage }));
          refused = await send();
        }
        expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([503, "ledger_unwritable"]);
        const sent = test.upstream.requests.length;
        expect((await send()).status).toBe(503);
        expect(test.upstream.requests).toHaveLength(sent);
        await rm(join(folder, "filler"));
        test.upstream.push(turn.text("again", { usage }));
        expect((await send()).status).toBe(200);
        expect(test.log()).toContain("The ledger cannot be written");
        const [row] = JSON.parse((await test.ask("/v1/usage", { headers: bearer(key) })).text).keys;
        expect(row.usd + row.uncertain).toBeGreaterThanOrEqual(0.006 * (sent + 1) - 1e-9);
        const stats = await box.run(["stats", "--by", "key", "--json"]);
        expect(JSON.parse(stats.stdout).byKey[0].usd).toBeGreaterThan(0);
      });
    } finally {
      await box.remove();
    }
  },
);
