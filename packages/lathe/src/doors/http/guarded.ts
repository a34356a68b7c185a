// The checks that every request must pass, and a running server's address and shutdown.

import type { RequestListener, Server } from "node:http";
import { type Answer, type Refuse, refuse } from "./call.ts";
import { checkOrigin, type OwnNames } from "./origin.ts";

export interface RunningServer {
  readonly url: string;
  /** Stops listening and closes all connections; the caller cleans up what it served. */
  close(): Promise<void>;
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

/** Refuses requests that are not meant for this server. */
export function withOriginCheck(answer: Answer, own: OwnNames, say: Refuse = refuse): RequestListener {
  return (incoming, outgoing) => {
    try {
      checkOrigin(incoming, own);
    } catch (error) {
      outgoing.setHeader("connection", "close");
      say(incoming, outgoing, error);
      return;
    }
    void answer(incoming, outgoing);
  };
}
