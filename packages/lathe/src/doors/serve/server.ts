// A running server: the guard, the addresses and the socket around sessions. `lathe serve` gives it sessions in children, `/serve` the
// one of this process.

import type { RequestListener, Server } from "node:http";
import type { ClientDeps } from "@lathe/llm";
import { Attempts } from "./guard/attempts.ts";
import { checkOrigin, type OwnNames } from "./guard/origin.ts";
import { SignIn } from "./guard/sign-in.ts";
import type { TokenFile } from "./guard/token-file.ts";
import { appOf } from "./http/app.ts";
import { type Answer, refuse } from "./http/call.ts";
import { certificateOf, checkReach, LIMITS, type Limits, listen, portOf, type Tls } from "./http/listen.ts";
import { type PageFile, readPageFiles } from "./page-files.ts";
import type { ServedSessions } from "./sessions/served-sessions.ts";

export interface ServerOptions {
  readonly version: string;
  readonly host: string;
  /** 0: the system chooses one. */
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly tokens: TokenFile;
  readonly sessions: ServedSessions;
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  readonly limits?: Partial<Limits> | undefined;
}

export interface RunningServer {
  readonly url: string;
  /** Stops listening and ends every stream; sessions are the caller's. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { version, host, tls, tokens, sessions, deps } = options;
  checkReach(host, tls);
  const own: OwnNames = { scheme: tls ? "https" : "http", host, certificate: certificateOf(tls) };
  let port = options.port;
  const signIn = new SignIn({ tokens, attempts: new Attempts(deps.now), port: () => port, secure: tls !== undefined });
  let files: Promise<Readonly<Record<string, PageFile>>> | undefined;
  const page = (): Promise<Readonly<Record<string, PageFile>>> => {
    files ??= readPageFiles();
    return files;
  };
  const app = appOf({ version, signIn, sessions, page, setTimer: deps.setTimer });
  const listener = guarded(app, own);
  const limits = { ...LIMITS, ...options.limits };
  const server = await listen(listener, { host, port, tls, limits });
  port = portOf(server);
  return serverAt(server, own, port);
}

export function serverAt(server: Server, { scheme, host }: OwnNames, port: number): RunningServer {
  return {
    url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What is not meant for this server gets no further than here. */
export function guarded(answer: Answer, own: OwnNames): RequestListener {
  return (incoming, outgoing) => {
    try {
      checkOrigin(incoming, own);
    } catch (error) {
      outgoing.setHeader("connection", "close");
      refuse(incoming, outgoing, error);
      return;
    }
    void answer(incoming, outgoing);
  };
}
