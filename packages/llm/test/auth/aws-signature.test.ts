import { createHash, createHmac } from "node:crypto";
import { type RecordedRequest, startModelServer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { createAdapter } from "../../src/adapter.ts";
import { bedrockAuth } from "../../src/auth/aws/index.ts";
import { defaultDeps } from "../../src/deps.ts";
import { bedrockEndpoint } from "../../src/protocols/bedrock/endpoint.ts";
import { bedrockConverse } from "../../src/protocols/bedrock/index.ts";
import { Message } from "../../src/types/message.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const now = Date.UTC(2026, 1, 3, 4, 5, 6);

async function ask(env: Record<string, string>, model = "anthropic.claude-x-v1:0"): Promise<RecordedRequest> {
  const server = await startModelServer({ script: [turn.text("hello wörld")] });
  closers.push(() => server.close());
  const deps = defaultDeps({ env, homeDir: "/nowhere", now: () => now });
  const adapter = createAdapter({
    name: "amazon-bedrock",
    protocol: bedrockConverse,
    endpoint: bedrockEndpoint,
    auth: bedrockAuth({ deps, region: "eu-central-1" }),
    baseUrl: server.baseUrl("bedrock"),
    deps,
  });
  closers.push(async () => adapter.close?.());
  let text = "";
  for await (const event of adapter.stream({ model, messages: [Message.user("grüße")] }, {})) {
    if (event.type === "text_delta") text += event.delta;
  }
  expect(text).toBe("hello wörld");
  return server.requests[0]!;
}

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");

/** Signature Version 4 as AWS documents it, from the request that arrived at the server. */
function recompute(request: RecordedRequest, secret: string): string {
  const authorization = request.headers.authorization ?? "";
  const signedHeaders = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? "";
  const [, keyId, date, region, service] = /Credential=([^/]+)\/(\d+)\/([^/]+)\/([^/]+)\//.exec(authorization) ?? [];
  const canonical = [
    request.method,
    request.path
      .split("/")
      .map((segment) => encodeURIComponent(segment))
      .join("/"),
    "",
    ...signedHeaders.split(";").map((name) => `${name}:${request.headers[name]}`),
    "",
    signedHeaders,
    sha256(request.rawBody),
  ].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [date!, region!, service!, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const signature = hmac(key, toSign).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

describe("AD-60 Bedrock authorisation on the wire", () => {
  it("AD-60 A-303 a recomputed signature equals the one that was sent", async () => {
    const request = await ask({ AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "sec/ret" });
    expect(request.headers.authorization).toBe(recompute(request, "sec/ret"));
    expect(request.headers.authorization).toContain("AKIDEXAMPLE/20260203/eu-central-1/bedrock/aws4_request");
    expect(request.headers["x-amz-date"]).toBe("20260203T040506Z");
  });

  it("AD-60 a session token is sent and signed; ids with slashes sign as well", async () => {
    const env = { AWS_ACCESS_KEY_ID: "A", AWS_SECRET_ACCESS_KEY: "s", AWS_SESSION_TOKEN: "tok" };
    const request = await ask(env, "arn:aws:bedrock:eu-central-1:1:inference-profile/eu.claude");
    expect(request.headers["x-amz-security-token"]).toBe("tok");
    expect(request.headers.authorization).toContain("SignedHeaders=host;x-amz-date;x-amz-security-token,");
    expect(request.headers.authorization).toBe(recompute(request, "s"));
  });

  it("AD-60 with a bearer token there is no signature, whatever else is set", async () => {
    const request = await ask({ AWS_BEARER_TOKEN_BEDROCK: "bt", AWS_ACCESS_KEY_ID: "A", AWS_SECRET_ACCESS_KEY: "s" });
    expect(request.headers.authorization).toBe("Bearer bt");
    expect(request.headers["x-amz-date"]).toBeUndefined();
  });

  it("AD-60 AWS_BEDROCK_SKIP_AUTH signs with dummy credentials", async () => {
    const request = await ask({ AWS_BEDROCK_SKIP_AUTH: "1" });
    expect(request.headers.authorization).toContain("Credential=skipped/");
  });
});
