// The onion around the adapters (CL-04). A middleware without a hook for a mode is transparent there; an empty list
// costs nothing.

import type { StreamEvent } from "../types/events.ts";
import type { Request } from "../types/request.ts";
import type { Response } from "../types/response.ts";

/** Wraps every call of a client: may change the request, the answer and the events. */
export interface ClientMiddleware {
  complete?(request: Request, next: (request: Request) => Promise<Response>): Promise<Response>;
  stream?(request: Request, next: (request: Request) => AsyncIterable<StreamEvent>): AsyncIterable<StreamEvent>;
}

export function throughComplete(
  chain: readonly ClientMiddleware[],
  request: Request,
  last: (request: Request) => Promise<Response>,
): Promise<Response> {
  const enter = (index: number, current: Request): Promise<Response> => {
    const middleware = chain[index];
    if (middleware === undefined) return last(current);
    const next = (changed: Request) => enter(index + 1, changed);
    return middleware.complete === undefined ? next(current) : middleware.complete(current, next);
  };
  return enter(0, request);
}

export function throughStream(
  chain: readonly ClientMiddleware[],
  request: Request,
  last: (request: Request) => AsyncIterable<StreamEvent>,
): AsyncIterable<StreamEvent> {
  const enter = (index: number, current: Request): AsyncIterable<StreamEvent> => {
    const middleware = chain[index];
    if (middleware === undefined) return last(current);
    const next = (changed: Request) => enter(index + 1, changed);
    return middleware.stream === undefined ? next(current) : middleware.stream(current, next);
  };
  return enter(0, request);
}
