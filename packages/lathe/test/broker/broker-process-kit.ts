// The built broker as a process, in front of an issuer whose refresh tokens work once.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Vault } from "../../src/doors/broker/vault/vault.ts";
import { CLI, type Sandbox, sandbox } from "../command.ts";
import { type Answered, ask, bearer } from "../serve/serve-kit.ts";

/** An issuer whose refresh tokens work once. */
export interface RotatingIssuer {
  readonly url: string;
  /** Refresh tokens received, in order. */
  readonly shown: string[];
  /** The token that works now. */
  valid: string;
  /** Lifetime of tokens in seconds. */
  lifetime: number;
  /** Awaited before the answer is decided, and after. */
  before: () => Promise<void>;
  after: () => Promise<void>;
  close(): void;
}

/** A running broker. */
export interface BrokerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  kill(): Promise<void>;
}

/** A home with a vault for `acme`, and its issuer. */
export interface BrokerProcessKit {
  readonly box: Sandbox;
  readonly issuer: RotatingIssuer;
  readonly vault: Vault;
  /** Processes to kill at the end. */
  readonly children: ChildProcess[];
  /** Starts a broker without waiting for it. */
  spawn(env?: Record<string, string>): ChildProcess;
  start(env?: Record<string, string>): Promise<BrokerProcess>;
  /**
   * Kills it with SIGKILL. Its locks then count as old enough for the next broker, except in a long run, which really
   * waits.
   */
  kill(child: ChildProcess): Promise<void>;
  store(refresh: string, expires: number): Promise<unknown>;
  /** The state of the only credential, as the command reports it. */
  status(): Promise<{ state: string; cause?: string }>;
  renew(broker: BrokerProcess): Promise<Answered>;
  close(): Promise<void>;
}

export async function brokerProcessKit(): Promise<BrokerProcessKit> {
  const box = await sandbox();
  const issuer = await startRotatingIssuer();
  mkdirSync(join(box.home, ".lathe/broker"), { recursive: true, mode: 0o700 });
  const way = `clientId: lathe\n  tokenUrl: ${issuer.url}/token\n  authorizeUrl: ${issuer.url}/authorize`;
  writeFileSync(join(box.home, ".lathe/oauth.yml"), `acme:\n  ${way}\n`);
  const vault = new Vault(join(box.home, ".lathe/broker"));
  const children: ChildProcess[] = [];
  const kit: BrokerProcessKit = {
    ...{ box, issuer, vault, children },
    spawn: (env = {}) => {
      const argv = [CLI, "auth-broker", "serve", "--bind", "127.0.0.1:0"];
      const child = spawn(process.execPath, argv, { cwd: box.dir, env: { ...box.env, ...env } });
      children.push(child);
      return child;
    },
    start: async (env) => {
      const child = kit.spawn(env);
      let output = "";
      const url = await new Promise<string>((resolve, reject) => {
        const take = (piece: Buffer): void => {
          output += String(piece);
          const found = /^Broker at (\S+)\./m.exec(output)?.[1];
          if (found) resolve(found);
        };
        child.stdout?.on("data", take);
        child.stderr?.on("data", take);
        child.once("close", () => reject(new Error(`the broker ended: ${output}`)));
      });
      return { child, url, output: () => output, kill: () => kit.kill(child) };
    },
    kill: async (child) => {
      await killAndWait(child);
      if (process.env["LATHE_LONG"] === undefined) ageLocks(vault);
    },
    store: (refresh, expires) => vault.store.set("acme", { type: "oauth", access: "access-0", refresh, expires }),
    status: async () => {
      const { stdout } = await box.run(["auth-broker", "status", "--json"]);
      return (JSON.parse(stdout) as { credentials: { state: string; cause?: string }[] }).credentials[0]!;
    },
    renew: ({ url }) => {
      const token = readFileSync(join(box.home, ".lathe/auth-broker.token"), "utf8").trim();
      const { acme } = JSON.parse(readFileSync(vault.file, "utf8")) as { acme: { accounts: { id: string }[] } };
      return ask(url, `/v1/credential/${acme.accounts[0]?.id}/refresh`, { method: "POST", headers: bearer(token) });
    },
    close: async () => {
      for (const child of children.splice(0)) await killAndWait(child);
      issuer.close();
      await box.remove();
    },
  };
  return kit;
}

/** File locks are folders whose time tells whether a running process holds them. */
function ageLocks({ folder }: Vault): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name.endsWith(".lock")) utimesSync(join(folder, entry.name), 1, 1);
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

/** Each refresh token works once; the answer contains the next one. */
async function startRotatingIssuer(): Promise<RotatingIssuer> {
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const given = new URLSearchParams(body).get("refresh_token") ?? "";
    state.shown.push(given);
    await state.before();
    const isGood = given === state.valid;
    if (isGood) state.valid = `refresh-${state.shown.length + 1}`;
    await state.after();
    const answer = isGood
      ? { access_token: `access-${state.shown.length}`, refresh_token: state.valid, expires_in: state.lifetime }
      : { error: "invalid_grant" };
    outgoing.writeHead(isGood ? 200 : 400, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const state: RotatingIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown: [],
    valid: "refresh-1",
    lifetime: 3600,
    before: async () => {},
    after: async () => {},
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return state;
}
