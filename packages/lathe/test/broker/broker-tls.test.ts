// A broker on an address other than loopback: its certificate, and clients that do or do not trust it. Broker and
// clients are the built command.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Certificates, makeCertificates } from "../../../llm/test/transport/certificates.ts";
import { Vault } from "../../src/doors/broker/vault/vault.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { type Bench, bench } from "../models-kit.ts";

/** Of this machine, but none of the names that need no TLS. */
const HOST = "127.0.0.2";

let b: Bench;
let host: Sandbox;
let certificates: Certificates;
let served: ChildProcessWithoutNullStreams | undefined;
beforeEach(async () => {
  b = await bench();
  host = await sandbox();
  certificates = makeCertificates({ own: `IP:${HOST}`, other: "DNS:other.test" });
  const { broker } = homePaths(host.env, host.home);
  await mkdir(broker, { recursive: true, mode: 0o700 });
  await new Vault(broker).store.set("openai", { type: "api_key", key: "key-of-the-team-0123" });
});
afterEach(async () => {
  served?.kill("SIGKILL");
  if (served?.exitCode === null && served.signalCode === null) await once(served, "close");
  certificates.remove();
  await host.remove();
  await b.close();
});

/** Resolves with its address. */
async function serve(certificate: string): Promise<string> {
  const file = (name: string): string => join(certificates.folder, name);
  const tls = ["--tls-cert", file(`${certificate}.pem`), "--tls-key", file(`${certificate}.key`)];
  served = host.start(["auth-broker", "serve", "--bind", `${HOST}:0`, ...tls]);
  served.stdout.resume();
  const [line] = (await once(createInterface({ input: served.stderr }), "line")) as [string];
  return /https:\/\/[\d.:]+\d/.exec(line)?.[0] ?? line;
}

it("AU-02 AU-04 M2 over TLS a client that knows the authority gets its key; another one sends its token to nobody", async () => {
  const url = await serve("own");
  const token = (await host.run(["auth-broker", "token"])).stdout.trim();
  const named = {
    OPENAI_BASE_URL: b.server.baseUrl("openai"),
    LATHE_AUTH_BROKER_URL: url,
    LATHE_AUTH_BROKER_TOKEN: token,
    LATHE_AUTH_BROKER_SNAPSHOT_TTL_MS: "0",
  };
  const trusting = { ...named, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") };
  const asking = ["--model", "openai/gpt-5.2", "-p", "hi"];
  expect(await b.box.runBuilt(asking, { env: trusting })).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
  expect(b.modelRequests.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-of-the-team-0123"]);
  const doctor = await b.box.runBuilt(["doctor"], { env: trusting });
  expect(doctor.stdout).toContain(`${url} answers, 1 credential OK`);
  const wary = await b.box.runBuilt(asking, { env: named });
  expect([wary.code, wary.stderr]).toEqual([3, expect.stringMatching(/^lathe: [^\n]*certificate[^\n]*\n$/)]);
  expect((await b.box.runBuilt(["doctor"], { env: named })).stdout).toMatch(
    /broker .*cannot be queried: .*certificate/,
  );
  expect(b.modelRequests).toHaveLength(1);
}, 60_000);

it("AU-02 M2 a certificate for another name is not the broker's", async () => {
  const url = await serve("other");
  const env = {
    LATHE_AUTH_BROKER_URL: url,
    LATHE_AUTH_BROKER_TOKEN: "lathe_any",
    NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem"),
  };
  const status = await b.box.runBuilt(["auth-broker", "status"], { env });
  expect([status.code, status.stdout]).toEqual([3, expect.stringMatching(/cannot be queried: .*127\.0\.0\.2/)]);
}, 60_000);
