// Every notation of an internal address, through a fetch and through the sandbox proxy: nothing on loopback is reached.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchText } from "../../../../test/gate-conformance.ts";
import {
  hopServer,
  hostileAddresses,
  lookUpHostile,
  type Recorders,
  startRecorders,
} from "../../../../test/support/hostile-addresses.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { SandboxProxy } from "../../../world/env/sandbox/proxy.ts";
import { webGate } from "./web-gate.ts";

let recorders: Recorders;
beforeAll(async () => {
  recorders = await startRecorders();
});
afterAll(() => recorders.close());

describe("addresses of this machine and its networks", () => {
  it("no fetch reaches one, in whatever notation, by name, or by redirects; the refusal is one line that says what would allow it", async () => {
    const hops = hopServer().listen(0, "127.0.0.1");
    await once(hops, "listening");
    const origin = `http://localhost:${(hops.address() as AddressInfo).port}`;
    const env = new LocalEnvironment({ cwd: "/", baseEnv: {} });
    const gate = webGate({ env, lookUp: lookUpHostile });
    gate.openTyped(origin);
    const addresses = hostileAddresses(recorders.port, origin);
    expect(addresses.length).toBeGreaterThanOrEqual(60);
    for (const address of addresses) {
      const said = await fetchText(gate, address).catch((error: Error) => error.message);
      expect(said, address).toMatch(/^[^\n]*(?:is closed|private network)[^\n]*web\.allowPrivate\.$/);
      if (address.startsWith(origin)) continue;
      const [, host = ""] = /^http:\/\/(.*):\d+\//.exec(address) ?? [];
      const raw = gate.connect(host, recorders.port, new AbortController().signal);
      await expect(raw, address).rejects.toThrow(/web\.allowPrivate|is not the name or address of a host/);
    }
    hops.close();
    expect(recorders.heard).toEqual([]);
  });

  it("the proxy of the sandbox reaches none, by request or by tunnel, for names that are allowed and those that are not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-proxy-"));
    const allowed = [`*.example:${recorders.port}`, `*.0.0.1:${recorders.port}`, "*.localhost"];
    const proxy = new SandboxProxy({ allowed, node: process.execPath, lookUp: lookUpHostile });
    await proxy.open(folder);
    const ask = async (method: string, path: string): Promise<readonly [number | undefined, string]> => {
      const asked = request({ socketPath: join(folder, "proxy"), method, path, headers: { host: "x" } }).end();
      const [answer, socket, head = ""] = await Promise.race([once(asked, "response"), once(asked, "connect")]);
      const body = await text(method === "CONNECT" ? (socket as Socket) : answer);
      return [answer.statusCode, head + body];
    };
    try {
      for (const address of hostileAddresses(recorders.port)) {
        // As written, and as URL parsers normalise it.
        const { host } = new URL(address);
        for (const path of [address, new URL(address).href].map(encodeURI))
          expect((await ask("GET", path))[0], address).toBe(403);
        expect(await ask("CONNECT", host), address).toEqual([403, expect.stringContaining("blocked by the sandbox")]);
      }
      expect((await ask("GET", `http://nat.example:${recorders.port}/`))[1]).toContain("leads to a private address");
      expect(recorders.heard).toEqual([]);
    } finally {
      await proxy.close();
      rmSync(folder, { recursive: true });
    }
  });
});
