// Where the operations of Bedrock Converse live.

import type { ClientDeps } from "../../types/adapter.ts";
import type { Endpoint } from "../../types/protocol.ts";

const verbs = { complete: "converse", stream: "converse-stream", count_tokens: "count-tokens" };

export const bedrockEndpoint: Endpoint = ({ operation, wireModel, baseUrl }) =>
  `${baseUrl.replace(/\/+$/, "")}/model/${encodeURIComponent(wireModel)}/${verbs[operation]}`;

export function bedrockRegion(env: ClientDeps["env"], region?: string): string {
  return region || env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
}

export function bedrockBaseUrl(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}
