// OpenAI's Chat Completions for its clients.

import { openaiError } from "../common/openai-errors.ts";
import { decodeBody } from "../common/read.ts";
import { SSE_COMMENT } from "../common/write.ts";
import type { ServedFormat } from "../types.ts";
import { ChatAnswer } from "./answer.ts";
import { readChat } from "./request.ts";

export const servedChat: ServedFormat = {
  name: "chat",
  path: "/v1/chat/completions",
  requestIdHeader: "x-request-id",
  ping: SSE_COMMENT,
  decode: (body) => decodeBody(body, readChat),
  encoder: (context) => new ChatAnswer(context),
  error: openaiError,
};
