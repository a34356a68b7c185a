// Gemini's generateContent as Protocols (public API and Vertex) and where their operations live.

import type { Endpoint, Protocol } from "../../types/protocol.ts";
import { GeminiDecoder } from "./decode.ts";
import type { GeminiFlavour } from "./encode.ts";
import { encodeGemini, modelPath } from "./encode.ts";

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

const verbs = { complete: ":generateContent", stream: ":streamGenerateContent?alt=sse", count_tokens: ":countTokens" };

/** The base carries no version; one that ends in it anyway is not doubled. */
export const geminiEndpoint: Endpoint = ({ operation, wireModel, baseUrl }) => {
  const base = baseUrl.replace(/\/+$/, "");
  const versioned = /\/v1(beta|alpha)?$/.test(base) ? base : `${base}/v1beta`;
  return `${versioned}/${modelPath(wireModel)}${verbs[operation]}`;
};

/** Base of a Vertex location; `global` has a host without prefix. */
export function vertexBaseUrl(location: string): string {
  return location === "global" ? "https://aiplatform.googleapis.com" : `https://${location}-aiplatform.googleapis.com`;
}

export function vertexEndpoint(place: { readonly project: string; readonly location: string }): Endpoint {
  return ({ operation, wireModel, baseUrl }) => {
    const base = baseUrl.replace(/\/+$/, "").replace(/\/v1(beta1)?$/, "");
    const model = wireModel.includes("/") ? wireModel : `publishers/google/models/${wireModel}`;
    return `${base}/v1/projects/${place.project}/locations/${place.location}/${model}${verbs[operation]}`;
  };
}
