// URLs of the generateContent operations: the public API and Vertex.

import type { Endpoint } from "../../types/protocol.ts";

const verbs = { complete: ":generateContent", stream: ":streamGenerateContent?alt=sse", count_tokens: ":countTokens" };

/** The base has no version; if it ends in one anyway, it is not doubled. */
export const geminiEndpoint: Endpoint = ({ operation, wireModel, baseUrl }) => {
  const base = baseUrl.replace(/\/+$/, "");
  const versioned = /\/v1(beta|alpha)?$/.test(base) ? base : `${base}/v1beta`;
  return `${versioned}/${modelPath(wireModel)}${verbs[operation]}`;
};

/** The base URL of a Vertex location; the host for `global` has no prefix. */
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

export function modelPath(model: string): string {
  return model.includes("/") ? model : `models/${model}`;
}
