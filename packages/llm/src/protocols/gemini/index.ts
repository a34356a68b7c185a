// Gemini's generateContent as Protocols: the public API and Vertex.

import type { Protocol } from "../../types/protocol.ts";
import { GeminiDecoder } from "./decode.ts";
import type { GeminiFlavour } from "./encode.ts";
import { encodeGemini } from "./encode.ts";

export const googleGenerativeAi = geminiProtocol("google-generative-ai", { wrapsCountedRequest: true });
export const googleVertex = geminiProtocol("google-vertex", { wrapsCountedRequest: false });

function geminiProtocol(name: string, flavour: GeminiFlavour): Protocol {
  return {
    name,
    framing: { kind: "sse" },
    toolChoiceModes: ["auto", "none", "required", "named"],
    media: { extraImageTypes: ["image/heic", "image/heif"] },
    encode: (input) => encodeGemini(input, flavour),
    decoder: (context) => new GeminiDecoder(context),
  };
}
