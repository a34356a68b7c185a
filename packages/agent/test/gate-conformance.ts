// The gate to the web in every environment: a server of the session can be reached by each of its names, another
// program's cannot.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { fetchPage } from "../src/files/web/fetch-page.ts";
import type { WebGate } from "../src/files/web/gate/types.ts";
import { webGate } from "../src/files/web/gate/web-gate.ts";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";
import { loopbackNames } from "../src/world/net/address.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const LIMITS = { maxBytes: 1 << 20, maxRedirects: 5, timeoutMs: 60_000 };

export const fetchText = async (gate: WebGate, url: string): Promise<string> =>
  (await fetchPage(gate, url, LIMITS, new AbortController().signal)).body.toString();

/** `own`: a port on which a server of the environment answers "own" over HTTP. */
export async function checkGate(env: ExecutionEnvironment, own: number): Promise<void> {
  const gate = webGate({ env });
  const [mapped = "localhost"] = loopbackNames(await env.readFile("/etc/hosts").catch(() => ""));
  const names = [...new Set(["localhost", "[::1]", mapped, "127.0.0.1", "127.9.9.9", "app.localhost"])];
  // If each connection needs a new relay, a few connections prove the same.
  const fetched = isLong ? names : names.slice(0, 2);
  const texts = await Promise.all(fetched.map((name) => fetchText(gate, `http://${name}:${own}/`)));
  expect(texts).toEqual(fetched.map(() => "own"));
  const areOwn = await Promise.all(names.map((name) => gate.isOwn(name, own)));
  expect(areOwn).toEqual(names.map(() => true));
  await checkOther(env, gate);
}

/** A server of this process, which belongs to no session. A place with its own network never reaches it. */
async function checkOther(env: ExecutionEnvironment, gate: WebGate): Promise<void> {
  let heard = 0;
  const server = createServer((_request, response) => {
    heard++;
    response.end("other");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}/`;
  try {
    await expect(fetchText(gate, url)).rejects.toThrow(
      /is closed: no process of this session listens|nothing listens there/,
    );
    expect(heard).toBe(0);
    const isReachable = await env.connect(port).then(
      (connection) => connection.destroy().destroyed,
      () => false,
    );
    gate.openTyped(url);
    if (isReachable) expect(await fetchText(gate, url)).toBe("other");
    else await expect(fetchText(gate, url)).rejects.toThrow("nothing listens there");
  } finally {
    server.close();
  }
}
