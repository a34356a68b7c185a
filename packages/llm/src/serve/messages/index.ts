// Anthropic's Messages for its clients.

import { decodeBody } from "../common/read.ts";
import { sse } from "../common/write.ts";
import type { ServedFormat } from "../types.ts";
import { MessagesAnswer } from "./answer.ts";
import { messagesError } from "./errors.ts";
import { readMessagesBody } from "./request.ts";

export const servedMessages: ServedFormat = {
  name: "messages",
  path: "/v1/messages",
  requestIdHeader: "request-id",
  ping: sse('{"type":"ping"}', "ping"),
  decode: (body) => decodeBody(body, readMessagesBody),
  encoder: (context) => new MessagesAnswer(context),
  error: messagesError,
};
