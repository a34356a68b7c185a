// Bedrock Converse as a Protocol, and where its operations live.

import type { ClientDeps } from "../../types/adapter.ts";
import type { Endpoint, Protocol } from "../../types/protocol.ts";
import { BedrockDecoder } from "./decode.ts";
import { encodeBedrock } from "./encode.ts";

export const bedrockConverse: Protocol = {
  name: "bedrock-converse-stream",
  framing: { kind: "aws-event-stream" },
  toolChoiceModes: ["auto", "none", "required", "named"],
  encode: encodeBedrock,
  decoder: (context) => new BedrockDecoder(context),
};

const verbs = { complete: "converse", stream: "converse-stream", count_tokens: "count-tokens" };

export const bedrockEndpoint: Endpoint = ({ operation, wireModel, baseUrl }) =>
  `${baseUrl.replace(/\/+$/, "")}/model/${encodeURIComponent(wireModel)}/${verbs[operation]}`;

export function bedrockRegion(env: ClientDeps["env"], region?: string): string {
  return region || env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
}

export function bedrockBaseUrl(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}
