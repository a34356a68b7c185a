// Our own events for our own clients.

import { decodeBody } from "../common/read.ts";
import { SSE_COMMENT } from "../common/write.ts";
import type { ServedFormat } from "../types.ts";
import { StreamAnswer } from "./answer.ts";
import { streamError } from "./errors.ts";
import { readStream } from "./request.ts";

export const servedStream: ServedFormat = {
  name: "stream",
  path: "/v1/lathe/stream",
  requestIdHeader: "x-request-id",
  ping: SSE_COMMENT,
  decode: (body) => decodeBody(body, readStream),
  encoder: () => new StreamAnswer(),
  error: streamError,
};
