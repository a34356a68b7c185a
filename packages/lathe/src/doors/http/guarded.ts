// A server that answers: the checks that every request has to pass, and how the server is named and closed.

import type { RequestListener, Server } from "node:http";
import { type Answer, type Refuse, refuse } from "./call.ts";
import { checkOrigin, type OwnNames } from "./origin.ts";

export interface RunningServer {
  readonly url: string;
  /** Stops listening and ends every stream; what it served is the caller's. */
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

/** What is not meant for this server gets no further than here. */
export function guarded(answer: Answer, own: OwnNames, say: Refuse = refuse): RequestListener {
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
