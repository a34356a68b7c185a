// A session for each protocol, with the ledger of every request that it sends.

import { Client, defaultDeps } from "@lathe/llm";
import { createProvider, type ProviderOptions } from "@lathe/llm/providers";
import { type BaseUrlKind, type ModelServer, type Script, startModelServer } from "@lathe/testkit";
import { contextLedger } from "../../src/context/ledger/ledger.ts";
import type { ContextLedger } from "../../src/context/ledger/types.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/types.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { testProfile } from "../support/session.ts";

export interface Protocol {
  readonly provider: string;
  readonly server: BaseUrlKind;
  readonly model: string;
  readonly options?: ProviderOptions;
}

export const PROTOCOLS: readonly Protocol[] = [
  { provider: "openai", server: "openai", model: "gpt-5.2" },
  { provider: "anthropic", server: "anthropic", model: "claude-opus-4-6" },
  { provider: "gemini", server: "gemini", model: "gemini-3-pro-preview" },
  { provider: "compatible", server: "chat", model: "qwen3-coder", options: { api: "openai-completions" } },
  { provider: "ollama", server: "ollama", model: "llama3.2" },
  {
    provider: "amazon-bedrock",
    server: "bedrock",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    options: { auth: "bearer" },
  },
];

export interface Ledgered {
  readonly session: Session;
  readonly server: ModelServer;
  /** The ledger of each request, from what the session knew before it was sent. */
  readonly ledgers: ContextLedger[];
  close(): Promise<void>;
}

export async function ledgered(
  { provider, server: kind, model, options }: Protocol,
  script: Script,
  tools: readonly ToolDef[],
  more: Partial<SessionOptions> = {},
): Promise<Ledgered> {
  const server = await startModelServer({ script, auth: "none" });
  const deps = defaultDeps({ env: { AWS_BEDROCK_SKIP_AUTH: "1" } });
  const adapter = createProvider(provider, { apiKey: "key", baseUrl: server.baseUrl(kind), deps, ...options });
  const client = new Client({ providers: { [provider]: adapter }, deps });
  const ledgers: ContextLedger[] = [];
  const session: Session = new Session({
    profile: testProfile(tools, { id: provider, model, contextWindowSize: 1_000_000 }),
    env: new MemoryEnvironment(),
    client,
    deps,
    ...more,
    middleware: [
      {
        name: "ledger",
        async beforeRequest(info, { journal }) {
          const { promptParts } = await session.prefix();
          const { request } = info;
          const bodyBytes = await client.bodyBytes(request);
          const segments = client.segments(request);
          ledgers.push(contextLedger({ info, bodyBytes, segments, promptParts, journal }));
          return undefined;
        },
      },
    ],
    config: { prefixBug: "throw", retry: { baseDelay: 0.001 }, ...more.config },
  });
  return {
    session,
    server,
    ledgers,
    async close() {
      await session.close();
      await client.close();
      await server.close();
    },
  };
}
