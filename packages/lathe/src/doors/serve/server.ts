// A running server: request checks, routes and socket in front of sessions. `lathe serve` passes sessions in children,
// `/serve` the one of this process.

import type { ClientDeps } from "@lathe/llm";
import { Attempts } from "../http/attempts.ts";
import { type RunningServer, serverAt, withOriginCheck } from "../http/guarded.ts";
import { certificateOf, checkReach, LIMITS, type Limits, listen, portOf, type Tls } from "../http/listen.ts";
import type { OwnNames } from "../http/origin.ts";
import { SignIn } from "./guard/sign-in.ts";
import type { TokenFile } from "./guard/token-file.ts";
import { appOf } from "./http/app.ts";
import { type PageFile, readPageFiles } from "./page-files.ts";
import type { ServedSessions } from "./sessions/served-sessions.ts";

export interface ServerOptions {
  readonly version: string;
  readonly host: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly tokens: TokenFile;
  readonly sessions: ServedSessions;
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  readonly limits?: Partial<Limits> | undefined;
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
  const listener = withOriginCheck(app, own);
  const limits = { ...LIMITS, ...options.limits };
  const server = await listen(listener, { host, port, tls, limits });
  port = portOf(server);
  return serverAt(server, own, port);
}
