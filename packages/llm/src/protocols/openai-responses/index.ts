// OpenAI Responses as a protocol value; Azure speaks the same with its own name for the model.

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

/** Azure reports deployments; answers keep the id the caller used. */
export const azureResponses: Protocol = {
  ...openaiResponses,
  name: "azure-openai-responses",
  decoder: (context) => new ResponsesDecoder(context, context.model),
};
