// Variables that other programs use for keys and addresses: a user who has set them needs no others.

import { describe, expect, it } from "vitest";
import { bedrockAuth } from "../../src/auth/aws/index.ts";
import { findRow } from "../../src/catalog/provider-rows.ts";
import { defaultDeps } from "../../src/deps.ts";
import { anthropicCredentialOf } from "../../src/protocols/anthropic/gateway.ts";
import { wire } from "../../src/providers/wiring.ts";
import type { ClientDeps } from "../../src/types/adapter.ts";

const depsWith = (env: Record<string, string>, files: Record<string, string> = {}): ClientDeps => ({
  ...defaultDeps({ env }),
  homeDir: "/home/u",
  readFile: async (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    return new TextEncoder().encode(text);
  },
});
const urlOf = (id: string, env: Record<string, string>): string => {
  const row = findRow(id)!;
  return wire({ name: id, row, api: row.api, deps: depsWith(env), options: {} }).baseUrl;
};

describe("variables of other programs", () => {
  it("AD-32 ANTHROPIC_AUTH_TOKEN is a bearer token", () => {
    expect(anthropicCredentialOf({ ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_API_KEY: "k" })).toEqual({
      kind: "bearer",
      value: "t",
    });
  });

  it.each([
    ["azure-openai", { AZURE_OPENAI_ENDPOINT: "https://r.openai.azure.com/" }, "https://r.openai.azure.com/openai/v1"],
    ["azure-openai", { AZURE_OPENAI_ENDPOINT: "https://r.x/openai/v1" }, "https://r.x/openai/v1"],
    ["amazon-bedrock", { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "https://vpce.example" }, "https://vpce.example"],
    [
      "cloudflare-workers-ai",
      { CLOUDFLARE_ACCOUNT_ID: "a1" },
      "https://api.cloudflare.com/client/v4/accounts/a1/ai/v1",
    ],
    ["nebius", {}, "https://api.tokenfactory.nebius.com/v1"],
  ])("%s with %o is at %s", (id, env, url) => {
    expect(urlOf(id, env)).toBe(url);
  });

  it("gemini takes GOOGLE_GENERATIVE_AI_API_KEY", () => {
    expect(findRow("gemini")?.keyEnv).toContain("GOOGLE_GENERATIVE_AI_API_KEY");
  });

  it.each([
    [{}, "region = eu-west-3", "https://bedrock-runtime.eu-west-3.amazonaws.com/model/m/converse", "eu-west-3"],
    [
      { AWS_REGION: "us-west-2" },
      "region = eu-west-3",
      "https://bedrock-runtime.us-west-2.amazonaws.com/model/m/converse",
      "us-west-2",
    ],
    [
      {},
      "region = eu-west-3\nendpoint_url = https://vpce.example/",
      "https://vpce.example/model/m/converse",
      "eu-west-3",
    ],
  ])(
    "AD-30 region and endpoint of an AWS profile are used where the environment names none: %o",
    async (env, lines, url, region) => {
      const config = `[profile work]\n${lines}\naws_access_key_id = AKIA\naws_secret_access_key = s\n`;
      const deps = depsWith({ AWS_PROFILE: "work", ...env }, { "/home/u/.aws/config": config });
      const assumed = ("AWS_REGION" in env ? env.AWS_REGION : undefined) ?? "us-east-1";
      const signed = await bedrockAuth({ deps, region: assumed })({
        url: `https://bedrock-runtime.${assumed}.amazonaws.com/model/m/converse`,
        method: "POST",
        headers: {},
        body: ["{}"],
      });
      expect(signed.url).toBe(url);
      expect(signed.headers["authorization"]).toContain(`/${region}/bedrock/`);
    },
  );
});
