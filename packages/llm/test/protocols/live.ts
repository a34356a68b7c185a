// The three vendors' adapters in front of the strict scripted server.

import { type ModelServer, type ModelServerOptions, startModelServer } from "@lathe/testkit";
import { type AdapterOptions, createAdapter } from "../../src/adapter.ts";
import { bedrockAuth } from "../../src/auth/aws/index.ts";
import { vertexAuth } from "../../src/auth/google/index.ts";
import { defaultDeps } from "../../src/deps.ts";
import { anthropicEndpoint } from "../../src/protocols/anthropic/endpoint.ts";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { bedrockEndpoint } from "../../src/protocols/bedrock/endpoint.ts";
import { bedrockConverse } from "../../src/protocols/bedrock/index.ts";
import { geminiEndpoint, vertexEndpoint } from "../../src/protocols/gemini/endpoint.ts";
import { googleGenerativeAi, googleVertex } from "../../src/protocols/gemini/index.ts";
import { headerAuth } from "../../src/providers/auth.ts";
import type { ClientDeps, ProviderAdapter } from "../../src/types/adapter.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import type { Request } from "../../src/types/request.ts";
import type { Response } from "../../src/types/response.ts";
import { watched } from "../core/secrets-watch.ts";
import { modelRow } from "./support.ts";

const KEYS = ["sk-test-live-1", "gk-test-live-2", "aws-test-live-3"] as const;

export const vendors = ["anthropic", "gemini", "google-vertex", "amazon-bedrock"] as const;
export type Vendor = (typeof vendors)[number];

const anthropicThinking: Partial<ModelInfo> = { thinking: { mode: "adaptive" }, supportsCachePoint: true };
export const rows: Readonly<Record<Vendor, { model: string; row: Partial<ModelInfo>; older: Partial<ModelInfo> }>> = {
  anthropic: { model: "claude-opus-4-6", row: anthropicThinking, older: { thinking: { mode: "budget" } } },
  gemini: { model: "gemini-3-pro", row: { thinking: { mode: "level" } }, older: { thinking: { mode: "budget" } } },
  "google-vertex": {
    model: "gemini-3-pro",
    row: { thinking: { mode: "level" } },
    older: { thinking: { mode: "budget" } },
  },
  "amazon-bedrock": {
    model: "anthropic.claude-opus-4-6-v1",
    row: anthropicThinking,
    older: { thinking: { mode: "budget" } },
  },
};

type Wiring = Pick<AdapterOptions, "protocol" | "endpoint" | "auth" | "baseUrl">;

function wiring(vendor: Vendor, server: ModelServer, deps: ClientDeps): Wiring {
  switch (vendor) {
    case "anthropic":
      return {
        protocol: anthropicMessages,
        endpoint: anthropicEndpoint,
        auth: headerAuth({
          provider: vendor,
          style: "x-api-key",
          credential: async () => ({ kind: "key", value: KEYS[0] }),
          keyless: false,
          hint: "",
        }),
        baseUrl: server.baseUrl("anthropic"),
      };
    case "gemini":
      return {
        protocol: googleGenerativeAi,
        endpoint: geminiEndpoint,
        auth: async (request) => ({ ...request, headers: { ...request.headers, "x-goog-api-key": KEYS[1] } }),
        baseUrl: server.baseUrl("gemini"),
      };
    case "google-vertex":
      return {
        protocol: googleVertex,
        endpoint: vertexEndpoint({ project: "p", location: "global" }),
        auth: vertexAuth({ deps, provider: vendor }),
        baseUrl: server.baseUrl("vertex"),
      };
    case "amazon-bedrock":
      return {
        protocol: bedrockConverse,
        endpoint: bedrockEndpoint,
        auth: bedrockAuth({ deps, region: "us-east-1" }),
        baseUrl: server.baseUrl("bedrock"),
      };
  }
}

export interface Live {
  readonly server: ModelServer;
  readonly adapter: ProviderAdapter;
  readonly model: string;
  stream(request: Omit<Request, "model">): Promise<{ events: StreamEvent[]; response: Response | undefined }>;
  close(): Promise<void>;
}

export async function live(
  vendor: Vendor,
  options: ModelServerOptions,
  overrides: { row?: Partial<ModelInfo>; server?: ModelServer } = {},
): Promise<Live> {
  const server = overrides.server ?? (await startModelServer(options));
  const env = { GOOGLE_CLOUD_API_KEY: KEYS[1], AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: KEYS[2] };
  const deps = defaultDeps({ env, homeDir: "/nowhere" });
  const { model, row } = rows[vendor];
  const made = createAdapter({
    name: vendor,
    deps,
    countsTokens: true,
    model: (id) => modelRow(id, { ...row, ...overrides.row }),
    ...wiring(vendor, server, deps),
  });
  const adapter = watched(made, KEYS);
  return {
    server,
    adapter,
    model,
    async stream(request) {
      const events: StreamEvent[] = [];
      for await (const event of adapter.stream({ ...request, model }, {})) events.push(event);
      const last = events.at(-1);
      if (last?.type === "error") throw last.error;
      return { events, response: last?.type === "finish" ? last.response : undefined };
    },
    async close() {
      await adapter.close?.();
      await server.close();
    },
  };
}
