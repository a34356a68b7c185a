// A broker inside the test, an issuer on loopback, and a reader of the broker's stream.

import { mkdir, writeFile } from "node:fs/promises";
import { type ClientRequest, request } from "node:http";
import { PassThrough } from "node:stream";
import { Checker } from "@lathe/llm/schema";
import { stringify } from "yaml";
import { type StreamEvent, streamEvent } from "../../src/config/credentials/broker/wire.ts";
import type { StoredCredential } from "../../src/config/credentials/store.ts";
import { openBroker } from "../../src/doors/broker/open-broker.ts";
import { Vault } from "../../src/doors/broker/vault/vault.ts";
import type { RunningServer } from "../../src/doors/http/guarded.ts";
import type { Limits } from "../../src/doors/http/listen.ts";
import { OwnToken } from "../../src/doors/http/own-token.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import type { Machine } from "../../src/platform/machine/machine.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { machineOf, Text } from "../machine.ts";
import { type Answered, type Asking, ask, bearer } from "../serve/serve-kit.ts";

export interface BrokerChoices {
  readonly box?: Sandbox;
  /** The content of `oauth.yml`. */
  readonly issuers?: object;
  /** Credentials stored before the broker starts. */
  readonly stored?: readonly {
    readonly provider: string;
    readonly name?: string;
    readonly credential: StoredCredential;
  }[];
  readonly machine?: (machine: Machine) => Machine;
  readonly limits?: Partial<Limits>;
}

export interface TestBroker {
  readonly box: Sandbox;
  readonly broker: RunningServer;
  readonly vault: Vault;
  readonly own: OwnToken;
  readonly token: string;
  /** Everything the operator can read. */
  readonly log: () => string;
  /** Sends a request with the broker's token. */
  ask(path: string, asking?: Asking): Promise<Answered>;
  post(path: string, body?: unknown): Promise<Answered>;
  follow(token?: string): Follower;
  idOf(provider: string): Promise<string>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startTestBroker(choices: BrokerChoices = {}): Promise<TestBroker> {
  const box = choices.box ?? (await sandbox());
  const paths = homePaths(box.env, box.home);
  await mkdir(paths.home, { recursive: true, mode: 0o700 });
  if (choices.issuers) await writeFile(`${paths.home}/oauth.yml`, stringify(choices.issuers));
  const vault = new Vault(paths.broker);
  for (const { provider, credential, name } of choices.stored ?? []) await vault.store.set(provider, credential, name);
  const stderr = new Text();
  const plain = machineOf({ cwd: box.dir, env: box.env }, new PassThrough(), new Text(), stderr);
  const own = new OwnToken(paths.brokerToken);
  const token = await own.token();
  let lines = "";
  const broker = await openBroker({
    machine: choices.machine?.(plain) ?? plain,
    version: "0",
    host: "127.0.0.1",
    port: 0,
    own,
    limits: choices.limits,
    log: (line) => {
      lines += line;
    },
    warn: (message) => void stderr.write(`${message}\n`),
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await broker.close();
    if (choices.box === undefined) await box.remove();
  };
  const send: TestBroker["ask"] = (path, { headers, ...rest } = {}) =>
    ask(broker.url, path, { ...rest, headers: { ...bearer(token), ...headers } });
  return {
    ...{ box, broker, vault, own, token, close },
    log: () => lines + stderr.text,
    ask: send,
    post: (path, body) => send(path, { method: "POST", ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
    follow: (as = token) => new Follower(broker.url, as),
    idOf: async (provider) => (await vault.store.accounts(provider))[0]?.id ?? "",
    [Symbol.asyncDispose]: close,
  };
}

const CHECKER = new Checker(streamEvent);

/** Reads the stream as a client does; each event must be valid. */
export class Follower {
  readonly #request: ClientRequest;
  readonly #events: StreamEvent[] = [];
  #wake = (): void => {};
  #read = 0;
  /** Everything received. */
  text = "";
  /** Resolves when the broker has ended the stream. */
  readonly ended: Promise<void>;

  constructor(url: string, token: string) {
    const { hostname, port } = new URL(url);
    const options = { hostname, port, path: "/v1/snapshot/stream", headers: bearer(token), agent: false };
    let over = (): void => {};
    this.ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    this.#request = request(options, (response) => {
      response.setEncoding("utf8").on("data", (piece: string) => this.#take(piece));
      response.on("close", over);
    });
    this.#request.on("error", over);
    this.#request.end();
  }

  /** The next event, or the next of this kind. */
  async next<K extends StreamEvent["kind"]>(kind?: K): Promise<Extract<StreamEvent, { kind: K }>> {
    for (;;) {
      while (this.#read < this.#events.length) {
        const event = this.#events[this.#read++]!;
        if (kind === undefined || event.kind === kind) return event as Extract<StreamEvent, { kind: K }>;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  leave(): void {
    this.#request.destroy();
  }

  #take(piece: string): void {
    this.text += piece;
    const whole = this.text.slice(0, this.text.lastIndexOf("\n\n") + 2);
    const events = whole.split("\n\n").filter((event) => event.startsWith("event: "));
    for (const text of events.slice(this.#events.length)) {
      const [name, data, ...more] = text.split("\n");
      const value: unknown = JSON.parse(data?.slice("data: ".length) ?? "");
      const wrong = CHECKER.wrongIn(value);
      if (wrong !== undefined || more.length > 0) throw new Error(`not of the wire: ${wrong ?? text}`);
      if (name !== `event: ${(value as StreamEvent).kind}`) throw new Error(`the name does not fit: ${name}`);
      this.#events.push(value as StreamEvent);
    }
    this.#wake();
  }
}
