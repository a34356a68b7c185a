// HTTP over node:http, with keep-alive. One call is one exchange: no redirects, no retries, no judgement of the status.

import type { ClientDeps, Transport } from "../types/adapter.ts";
import { AbortError } from "../types/errors.ts";
import { exchange } from "./exchange.ts";
import { createRoutes, type RouteOptions } from "./routes.ts";
import { withUserInfo } from "./user-info.ts";

export interface NodeTransportOptions extends RouteOptions {
  readonly setTimer: ClientDeps["setTimer"];
}

export function createNodeTransport(options: NodeTransportOptions): Transport {
  const { setTimer } = options;
  const routes = createRoutes(options);
  const transport: Transport = async (original) => {
    const request = withUserInfo(original);
    if (request.signal?.aborted) throw new AbortError("The request was aborted before it was sent.");
    const route = routes.to(request);
    if (request.once) return exchange(request, route, { setTimer });
    return exchange(request, route, {
      setTimer,
      resend: () => {
        // The server has most likely closed the other idle connections as well.
        route.connections.dropIdle();
        return exchange(request, route, { setTimer });
      },
    });
  };
  transport.prepare = (destination) => {
    const { connections, target, canPrepare } = routes.to(destination);
    if (canPrepare) connections.prepare(target);
  };
  transport.close = routes.close;
  return transport;
}
