// What a process pays for its first request, and whether it ends after its last one; in separate processes.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasOpenssl, makeCertificates } from "./certificates.ts";
import { listen, OK, rawServer } from "./servers.ts";

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "start-"));
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/transport/node.ts", import.meta.url))],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Sends one request and prints the answer and the builtin modules that were loaded for it. Ends by itself, or never.
 */
const SCRIPT = `
const { createNodeTransport } = await import(process.argv[1]);
const setTimer = (run, ms) => { const timer = setTimeout(run, ms); return { cancel: () => clearTimeout(timer) }; };
const before = new Set(process.moduleLoadList);
const transport = createNodeTransport({ env: {}, setTimer, now: Date.now });
const request = { url: process.argv[2], method: "POST", headers: {}, body: ["{}"], connectTimeoutMs: 10000 };
let text = "";
if (process.argv[3] === "prepare") transport.prepare({ url: request.url });
else for await (const chunk of (await transport(request)).body) text += Buffer.from(chunk).toString();
const loaded = process.moduleLoadList.filter((name) => !before.has(name) && !name.includes("internal"));
console.log(JSON.stringify({ text, loaded: loaded.map((name) => name.replace("NativeModule ", "")) }));
`;

async function ask(url: string, env: Record<string, string> = {}, how = "request") {
  const args = ["--input-type=module", "--eval", SCRIPT, join(folder, "node.mjs"), url, how];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as { text: string; loaded: string[] };
}

describe("a process with one request", () => {
  it("AD-01 ends though the connection is kept, and has loaded neither TLS nor a decompressor", async () => {
    // A server that never closes the connection by itself.
    const { url } = await rawServer((socket) => socket.write(OK));
    const { text, loaded } = await ask(url);
    expect(text).toBe("ok");
    expect(loaded).toContain("http");
    expect(loaded.filter((name) => /^_?(https|tls|zlib|crypto|dns)\b|^_tls_/.test(name))).toEqual([]);
  });

  it("AD-01 ends though a connection was opened ahead and never used", async () => {
    const { url } = await rawServer((socket) => socket.write(OK));
    expect((await ask(url, {}, "prepare")).text).toBe("");
  });

  it.skipIf(!hasOpenssl)("AD-01 trusts what NODE_EXTRA_CA_CERTS names (openssl)", async () => {
    const files = makeCertificates({ server: "IP:127.0.0.1" });
    const credentials = { cert: files.pem("server.pem"), key: files.pem("server.key") };
    const server = createServer(credentials, (request, response) =>
      request.resume().on("end", () => response.end("ok")),
    );
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const { text } = await ask(url, { NODE_EXTRA_CA_CERTS: join(files.folder, "ca.pem") });
    expect(text).toBe("ok");
    await expect(ask(url)).rejects.toThrow(/extra CA|cannot be verified|trusted/);
    files.remove();
  });
});
