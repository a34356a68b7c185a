import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { defaultDeps } from "../../src/deps.ts";
import { createProvider, type ProviderOptions, providersFromEnv } from "../../src/providers/index.ts";
import { ConfigurationError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const vertex = { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_VERTEX_LOCATION: "global" };

async function sent(id: string, env: Record<string, string>, options: Partial<ProviderOptions> = {}) {
  server = await startModelServer({ script: [turn.text("ok")] });
  const deps = defaultDeps({ env, homeDir: "/nowhere" });
  const adapter = createProvider(id, { deps, baseUrl: server.url, ...options });
  const model = id === "amazon-bedrock" ? "anthropic.claude-opus-4-6-v1" : "gemini-3-pro-preview";
  expect((await adapter.complete({ model, messages: [Message.user("hi")] }, {})).text).toBe("ok");
  await adapter.close?.();
  const [request] = server.requests;
  await server.close();
  return request!;
}

describe("the clouds as providers", () => {
  it("AD-60 A-303 Bedrock: key option, bearer variable, then a signature", async () => {
    const keys = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s", AWS_REGION: "eu-west-3" };
    const env = { ...keys, AWS_BEARER_TOKEN_BEDROCK: "from-env" };
    expect((await sent("amazon-bedrock", env, { apiKey: "given" })).headers.authorization).toBe("Bearer given");
    expect((await sent("amazon-bedrock", env)).headers.authorization).toBe("Bearer from-env");
    expect((await sent("amazon-bedrock", keys)).headers.authorization).toContain("/eu-west-3/bedrock/aws4_request");
  });

  it("AD-70 A-304 Vertex: a key goes into its header, the path names project and location", async () => {
    const request = await sent("google-vertex", { ...vertex, GOOGLE_CLOUD_API_KEY: "gk" });
    expect(request.headers["x-goog-api-key"]).toBe("gk");
    expect(request.path).toContain("/v1/projects/p/locations/global/publishers/google/models/");
  });

  it("CL-02 an unambiguous key registers a cloud, a Vertex key only with its place", () => {
    const registered = (env: Record<string, string>) => Object.keys(providersFromEnv(env, defaultDeps({ env })));
    expect(registered({ AWS_BEARER_TOKEN_BEDROCK: "b" })).toEqual(["amazon-bedrock"]);
    expect(registered({ GOOGLE_CLOUD_API_KEY: "k" })).toEqual([]);
    expect(registered({ GOOGLE_CLOUD_API_KEY: "k", ...vertex })).toEqual(["google-vertex"]);
    expect(() => createProvider("google-vertex", { deps: defaultDeps({ env: {} }) })).toThrow(ConfigurationError);
  });
});
