// Hosts that pass on their own options pass undefined. It means the same as omitting the member, to the compiler as
// well.

import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as kit from "../../src/adapter-kit.ts";
import { retry } from "../../src/errors/retry.ts";
import { generate } from "../../src/generate/generate.ts";
import * as llm from "../../src/index.ts";
import type * as providers from "../../src/providers/index.ts";
import { createProvider } from "../../src/providers/index.ts";
import { Message } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";
import { ALL, clientFor, OPENAI, testDeps } from "./support.ts";

/** Names of optional members that refuse undefined; methods do not need it. */
type Refusing<T> = {
  [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Record<K, undefined> extends Pick<T, K>
      ? never
      : K
    : never;
}[keyof T];

describe("with exactOptionalPropertyTypes", () => {
  it("GN-01 every option of a call and of a client takes undefined", () => {
    expectTypeOf<Refusing<llm.Request>>().toBeNever();
    expectTypeOf<Refusing<llm.GenerateOptions>>().toBeNever();
    expectTypeOf<Refusing<llm.ObjectOptions>>().toBeNever();
    expectTypeOf<Refusing<NonNullable<llm.GenerateOptions["retry"]>>>().toBeNever();
    expectTypeOf<Refusing<llm.ToolDefinition>>().toBeNever();
    expectTypeOf<Refusing<llm.Tool>>().toBeNever();
    expectTypeOf<Refusing<llm.TypedTool<llm.SchemaInput>>>().toBeNever();
    expectTypeOf<Refusing<Extract<llm.ResponseFormat, { type: "json_schema" }>>>().toBeNever();
    expectTypeOf<Refusing<llm.Message>>().toBeNever();
    expectTypeOf<Refusing<llm.ImageData>>().toBeNever();
    expectTypeOf<Refusing<llm.DocumentData>>().toBeNever();
    expectTypeOf<Refusing<llm.ToolResultData>>().toBeNever();
    expectTypeOf<Refusing<llm.ToolCallData>>().toBeNever();
    expectTypeOf<Refusing<llm.ThinkingData>>().toBeNever();
    expectTypeOf<Refusing<llm.CallContext>>().toBeNever();
    expectTypeOf<Refusing<NonNullable<llm.CallContext["timeout"]>>>().toBeNever();
    expectTypeOf<Refusing<llm.ClientOptions>>().toBeNever();
    expectTypeOf<Refusing<llm.FromEnvOptions>>().toBeNever();
    expectTypeOf<Refusing<NonNullable<Parameters<typeof llm.defaultDeps>[0]>>>().toBeNever();
    expectTypeOf<Refusing<llm.TransportRequest>>().toBeNever();
    expectTypeOf<Refusing<llm.TlsMaterial>>().toBeNever();
    expectTypeOf<Refusing<llm.ModelInfo>>().toBeNever();
    expectTypeOf<Refusing<llm.OpenAICompat>>().toBeNever();
    expectTypeOf<Refusing<llm.RetryPolicy>>().toBeNever();
    expectTypeOf<Refusing<llm.DiscoverOptions>>().toBeNever();
    expectTypeOf<Refusing<llm.RegistryOptions>>().toBeNever();
    expectTypeOf<Refusing<llm.ProviderConfig>>().toBeNever();
    expectTypeOf<Refusing<llm.HarmonyGuardOptions>>().toBeNever();
    expectTypeOf<Refusing<kit.AdapterOptions>>().toBeNever();
    expectTypeOf<Refusing<providers.ProviderOptions>>().toBeNever();
  });
});

const UNDEFINED: Omit<Request, "model" | "messages"> = {
  provider: undefined,
  tools: undefined,
  toolChoice: undefined,
  responseFormat: undefined,
  temperature: undefined,
  topP: undefined,
  maxTokens: undefined,
  stopSequences: undefined,
  reasoningEffort: undefined,
  metadata: undefined,
  providerOptions: undefined,
};

describe.each(ALL)("$provider", (one) => {
  it("GN-01 the same bytes are sent", async () => {
    await using server = await startModelServer({ script: [turn.text("ok"), turn.text("ok")] });
    const client = clientFor(one, server);
    const messages = [Message.user("hi")];
    await client.complete({ model: one.model, messages });
    const context = { signal: undefined, timeout: { connect: undefined, request: undefined, firstEvent: undefined } };
    await client.complete({ ...UNDEFINED, model: one.model, messages }, context);
    const [plain, given] = server.requests;
    expect(given?.rawBody.equals(plain?.rawBody ?? Buffer.alloc(0))).toBe(true);
    expect({ ...given?.headers, host: "" }).toEqual({ ...plain?.headers, host: "" });
  });
});

describe("defaults", () => {
  it("CT-03 of a client and a provider stay", async () => {
    await using server = await startModelServer({ script: [turn.text("ok")] });
    const openai = createProvider("openai", {
      deps: testDeps({ env: { OPENAI_API_KEY: "k" }, fetch: undefined, now: undefined }),
      name: undefined,
      apiKey: undefined,
      baseUrl: server.baseUrl("openai"),
      timeout: { connect: undefined, streamRead: undefined },
      compat: { maxTokensField: undefined },
      defaultHeaders: undefined,
      userAgent: undefined,
    });
    const client = new llm.Client({ providers: { openai }, defaultProvider: undefined, middleware: undefined });
    const { text } = await generate({
      client,
      model: OPENAI.model,
      prompt: "x",
      messages: undefined,
      system: undefined,
      tools: undefined,
      maxRetries: undefined,
      retry: { maxRetries: undefined, baseDelay: undefined },
      timeout: { total: undefined, perStep: undefined },
      abortSignal: undefined,
    });
    expect(text).toBe("ok");
  });

  it("ER-05 of a retry stay", async () => {
    let calls = 0;
    const failing = () => {
      calls++;
      throw new llm.NetworkError("gone");
    };
    await expect(retry(failing, { maxRetries: undefined, jitter: undefined }, { deps: testDeps() })).rejects.toThrow();
    expect(calls).toBe(3);
  });
});
