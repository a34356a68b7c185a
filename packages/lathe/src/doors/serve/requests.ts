// Requests of a server's clients: only `fetch` and streams, nothing of Node. Refusals become one kind of error, and
// broken streams are reconnected.

/** A refusal of the server; `status` is 0 if it could not be reached. */
export class LatheServerError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "LatheServerError";
    this.status = status;
    this.code = code;
  }
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Long, because opening a session starts a process. */
export const ANSWERED_WITHIN_MS = 60_000;

/** Where requests go, and with which token. */
export interface Sender {
  readonly url: string;
  readonly token: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

export interface ToSend {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with any response, even a refusal. Rejects with LatheServerError if there is none. */
export async function send(
  { url, token, fetch }: Sender,
  method: "GET" | "POST",
  path: string,
  { body, headers, signal }: ToSend = {},
): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, {
      method,
      credentials: "same-origin",
      // The server never redirects, and the token must not follow a redirect.
      redirect: "error",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted !== true) throw new LatheServerError(0, "unreachable", "The server cannot be reached.");
    if ((signal.reason as { readonly name?: unknown }).name !== "TimeoutError") throw error;
    throw new LatheServerError(0, "unanswered", `The server has not answered within ${ANSWERED_WITHIN_MS / 1000} s.`);
  }
}

/** Returns the response, or throws if it is a refusal. */
export async function throwIfRefused(response: Response): Promise<Response> {
  if (response.ok) return response;
  const said: unknown = await response.json().catch(() => undefined);
  const { code, message } = (said ?? {}) as { code?: unknown; message?: unknown };
  throw new LatheServerError(
    response.status,
    typeof code === "string" ? code : "http_error",
    typeof message === "string" ? message : `The server answered with status ${response.status}.`,
  );
}

/** Undefined if the body is not JSON. */
export const jsonOf = async (response: Response): Promise<unknown> => parseJson(await response.text());

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller reports it
  }
}

export const sessionPath = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`;

export interface Connecting<T> {
  /** The items of one connection, which end or break with it. `isThere` reports that it is open. */
  readonly connect: (isThere: () => void) => AsyncIterable<T>;
  /** Whether this is the last item. */
  readonly isLast: (item: T) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** `false` when the connection is lost, `true` when it is back. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

/** Reconnects as needed. Ends with the last item or the signal; rejects if the server refuses. */
export async function* withReconnects<T>({
  connect,
  isLast,
  signal,
  onConnection,
}: Connecting<T>): AsyncGenerator<T, void> {
  const isOver = (): boolean => signal?.aborted === true;
  let waitMs = 0;
  while (!isOver()) {
    try {
      for await (const item of connect(() => onConnection?.(true))) {
        waitMs = 0;
        yield item;
        if (isLast(item)) return;
      }
    } catch (error) {
      if (isOver()) return;
      // A broken stream is not a LatheServerError, so it is reconnected.
      if (error instanceof LatheServerError && error.status !== 0 && error.status < 500) throw error;
    }
    if (isOver()) return;
    onConnection?.(false);
    waitMs = Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
    await pause(waitMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
