// OpenAI's Responses for its clients.

import { openaiError } from "../common/openai-errors.ts";
import { decodeBody } from "../common/read.ts";
import { SSE_COMMENT } from "../common/write.ts";
import type { ServedFormat } from "../types.ts";
import { ResponsesAnswer } from "./answer.ts";
import { readResponses } from "./request.ts";

export const servedResponses: ServedFormat = {
  name: "responses",
  path: "/v1/responses",
  requestIdHeader: "x-request-id",
  ping: SSE_COMMENT,
  decode: (body) => decodeBody(body, readResponses),
  encoder: (context) => new ResponsesAnswer(context),
  error: openaiError,
};
