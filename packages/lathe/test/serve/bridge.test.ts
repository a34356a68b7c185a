// `--mode bridge` and TLS: openssl makes the certificate, the command is the built one.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../command.ts";
import { ask, bearer } from "./serve-kit.ts";

let box: Sandbox;
let files: { readonly cert: string; readonly key: string };

beforeAll(async () => {
  box = await sandbox();
  files = { cert: join(box.dir, "cert.pem"), key: join(box.dir, "key.pem") };
  const subject = ["-subj", "/CN=lathe.test", "-addext", "subjectAltName=DNS:lathe.test,IP:127.0.0.1"];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", ...made, "-keyout", files.key, "-out", files.cert, ...subject], {
    stdio: "ignore",
  });
});
afterAll(() => box.remove());

it("G-18 bridge mode does not start without token, certificate and key, and says what is missing", async () => {
  const all = {
    LATHE_BRIDGE_TOKEN: "secret-token",
    LATHE_BRIDGE_TLS_CERT: files.cert,
    LATHE_BRIDGE_TLS_KEY: files.key,
  };
  for (const name of Object.keys(all)) {
    const { code, stderr } = await box.run(["--mode", "bridge"], { env: { ...all, [name]: "" } });
    expect([code, stderr.split("\n").length], name).toEqual([2, 2]);
    expect(stderr).toContain(`--mode bridge needs ${name}`);
    expect(stderr).not.toContain("secret-token");
  }
  const wrong: readonly [Record<string, string>, string][] = [
    [{ LATHE_BRIDGE_PORT: "x" }, 'LATHE_BRIDGE_PORT must be a number from 0 to 65535, not "x"'],
    [{ LATHE_BRIDGE_SCOPES: "all" }, "LATHE_BRIDGE_SCOPES takes read, prompt, approve, admin"],
    [{ LATHE_BRIDGE_TLS_CERT: files.key }, "are no certificate and its key"],
    [{ LATHE_BRIDGE_TLS_CERT: "/none" }, "/none cannot be read: ENOENT"],
  ];
  for (const [env, message] of wrong) {
    const { code, stderr } = await box.run(["--mode", "bridge"], { env: { ...all, ...env } });
    expect([code, stderr], message).toEqual([2, expect.stringContaining(message)]);
  }
});

it("G-18 the bridge speaks TLS only; health and help are open, the handshake needs the token, sessions are switched off", async () => {
  const bridge = box.start(["--mode", "bridge"], {
    LATHE_BRIDGE_TOKEN: "secret-token",
    LATHE_BRIDGE_TLS_CERT: files.cert,
    LATHE_BRIDGE_TLS_KEY: files.key,
    LATHE_BRIDGE_PORT: "0",
  });
  const said = createInterface({ input: bridge.stderr });
  const [line] = (await once(said, "line")) as [string];
  const url = /https:\/\/\S+/.exec(line)?.[0] ?? "";
  const token = bearer("secret-token");
  const told = async (path: string, headers = {}, method = "GET") => {
    const { status, code } = await ask(url, path, { method, headers });
    return [status, code];
  };
  await expect(ask(url.replace("https", "http"), "/v1/health")).rejects.toThrow();
  expect(await told("/v1/health")).toEqual([200, undefined]);
  expect(await told("/v1/help")).toEqual([200, undefined]);
  expect(await told("/v1/handshake")).toEqual([401, "unauthorized"]);
  expect(await told("/v1/handshake", bearer("wrong"))).toEqual([401, "unauthorized"]);
  expect(JSON.parse((await ask(url, "/v1/handshake", { headers: token })).text)).toMatchObject({
    protocol: 2,
    accepted_scopes: [],
    endpoints: { events: false, commands: false, ownership: false, ui_responses: false },
  });
  const disabled = [403, "endpoint_disabled"];
  for (const path of ["events", "commands", "ownership", "ui-responses/g1", "host-tool-results", "host-uri-results"])
    for (const method of ["GET", "POST"]) {
      expect(await told(`/v1/sessions/s1/${path}`, token, method), path).toEqual(disabled);
      expect(await told(`/v1/sessions/s1/${path}`, {}, method), path).toEqual([401, "unauthorized"]);
    }
  expect(await told("/v1/health", { host: "lathe.test" })).toEqual([200, undefined]);
  expect(await told("/v1/health", { host: "evil.example" })).toEqual([403, "foreign_host"]);
  for (let i = 0; i < 20; i++) await told("/v1/handshake", bearer(`guess-${i}`));
  expect(await told("/v1/handshake", token)).toEqual([429, "too_many_attempts"]);
  bridge.kill("SIGTERM");
  expect(await once(bridge, "exit")).toEqual([0, null]);
});
