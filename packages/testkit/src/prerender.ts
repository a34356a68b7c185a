// Streams rendered once per turn object, so that a benchmark measures the client and not this server.

import type { Dialect } from "./dialect.ts";
import { contentTypes, frames } from "./framing.ts";
import type { RecordedRequest } from "./record.ts";
import { resolveTurn } from "./resolve.ts";
import type { ModelTurn } from "./turn.ts";

export interface Rendered {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const rendered = new WeakMap<ModelTurn, Map<string, Rendered>>();

/** Without a parsed body a request counts as streaming unless its path says otherwise. */
export function prerendered(turn: ModelTurn, dialect: Dialect, request: RecordedRequest): Rendered {
  const key = `${dialect.name} ${request.route?.stream ?? true} ${request.query["alt"] ?? ""}`;
  const known = rendered.get(turn) ?? new Map<string, Rendered>();
  rendered.set(turn, known);
  const there = known.get(key);
  if (there) return there;
  const fresh = render(turn, dialect, request);
  known.set(key, fresh);
  return fresh;
}

function render(turn: ModelTurn, dialect: Dialect, request: RecordedRequest): Rendered {
  const model = request.route?.model ?? dialect.defaultModel;
  const resolved = resolveTurn(turn, { serial: 1, dialect: dialect.name, model, requestBytes: 4000 });
  if (request.route?.stream === false) {
    const bytes = Buffer.from(JSON.stringify(dialect.complete(resolved, request)));
    return { contentType: "application/json", bytes };
  }
  const framing = dialect.framing(request);
  const bytes = Buffer.concat(frames(dialect.stream(resolved, request), framing, turn.crlf ?? false));
  return { contentType: contentTypes[framing], bytes };
}
