// A broker with a scripted issuer and a clock that the test advances.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrokerChoices, startTestBroker, type TestBroker } from "./broker-kit.ts";

export const HOUR = 3_600_000;

/** The issuer's answer; without a status it closes the connection. */
export interface Reply {
  readonly status?: number;
  readonly body: string;
}

type Answer = (form: Record<string, string>) => Reply | Promise<Reply>;

interface StubIssuer {
  readonly server: Server;
  readonly url: string;
  readonly forms: Record<string, string>[];
  answer: Answer;
}

export interface BrokerBench {
  readonly issuer: StubIssuer;
  clock: number;
  start(choices?: BrokerChoices): Promise<TestBroker>;
  /** Advances the clock and runs due timers: the sweep each minute, the vault check each second. */
  pass(ms: number): void;
  /** Timers use a clock of their own, not the one that was set. */
  restartTimers(): void;
  token(provider: string, expires?: number): NonNullable<BrokerChoices["stored"]>[number];
  close(): void;
}

export async function brokerBench(): Promise<BrokerBench> {
  const issuer = await startStub();
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const bench: BrokerBench = {
    issuer,
    clock: Date.UTC(2026, 0, 1),
    start: (choices = {}) => {
      const row = { clientId: "lathe", tokenUrl: `${issuer.url}/token`, authorizeUrl: `${issuer.url}/authorize` };
      const setTimer = (callback: () => void, ms: number) => {
        const timer = { at: bench.clock + ms, callback };
        timers.push(timer);
        const cancel = (): void => {
          timers = timers.filter((one) => one !== timer);
        };
        return { cancel };
      };
      return startTestBroker({
        issuers: { acme: row, beta: row },
        machine: (machine) => ({ ...machine, deps: { ...machine.deps, now: () => bench.clock, setTimer } }),
        ...choices,
      });
    },
    pass: (ms) => {
      const end = bench.clock + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        bench.clock = Math.max(bench.clock, next.at);
        next.callback();
      }
      bench.clock = end;
    },
    restartTimers: () => {
      timers = timers.map((timer) => ({ ...timer, at: bench.clock }));
    },
    token: (provider, expires = bench.clock + HOUR) => ({
      provider,
      credential: {
        type: "oauth",
        access: `access-of-${provider}`,
        refresh: `refresh-of-${provider}`,
        expires,
        account: `me@${provider}`,
      },
    }),
    close: () => {
      issuer.server.close();
      issuer.server.closeAllConnections();
    },
  };
  return bench;
}

async function startStub(): Promise<StubIssuer> {
  const forms: Record<string, string>[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const form = Object.fromEntries(new URLSearchParams(body));
    forms.push(form);
    const reply = await stub.answer(form);
    if (reply.status === undefined) return void incoming.socket.destroy();
    outgoing.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stub: StubIssuer = { server, forms, url, answer: rotatingIssuer() };
  return stub;
}

/** An issuer that replaces each refresh token. */
export function rotatingIssuer(): Answer {
  let issued = 0;
  return () => {
    issued++;
    const body = { access_token: `access-${issued}`, refresh_token: `next-${issued}`, expires_in: 3600 };
    return { status: 200, body: JSON.stringify(body) };
  };
}

export const refusingIssuer =
  (status: number, body: object | string): Answer =>
  () => ({ status, body: typeof body === "string" ? body : JSON.stringify(body) });

/** The state as `GET /v1/status` reports it. */
export async function stateOf(test: TestBroker, provider: string) {
  const { credentials } = JSON.parse((await test.ask("/v1/status")).text) as {
    credentials: { provider: string; state: string; cause?: string }[];
  };
  return credentials.find((one) => one.provider === provider);
}
