// Answers as bytes without an HTTP exchange: for benchmarks (rendered once per turn object, so that they measure the
// client and not this server) and for property tests.

import type { Dialect } from "./dialect.ts";
import { dialects } from "./dialects/index.ts";
import { contentTypes, frames } from "./framing.ts";
import { RecordedRequest } from "./record.ts";
import { resolveTurn } from "./resolve.ts";
import type { DialectName, Route } from "./routes.ts";
import type { ModelTurn } from "./turn.ts";

export interface Rendered {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const rendered = new WeakMap<ModelTurn, Map<string, Rendered>>();

/** A request without a parsed body counts as streaming unless its path says otherwise. */
export function prerender(turn: ModelTurn, dialect: Dialect, request: RecordedRequest): Rendered {
  const key = `${dialect.name} ${request.route?.stream ?? true} ${request.query["alt"] ?? ""}`;
  const known = rendered.get(turn) ?? new Map<string, Rendered>();
  rendered.set(turn, known);
  const there = known.get(key);
  if (there) return there;
  const fresh = render(turn, dialect, request);
  known.set(key, fresh);
  return fresh;
}

/** The bytes of a streamed answer without a server, for property tests that split them. */
export function renderStream(turn: ModelTurn, dialect: DialectName): Buffer {
  return render(turn, dialects[dialect], offlineRequest(dialect, true)).bytes;
}

/** The parsed body of a complete answer, without a server. */
export function renderComplete(turn: ModelTurn, dialect: DialectName): unknown {
  return JSON.parse(render(turn, dialects[dialect], offlineRequest(dialect, false)).bytes.toString("utf8"));
}

function offlineRequest(dialect: DialectName, stream: boolean): RecordedRequest {
  const rawBody = Buffer.from(JSON.stringify({ stream_options: { include_usage: true } }));
  const query = { alt: "sse" };
  const route: Route = { dialect, operation: "generate", stream };
  return new RecordedRequest({ index: 0, method: "POST", path: "/", query, headers: {}, rawBody, arrivedAt: 0, route });
}

function render(turn: ModelTurn, dialect: Dialect, request: RecordedRequest): Rendered {
  const model = request.route?.model ?? dialect.defaultModel;
  const resolved = resolveTurn(turn, { serial: 1, dialect: dialect.name, model, requestBytes: 4000 });
  if (request.route?.stream === false) {
    const bytes = Buffer.from(JSON.stringify(dialect.complete(resolved, request)));
    return { contentType: "application/json", bytes };
  }
  const framing = dialect.framing(request);
  const parts = dialect.stream(resolved, request);
  const bytes = Buffer.concat(frames(turn.edit?.(parts) ?? parts, framing, turn.crlf ?? false));
  return { contentType: contentTypes[framing], bytes };
}
