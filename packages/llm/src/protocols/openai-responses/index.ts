// OpenAI Responses as a Protocol; Azure uses the same with its own names for models.

import type { Protocol } from "../../types/protocol.ts";
import { ResponsesDecoder } from "./decode.ts";
import { encodeResponses } from "./encode.ts";

export const openaiResponses: Protocol = {
  name: "openai-responses",
  framing: { kind: "sse" },
  toolChoiceModes: ["auto", "none", "required", "named"],
  encode: encodeResponses,
  decoder: (context) => new ResponsesDecoder(context),
};

/** Azure reports deployments; answers keep the id that the caller used. */
export const azureResponses: Protocol = {
  ...openaiResponses,
  name: "azure-openai-responses",
  decoder: (context) => new ResponsesDecoder(context, context.model),
};
