// A broker that only speaks the protocol, with answers chosen by a test: clients must survive answers that a real
// broker never gives.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  BrokerCredential,
  DisabledCredential,
  Snapshot,
  StreamEvent,
  UsageReply,
} from "../../src/config/credentials/broker/wire.ts";

export const BROKER_TOKEN = "broker-token-0123456789abcdef";

export interface StubBroker {
  readonly url: string;
  /** Refresh requests and opened streams, in order. */
  readonly asked: readonly string[];
  /** Bodies of POST requests. */
  readonly posted: readonly unknown[];
  token: string;
  snapshot: Snapshot;
  /** The answer to a refresh request. */
  refresh: (id: string) => BrokerCredential | DisabledCredential | undefined;
  usage: () => Promise<UsageReply | undefined>;
  /** Returns true to answer instead of the stub. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Sends an event to every open stream. */
  send(event: StreamEvent): void;
  /** Resolves when this many streams have been opened. */
  streams(count: number): Promise<void>;
  breakStreams(): void;
  readonly openStreams: number;
  close(): Promise<void>;
}

export const key = (name: string, value: string, provider = "openai"): BrokerCredential => ({
  provider,
  id: `id-${name}`,
  name,
  isRenewable: false,
  credential: { type: "api_key", key: value },
});

export const token = (name: string, access: string, expires: number, provider = "openai"): BrokerCredential => ({
  provider,
  id: `id-${name}`,
  name,
  identity: "ann@example.com",
  isRenewable: true,
  credential: { type: "oauth", access, refresh: "held-by-broker", expires },
});

export async function stubBroker(...credentials: BrokerCredential[]): Promise<StubBroker> {
  const asked: string[] = [];
  const posted: unknown[] = [];
  const open = new Set<ServerResponse>();
  let opened = 0;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (stub.instead(request, response)) return;
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (request.headers.authorization !== `Bearer ${stub.token}`)
      return json(401, { error: { code: "wrong_token", message: "The token is wrong." } });
    let body = "";
    for await (const chunk of request) body += chunk;
    if (body !== "") posted.push(JSON.parse(body));
    const [, id = "", verb = ""] = /^\/v1\/credential\/([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    if (request.url === "/v1/snapshot") return json(200, stub.snapshot);
    if (request.url === "/v1/usage") {
      const reply = await stub.usage();
      return reply ? json(200, reply) : json(500, { error: { code: "failed", message: "no usage" } });
    }
    if (verb === "refresh") {
      const become = stub.refresh(id);
      return become
        ? json(200, become)
        : json(404, { error: { code: "unknown_credential", message: "There is none." } });
    }
    if (verb === "disable") {
      const { provider, name, credential } = stub.snapshot.credentials.find((one) => one.id === id)!;
      const { cause } = JSON.parse(body) as { cause: string };
      return json(200, { provider, id, name, type: credential.type, cause, at: 1 });
    }
    if (verb === "report") return json(200, {});
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(eventText({ kind: "snapshot", snapshot: stub.snapshot }));
    open.add(response);
    response.once("close", () => open.delete(response));
    opened += 1;
    for (const { count, resolve } of waiting) if (opened >= count) resolve();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stub: StubBroker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    posted,
    token: BROKER_TOKEN,
    snapshot: { generatedAt: Date.now(), generation: 1, credentials, disabled: [] },
    refresh: () => undefined,
    usage: async () => ({ generatedAt: Date.now(), accounts: [] }),
    instead: () => false,
    send: (event) => {
      for (const response of open) response.write(eventText(event));
    },
    streams: (count) =>
      opened >= count ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push({ count, resolve })),
    breakStreams: () => {
      for (const response of open) response.destroy();
    },
    get openStreams() {
      return open.size;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
  return stub;
}

const eventText = (event: StreamEvent): string => `: alive\n\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
