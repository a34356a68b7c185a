// Requests of the clients of a server: `fetch` and streams only, nothing of Node. What the server refuses is one kind of error, and a
// stream that breaks is connected again.

/** What the server refused; `status` 0: it could not be reached. */
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
/** Opening a session starts a process. */
export const ANSWERED_WITHIN_MS = 60_000;

/** Where requests go, and who sends them. */
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

/** Any answer, also a refusal. Rejects with LatheServerError where there is none. */
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
      // The server sends nobody elsewhere; what was meant for it must not follow.
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

/** The answer, unless it is a refusal. */
export async function notRefused(response: Response): Promise<Response> {
  if (response.ok) return response;
  const said: unknown = await response.json().catch(() => undefined);
  const { code, message } = (said ?? {}) as { code?: unknown; message?: unknown };
  throw new LatheServerError(
    response.status,
    typeof code === "string" ? code : "http_error",
    typeof message === "string" ? message : `The server answered with status ${response.status}.`,
  );
}

/** Undefined for what is no JSON. */
export const jsonOf = async (response: Response): Promise<unknown> => parseJson(await response.text());

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller says so
  }
}

export const sessionPath = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`;

export interface Connecting<T> {
  /** What comes over one connection; it ends or breaks with it. `isThere` tells that there is one. */
  readonly connect: (isThere: () => void) => AsyncIterable<T>;
  /** Nothing comes after this one. */
  readonly isLast: (item: T) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** `false` when the connection is lost, `true` when there is one again. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

/** Over as many connections as it takes. Ends with the last item or the signal; rejects when the server refuses. */
export async function* reconnecting<T>({
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
      // Whatever breaks an open stream is no LatheServerError: it is connected again.
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
