// URLs of the Bedrock Converse operations.

import type { ClientDeps } from "../../types/adapter.ts";
import type { Endpoint } from "../../types/protocol.ts";

const verbs = { complete: "converse", stream: "converse-stream", count_tokens: "count-tokens" };

export const bedrockEndpoint: Endpoint = ({ operation, wireModel, baseUrl }) =>
  `${baseUrl.replace(/\/+$/, "")}/model/${encodeURIComponent(wireModel)}/${verbs[operation]}`;

export function bedrockRegion(env: ClientDeps["env"], region?: string): string {
  return region || env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
}

/** The user's own host, from the variables that all AWS programs use. */
export function bedrockEndpointUrl(env: ClientDeps["env"]): string | undefined {
  if (env["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] === "true") return undefined;
  return env["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] || env["AWS_ENDPOINT_URL"] || undefined;
}

/** False if the region must come from the profile. */
export const hasRegion = (env: ClientDeps["env"]): boolean => Boolean(env["AWS_REGION"] || env["AWS_DEFAULT_REGION"]);

export function bedrockBaseUrl(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}
