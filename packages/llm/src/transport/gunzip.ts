// Decompresses bodies.

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** The answer's content, however it was sent. */
export function decompress(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers["content-encoding"]?.toLowerCase();
  if (encoding !== "gzip" && encoding !== "x-gzip") return incoming;
  // Not by `import`, because most answers do not need it.
  const readable = process.getBuiltinModule("node:zlib").createGunzip();
  incoming.on("error", (error) => readable.destroy(error));
  readable.once("close", () => incoming.destroy());
  return incoming.pipe(readable);
}
