// HTTP requests to servers with a size limit per answer, because an answer is collected in memory before it is parsed.

import type { FetchLike } from "@modelcontextprotocol/client";
import { MOST_MESSAGE_BYTES } from "./limits.ts";

export const limitedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (!response.body || response.status !== 200) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit(isStream)), { status, statusText, headers });
};

/** A stream of events may go on forever, but none of its lines may. */
function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      bytes = lineEnd === -1 ? bytes + chunk.length : chunk.length - lineEnd;
      if (bytes > MOST_MESSAGE_BYTES) controller.error(new Error("the server's answer is too long"));
      else controller.enqueue(chunk);
    },
  });
}
