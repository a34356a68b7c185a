import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultDeps } from "../../src/deps.ts";
import {
  anthropicBaseUrlOf,
  anthropicCredentialOf,
  anthropicCustomHeaders,
  anthropicTls,
} from "../../src/protocols/anthropic/gateway.ts";
import { headerAuth } from "../../src/providers/auth.ts";
import { createProvider } from "../../src/providers/index.ts";
import { ConfigurationError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";

const foundry = { CLAUDE_CODE_USE_FOUNDRY: "Yes", FOUNDRY_BASE_URL: "https://gw.corp/anthropic" };

describe("AD-32 Anthropic behind gateways", () => {
  it("AD-32 key order, one variable removed at a time, with and without Foundry", () => {
    const env: Record<string, string> = {
      ...foundry,
      ANTHROPIC_FOUNDRY_API_KEY: "f",
      ANTHROPIC_OAUTH_TOKEN: "o",
      ANTHROPIC_API_KEY: "k",
    };
    expect(anthropicCredentialOf({ ...env, CLAUDE_CODE_USE_FOUNDRY: "0" })).toEqual({ kind: "bearer", value: "o" });
    expect(anthropicCredentialOf(env)).toEqual({ kind: "bearer", value: "f" });
    delete env["ANTHROPIC_FOUNDRY_API_KEY"];
    expect(anthropicCredentialOf(env)).toEqual({ kind: "bearer", value: "o" });
    delete env["ANTHROPIC_OAUTH_TOKEN"];
    expect(anthropicCredentialOf(env)).toEqual({ kind: "key", value: "k" });
    delete env["ANTHROPIC_API_KEY"];
    expect(anthropicCredentialOf(env)).toBeUndefined();
  });

  it("AD-32 the base comes from Foundry, else from ANTHROPIC_BASE_URL, else it is the vendor's", () => {
    expect(anthropicBaseUrlOf({})).toBe("https://api.anthropic.com");
    expect(anthropicBaseUrlOf({ ANTHROPIC_BASE_URL: "http://proxy" })).toBe("http://proxy");
    expect(anthropicBaseUrlOf({ ...foundry, ANTHROPIC_BASE_URL: "http://proxy" })).toBe("https://gw.corp/anthropic");
    expect(() => anthropicBaseUrlOf({ CLAUDE_CODE_USE_FOUNDRY: "on" })).toThrow(ConfigurationError);
  });

  it("AD-32 custom headers go to Foundry and foreign hosts only", () => {
    const headers = { ANTHROPIC_CUSTOM_HEADERS: "X-Team: core, x-url: http://a:1\n broken \n:none" };
    const expected = { "x-team": "core", "x-url": "http://a:1" };
    expect(anthropicCustomHeaders({ ...headers, ...foundry })).toEqual(expected);
    expect(anthropicCustomHeaders({ ...headers, ANTHROPIC_BASE_URL: "http://proxy" })).toEqual(expected);
    expect(anthropicCustomHeaders({ ...headers, ANTHROPIC_BASE_URL: "https://api.anthropic.com" })).toEqual({});
    expect(anthropicCustomHeaders(headers)).toEqual({});
  });

  it("AD-30 A-010 a key goes into x-api-key, a token into authorization", async () => {
    const request = { url: "https://h", method: "POST" as const, headers: { a: "b" } };
    const style = { provider: "anthropic", style: "x-api-key", keyless: false, hint: "" } as const;
    const sent = async (kind: "key" | "bearer" | "none") =>
      (await headerAuth({ ...style, credential: async () => ({ kind, value: "v" }) })(request)).headers;
    expect(await sent("key")).toEqual({ a: "b", "x-api-key": "v" });
    expect(await sent("bearer")).toEqual({ a: "b", authorization: "Bearer v" });
    expect(await sent("none")).toEqual({ a: "b" });
  });

  it.each([
    ["bearer", "https://api.anthropic.com/v1/messages", "a-1,oauth-2025-04-20"],
    ["bearer", "https://gateway.example/v1/messages", "a-1"],
    ["key", "https://api.anthropic.com/v1/messages", "a-1"],
  ] as const)("AD-30 a %s for %s goes with the betas %s", async (kind, url, betas) => {
    const credential = async () => ({ kind, value: "t0ken" });
    const auth = headerAuth({ provider: "anthropic", style: "x-api-key", credential, keyless: false, hint: "" });
    const { headers } = await auth({ url, method: "POST", headers: { "anthropic-beta": "a-1" } });
    expect(headers["anthropic-beta"]).toBe(betas);
  });

  it("AD-32 certificates as path or inline text, certificate and key only as a pair", async () => {
    const readFile = async (path: string) => {
      if (path !== "/ca.pem") throw new Error("no such file");
      return new TextEncoder().encode("CA");
    };
    const inline = "-----BEGIN X-----\\nabc\\n-----END X-----";
    const env = {
      NODE_EXTRA_CA_CERTS: "/ca.pem",
      CLAUDE_CODE_CLIENT_CERT: inline,
      CLAUDE_CODE_CLIENT_KEY: inline,
    };
    const pem = "-----BEGIN X-----\nabc\n-----END X-----";
    expect(await anthropicTls({ env, readFile })).toEqual({ ca: "CA", cert: pem, key: pem });
    expect(await anthropicTls({ env: {}, readFile })).toBeUndefined();
    const half = { CLAUDE_CODE_CLIENT_CERT: inline };
    await expect(anthropicTls({ env: half, readFile })).rejects.toThrow(/set CLAUDE_CODE_CLIENT_KEY too/);
    const missing = { NODE_EXTRA_CA_CERTS: "/nope.pem" };
    await expect(anthropicTls({ env: missing, readFile })).rejects.toThrow(/NODE_EXTRA_CA_CERTS names \/nope.pem/);
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasOpenssl())("Foundry with client certificates, made by openssl", () => {
  let folder = "";
  let server: Server;
  const seen: Record<string, string | string[] | undefined>[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "foundry-"));
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
    const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    const self = ["req", "-x509", ...fresh];
    openssl(
      ...self,
      "-keyout",
      "server.key",
      "-out",
      "server.pem",
      "-subj",
      "/CN=s",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
    );
    openssl(...self, "-keyout", "client.key", "-out", "client.pem", "-subj", "/CN=c");
    const pem = (name: string) => readFileSync(join(folder, name));
    server = createServer(
      {
        key: pem("server.key"),
        cert: pem("server.pem"),
        ca: pem("client.pem"),
        requestCert: true,
        rejectUnauthorized: true,
      },
      (request, response) => {
        seen.push(request.headers);
        const message = {
          id: "m",
          type: "message",
          role: "assistant",
          model: "claude-x",
          content: [{ type: "text", text: "inside" }],
          stop_reason: "end_turn",
          usage: { input_tokens: 1, output_tokens: 1 },
        };
        request
          .resume()
          .on("end", () => response.setHeader("content-type", "application/json").end(JSON.stringify(message)));
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  it("AD-32 A-306 the certificate opens the door and the header pair arrives; without it nothing does", async () => {
    const env = {
      CLAUDE_CODE_USE_FOUNDRY: "1",
      FOUNDRY_BASE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ANTHROPIC_FOUNDRY_API_KEY: "foundry-key",
      ANTHROPIC_CUSTOM_HEADERS: "x-team: core",
      NODE_EXTRA_CA_CERTS: join(folder, "server.pem"),
    };
    const certificate = {
      CLAUDE_CODE_CLIENT_CERT: join(folder, "client.pem"),
      CLAUDE_CODE_CLIENT_KEY: readFileSync(join(folder, "client.key"), "utf8").replaceAll("\n", "\\n"),
    };
    const ask = async (variables: Record<string, string>) => {
      const adapter = createProvider("anthropic", { deps: defaultDeps({ env: variables }) });
      try {
        return await adapter.complete({ model: "claude-x", messages: [Message.user("hi")] }, {});
      } finally {
        await adapter.close?.();
      }
    };
    expect((await ask({ ...env, ...certificate })).text).toBe("inside");
    expect(seen[0]).toMatchObject({ authorization: "Bearer foundry-key", "x-team": "core" });
    await expect(ask(env)).rejects.toMatchObject({ kind: "network" });
    expect(seen).toHaveLength(1);
  });
});
