// What the server keeps of every request: the raw bytes and what it parsed from them.

import type { IncomingHttpHeaders } from "node:http";
import type { DialectName, Route } from "./routes.ts";
import { type RequestView, viewOf } from "./view.ts";

export class RecordedRequest {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** Milliseconds since the epoch. */
  readonly arrivedAt: number;
  readonly route: Route | undefined;
  /** The client disconnected before the answer was complete. */
  closedEarly = false;
  /** The script ended the connection early. */
  cutByServer = false;
  /** The refusal's message if the strict server did not accept the request. */
  refused: string | undefined;
  /** Resolves when the exchange is over, however it ended. */
  readonly finished: Promise<void>;
  #finish: () => void = () => {};
  #body: { value: unknown } | undefined;

  constructor(fields: RecordedRequestFields) {
    this.index = fields.index;
    this.method = fields.method;
    this.path = fields.path;
    this.query = fields.query;
    this.headers = fields.headers;
    this.rawBody = fields.rawBody;
    this.arrivedAt = fields.arrivedAt;
    this.route = fields.route;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** The parsed body; undefined if it is not JSON. Parsed once, on first use. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into vendor bodies, and a cast per step would hide the assertion
  get body(): any {
    this.#body ??= { value: parse(this.rawBody) };
    return this.#body.value;
  }

  get text(): string {
    return this.rawBody.toString("utf8");
  }

  /** The conversation in a vendor-neutral form. */
  get view(): RequestView {
    return viewOf(this.dialect, this.body);
  }

  /** Text of the result of a call, wherever it is in the conversation. */
  result(callId: string): string | undefined {
    return this.view.messages.flatMap((message) => message.results).find((result) => result.id === callId)?.text;
  }

  get dialect(): DialectName | undefined {
    return this.route?.dialect;
  }

  get model(): string | undefined {
    return this.route?.model ?? (typeof this.body?.model === "string" ? this.body.model : undefined);
  }

  get stream(): boolean {
    const requested: unknown = this.route?.stream ?? this.body?.stream;
    return typeof requested === "boolean" ? requested : this.dialect === "ollama";
  }

  settle(complete: boolean): void {
    this.closedEarly = !complete && !this.cutByServer;
    this.#finish();
  }
}

export interface RecordedRequestFields {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  readonly arrivedAt: number;
  readonly route: Route | undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
