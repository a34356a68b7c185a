// `--mode bridge` and TLS: openssl creates the certificate, the command is the built one.

import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ModelServer, startModelServer } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WorkflowGate } from "../../src/conversation/gates/gate.ts";
import type { LatheClient } from "../../src/doors/serve/client.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { interviewOf, WISH } from "./interview.ts";
import { ask, bearer, type Serving, serve } from "./serve-kit.ts";

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
    [{ LATHE_BRIDGE_TLS_CERT: files.key }, "are not a certificate and its key"],
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

describe("gates at a bridge", () => {
  const BRIDGE = { LATHE_BRIDGE_TOKEN: "secret-token", LATHE_BRIDGE_PORT: "0" };
  const token = bearer("secret-token");
  let model: ModelServer;
  let serving: Serving;
  let client: LatheClient;
  let id: string;

  beforeAll(async () => {
    model = await startModelServer({ script: interviewOf(["Which colour?", "How high?"]) as never });
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai"), LATHE_NO_TITLE: "1" };
    serving = await serve(box, env);
    client = await serving.client("laptop", "read", "prompt", "approve", "admin");
    id = await client.createSession({ cwd: box.dir, model: "openai/gpt-5.2" });
    await client.command(id, "prompt", { message: WISH });
  });
  afterAll(async () => {
    await serving.server.end({ forgets: true });
    await model.close();
  });

  const started = async (env: Record<string, string>) => {
    const tls = { LATHE_BRIDGE_TLS_CERT: files.cert, LATHE_BRIDGE_TLS_KEY: files.key };
    const bridge = box.start(["--mode", "bridge"], { ...BRIDGE, ...tls, ...env });
    const [line] = (await once(createInterface({ input: bridge.stderr }), "line")) as [string];
    return { bridge, url: /https:\/\/\S+/.exec(line)?.[0] ?? line };
  };
  const gateOf = async (): Promise<WorkflowGate> => {
    for await (const frame of client.follow(id)) {
      const gate = frame.kind === "snapshot" ? frame.snapshot.state.workflow?.gate : undefined;
      if (gate) return gate;
      if (frame.kind === "event" && frame.event.type === "lathe:gate") return frame.event.gate;
    }
    throw new Error("no gate");
  };

  it("G-18 G-12 gates that are switched on are answered by their owner, once, with a key; the typed client goes on from there", async () => {
    const gate = await gateOf();
    const { bridge, url } = await started({ LATHE_BRIDGE_GATES: "1", LATHE_BRIDGE_SCOPES: "prompt,approve" });
    const post = async (path: string, body: object, headers: Record<string, string> = token) => {
      const { text, status } = await ask(url, `/v1/sessions/${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { status, ...(text === "" ? {} : (JSON.parse(text) as { code?: string; owner_token?: string })) };
    };
    expect(JSON.parse((await ask(url, "/v1/handshake", { headers: token })).text)).toMatchObject({
      endpoints: { events: true, ownership: true, ui_responses: true, commands: false, host_tool_results: false },
      accepted_scopes: ["approve"],
    });
    expect(await post(`${id}/commands`, {})).toMatchObject({ status: 403, code: "endpoint_disabled" });
    const address = `${id}/ui-responses/${gate.gate_id}`;
    expect(await post(address, { answer: "red" }, {})).toMatchObject({ status: 401 });
    expect(await post(address, { answer: "red" })).toMatchObject({ status: 403, code: "not_owner" });
    expect(await post("none/ownership", {})).toMatchObject({ status: 404, code: "unknown_session" });
    expect(await post("..%2f..%2fx/ownership", {})).toMatchObject({ status: 404, code: "unknown_session" });
    const { owner_token: first = "" } = await post(`${id}/ownership`, {});
    expect(await post(`${id}/ownership`, {})).toMatchObject({ status: 409, code: "already_owned" });
    const { owner_token: second = "" } = await post(`${id}/ownership`, { force: true });
    const owner = { ...token, "x-lathe-bridge-owner-token": second };
    const before = { ...token, "x-lathe-bridge-owner-token": first };
    expect(await post(address, { answer: "red" }, before)).toMatchObject({ status: 403, code: "not_owner" });
    expect(await post(address, { answer: "red" }, owner)).toMatchObject({ status: 400, code: "no_idempotency_key" });
    const keyed = { ...owner, "idempotency-key": "k1" };
    expect(await post(address, { answer: 42 }, keyed)).toMatchObject({
      status: "rejected",
      error: { code: "invalid_workflow_gate_answer", errors: [{ path: "/answer" }] },
    });
    expect(await post(`${id}/ui-responses/wg_x`, { answer: "x" }, keyed)).toMatchObject({
      status: 404,
      code: "unknown_gate",
    });
    const accepted = await post(address, { answer: "red" }, keyed);
    expect(accepted).toMatchObject({ status: "accepted", gate_id: gate.gate_id });
    expect(await post(address, { answer: "red", idempotency_key: "k1" }, owner)).toEqual(accepted);
    expect(await post(address, { answer: "blue" }, keyed)).toMatchObject({
      status: 409,
      code: "idempotency_conflict",
    });
    expect(await post(address, { answer: "blue", idempotency_key: "k2" }, owner)).toMatchObject({
      status: 409,
      code: "already_resolved",
    });
    expect(await post(address, { answer: "blue", idempotency_key: "k2" }, keyed)).toMatchObject({ status: 400 });
    // The rest is the client's.
    const program = fileURLToPath(new URL("bridge-program.mjs", import.meta.url));
    const library = new URL("../../src/index.ts", import.meta.url).href;
    const loader = new URL("../../../../scripts/source-loader.mjs", import.meta.url).href;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--conditions=lathe-source", "--import", loader, program, library, url, "secret-token", id],
      { env: { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: files.cert } },
    );
    expect([stdout, stderr]).toEqual([
      'question How high? accepted\napproval Accept the specification "A wall"? accepted\n',
      "",
    ]);
    for await (const frame of client.follow(id)) {
      const isIdle = frame.kind === "snapshot" && !frame.snapshot.state.isStreaming;
      if (isIdle || (frame.kind === "event" && frame.event.type === "agent_end")) break;
    }
    expect(readdirSync(join(box.dir, ".lathe/specs"))).toHaveLength(1);
    bridge.kill("SIGTERM");
    expect(await once(bridge, "exit")).toEqual([0, null]);
  });

  it("G-18 gates that are switched on without the scope approve are seen and not answered; another value is refused", async () => {
    const { bridge, url } = await started({ LATHE_BRIDGE_GATES: "1" });
    for (const path of ["ownership", "ownership/release", "ui-responses/g1"])
      expect(
        await ask(url, `/v1/sessions/${id}/${path}`, { method: "POST", headers: token, body: "{}" }),
        path,
      ).toMatchObject({ status: 403, code: "wrong_scope" });
    bridge.kill("SIGTERM");
    await once(bridge, "exit");
    const tls = { LATHE_BRIDGE_TLS_CERT: files.cert, LATHE_BRIDGE_TLS_KEY: files.key };
    const env = { ...BRIDGE, ...tls, LATHE_BRIDGE_GATES: "all" };
    expect(await box.run(["--mode", "bridge"], { env })).toMatchObject({
      code: 2,
      stderr: 'lathe: LATHE_BRIDGE_GATES is 1 to switch gates on, or left out; not "all".\n',
    });
  });
});
