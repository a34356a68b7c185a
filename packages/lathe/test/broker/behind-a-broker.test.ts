// A real broker and its clients: what is stored, renewed and removed at the broker, and what of it ever reaches the
// client's machine.

import { type ChildProcessWithoutNullStreams, execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { has } from "../../../agent/test/programs.ts";
import type { StoredCredential } from "../../src/config/credentials/store.ts";
import { Vault } from "../../src/doors/broker/vault/vault.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { sandbox } from "../command.ts";
import { type Issuer, startIssuer } from "../issuer.ts";
import { type Bench, bench } from "../models-kit.ts";
import { RpcHost } from "../rpc-host.ts";
import { ask, bearer } from "../serve/serve-kit.ts";
import { KEY, TerminalRun } from "../terminal/emulator.ts";
import { startTestBroker, type TestBroker } from "./broker-kit.ts";

const MODEL = ["--model", "openai/gpt-5.2"];
/** A secret that must not be found anywhere. */
const REFRESH = "refresh-of-the-team-0123456789";
const BAIT = "bait-0123456789-of-this-test";

let b: Bench;
let issuer: Issuer;
let behind: TestBroker | undefined;
beforeEach(async () => {
  b = await bench();
  issuer = await startIssuer();
  issuer.valid.add(REFRESH);
});
afterEach(async () => {
  await behind?.close();
  behind = undefined;
  issuer.server.closeAllConnections();
  issuer.server.close();
  await b.close();
});

async function start(credential: StoredCredential): Promise<TestBroker> {
  const row = { clientId: "lathe", tokenUrl: `${issuer.url}/token`, deviceUrl: `${issuer.url}/device` };
  behind = await startTestBroker({
    issuers: { openai: row },
    stored: [{ provider: "openai", name: "team", credential }],
  });
  return behind;
}

const signIn = (lastsMs: number): StoredCredential => ({
  type: "oauth",
  access: "access-of-the-start-0123",
  refresh: REFRESH,
  expires: Date.now() + lastsMs,
});

/** The address that a server prints. */
async function addressIn({ stderr, stdout }: ChildProcessWithoutNullStreams): Promise<string> {
  stdout.resume();
  const [line] = (await once(createInterface({ input: stderr }), "line")) as [string];
  return /http:\/\/[\d.:]+\d/.exec(line)?.[0] ?? line;
}

interface Served {
  readonly broker: { readonly url: string };
  readonly token: string;
}

const env = ({ broker, token }: Served, more: Record<string, string> = {}): Record<string, string> => ({
  OPENAI_BASE_URL: b.server.baseUrl("openai"),
  LATHE_AUTH_BROKER_URL: broker.url,
  LATHE_AUTH_BROKER_TOKEN: token,
  ...more,
});
const sent = (): unknown[] => b.modelRequests.map(({ headers }) => headers.authorization);

/** All files of the client that contain a text. */
async function filesWith(text: string): Promise<readonly string[]> {
  const names = await readdir(b.box.home, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // SQLite removes its own files when the last reader closes the database.
  const textOf = (file: string): Promise<string> =>
    readFile(file, "latin1").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
  const found = await Promise.all(files.map(async (file) => (await textOf(file)).includes(text)));
  return files.filter((_, at) => found[at]);
}

/** Which of these texts occur in a file that may be larger than this test's memory. */
async function foundIn(file: string, texts: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  let before = Buffer.alloc(0);
  for await (const piece of createReadStream(file, { highWaterMark: 16 << 20 })) {
    const bytes = Buffer.concat([before, piece as Buffer]);
    for (const text of texts) if (bytes.includes(text)) found.add(text);
    // A text may span two pieces.
    before = bytes.subarray(-256);
  }
  return texts.filter((text) => found.has(text));
}

// Writing out its 3 GB of addresses takes half a minute.
const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it.skipIf(!has("gcore", "gdb"));

describe("AU-04 G-50 a broker and its clients", () => {
  it("G-50 AU-04 a credential with 1 s left: the broker renews it, the model sees the new token, and no refresh token is in any file of the client", async () => {
    const broker = await start(signIn(1000));
    expect(await b.ask(MODEL, env(broker))).toMatchObject({ code: 0, stderr: "" });
    expect(sent()).toEqual(["Bearer access-1"]);
    expect(issuer.forms.map(({ refresh_token }) => refresh_token)).toEqual([REFRESH]);
    await writeFile(join(b.box.home, "bait"), BAIT);
    expect(await filesWith(BAIT)).toHaveLength(1);
    for (const secret of [REFRESH, "refresh-1", "access-1", broker.token]) expect(await filesWith(secret)).toEqual([]);
  });

  it("AU-04 boots, the broker stops, boots again; with another token it does not", async () => {
    const broker = await start({ type: "api_key", key: "key-of-the-team-0123" });
    expect((await b.ask(MODEL, env(broker))).code).toBe(0);
    await broker.close();
    expect(await b.ask(MODEL, env(broker))).toMatchObject({ code: 0, stderr: "" });
    expect(await b.ask(MODEL, env(broker, { LATHE_AUTH_BROKER_TOKEN: "another-token-0123" }))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("cannot be reached"),
    });
  });

  it("AU-04 the broker's new token: clients with the old one are refused at their next question", async () => {
    const broker = await start({ type: "api_key", key: "key-of-the-team-0123" });
    await broker.own.regenerate();
    expect(await b.ask(MODEL, env(broker))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("does not accept the token of LATHE_AUTH_BROKER_TOKEN"),
    });
  });

  it("AU-04 the token file of the home is enough, and a limit that one client meets is known to the others", async () => {
    const broker = await start({ type: "api_key", key: "key-of-the-team-0123" });
    await broker.vault.store.set("openai", { type: "api_key", key: "key-of-another-0123" }, "other");
    await b.write("auth-broker.token", `${broker.token}\n`);
    const { LATHE_AUTH_BROKER_TOKEN: _, ...named } = env(broker);
    b.server.push(turn.error(429, { message: "Slow down", retryAfter: 720 }), turn.text("fine"), turn.text("again"));
    expect(await b.ask(MODEL, named)).toMatchObject({ code: 0, stdout: "fine\n" });
    expect(await b.ask(MODEL, named)).toMatchObject({ code: 0, stdout: "again\n" });
    expect(sent()).toEqual(["Bearer key-of-the-team-0123", "Bearer key-of-another-0123", "Bearer key-of-another-0123"]);
  });

  it("AU-04 G-50 `lathe auth-broker serve` and its client in processes of their own; RPC and the terminal behind it", async () => {
    const host = await sandbox();
    const row = { clientId: "lathe", tokenUrl: `${issuer.url}/token`, deviceUrl: `${issuer.url}/device` };
    const { broker: vault, home } = homePaths(host.env, host.home);
    await mkdir(vault, { recursive: true, mode: 0o700 });
    await writeFile(join(home, "oauth.yml"), JSON.stringify({ openai: row }));
    await new Vault(vault).store.set("openai", signIn(1000));
    const served = host.start(["auth-broker", "serve", "--bind", "127.0.0.1:0"]);
    try {
      const url = await addressIn(served);
      const token = (await host.run(["auth-broker", "token"])).stdout.trim();
      const named = { ...env({ broker: { url }, token }), LATHE_NO_TITLE: "1" };
      const printed = await b.box.runBuilt([...MODEL, "-p", "hi"], { env: named });
      expect(printed).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
      const rpc = new RpcHost(b.box.open(["--mode", "rpc", ...MODEL], named));
      await rpc.wait("ready", ({ type }) => type === "ready");
      await rpc.prompt("hi");
      expect(await rpc.finish()).toBe(0);
      const run = new TerminalRun(b.box, MODEL, { inside: true, columns: 120, env: named });
      await run.see("/help");
      run.type(`hello${KEY.enter}`);
      await run.see(/ok\n/);
      run.type(`/login openai${KEY.enter}`);
      await run.see("lathe auth-broker login openai");
      await run.close();
      expect(new Set(sent())).toEqual(new Set(["Bearer access-1"]));
      for (const secret of [REFRESH, "refresh-1"]) expect(await filesWith(secret)).toEqual([]);
    } finally {
      served.kill("SIGTERM");
      if (served.exitCode === null) await once(served, "close");
      await host.remove();
    }
  });

  it("G-50 AU-05 the gateway is a client of the broker: its own clients are answered with the broker's renewed token", async () => {
    const broker = await start(signIn(1000));
    const child = b.box.start(["auth-gateway", "serve", "--bind", "127.0.0.1:0"], env(broker));
    const url = await addressIn(child);
    const token = (await readFile(join(b.box.home, ".lathe/auth-gateway.token"), "utf8")).trim();
    const asking = { method: "POST", headers: { ...bearer(token), "content-type": "application/json" } };
    const body = JSON.stringify({ model: "openai/gpt-5.2", messages: [{ role: "user", content: "hi" }] });
    const answered = await ask(url, "/v1/chat/completions", { ...asking, body });
    expect(answered.status).toBe(200);
    expect(sent()).toEqual(["Bearer access-1"]);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(child.exitCode).toBe(0);
  });

  inLongRuns(
    "M2 AU-04 G-50 no refresh token, though the same search finds the token that it uses, and a bait (needs gcore, gdb)",
    async () => {
      const broker = await start(signIn(1000));
      const held = gate();
      b.server.push(turn.text("Hello.", { beforeEvent: held.wait }));
      // Without it, the addresses that V8 keeps free for WebAssembly are written out, too: 10 GB of nothing.
      const options = { NODE_OPTIONS: "--disable-wasm-trap-handler" };
      const child = b.box.start(["--no-session", ...MODEL, "-p", BAIT], { ...env(broker), ...options });
      child.stdin.end();
      await held.reached;
      const core = join(b.box.home, "core");
      execFileSync("gcore", ["-o", core, String(child.pid)], { stdio: "ignore" });
      // The second refresh token belongs to the renewal that this client requested.
      const texts = ["access-1", BAIT, REFRESH, "refresh-1"];
      expect(await foundIn(`${core}.${child.pid}`, texts)).toEqual(["access-1", BAIT]);
      held.open();
      child.stdout.resume();
      await once(child, "close");
      expect(child.exitCode).toBe(0);
    },
    120_000,
  );
});
