// Bodies that come compressed. Loaded with the first of them.

import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AbortError } from "../types/errors.ts";
import { readBody } from "./body.ts";

export function gunzip(incoming: Readable): Readable {
  const readable = createGunzip();
  incoming.on("error", (error) => readable.destroy(error));
  readable.once("close", () => incoming.destroy());
  return incoming.pipe(readable);
}

export function gunzipBody(
  body: AsyncIterable<Uint8Array>,
  origin: string,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const incoming = Readable.from(body, { objectMode: false });
  const readable = gunzip(incoming);
  let failure: Error | undefined;
  // The bytes may all be here while the reader still waits for what is in them.
  const onAbort = () => {
    failure = new AbortError("The request was aborted.");
    incoming.destroy();
    readable.destroy(failure);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const settle = () => signal?.removeEventListener("abort", onAbort);
  return readBody({ incoming, readable, origin, failure: () => failure, settle });
}
