// An MCP server over streamable HTTP that requires a bearer token, with its authorization server: metadata,
// registration, code with PKCE, refresh tokens that work once. Real HTTP on loopback.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProtectedServer {
  readonly url: string;
  /** The `Authorization` headers of all requests to the server itself. */
  readonly seen: (string | undefined)[];
  /** Requested paths, in order. */
  readonly paths: string[];
  /** Makes current access tokens invalid; refresh tokens still work. */
  expire(): void;
  close(): void;
}

export async function startProtectedServer(): Promise<ProtectedServer> {
  const seen: (string | undefined)[] = [];
  const paths: string[] = [];
  const access = new Set<string>();
  const refresh = new Set<string>();
  const codes = new Map<string, string>();
  let count = 0;
  let origin = "";
  const give = (): object => {
    count += 1;
    access.add(`access-token-${count}`);
    refresh.add(`refresh-token-${count}`);
    return {
      access_token: `access-token-${count}`,
      refresh_token: `refresh-token-${count}`,
      token_type: "Bearer",
      expires_in: 3600,
    };
  };
  const token = (form: URLSearchParams): object | undefined => {
    if (form.get("grant_type") === "refresh_token")
      return refresh.delete(form.get("refresh_token") ?? "") ? give() : undefined;
    const digest = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return codes.get(form.get("code") ?? "") === digest ? give() : undefined;
  };
  const pages: Record<string, (url: URL, body: string, response: ServerResponse) => void> = {
    "/.well-known/oauth-protected-resource/mcp": (_url, _body, response) =>
      json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] }),
    "/.well-known/oauth-authorization-server": (_url, _body, response) =>
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      }),
    "/register": (_url, body, response) => json(response, { ...JSON.parse(body), client_id: "client-1" }, 201),
    "/authorize": (url, _body, response) => {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      codes.set("code-1", url.searchParams.get("code_challenge") ?? "");
      back.searchParams.set("code", "code-1");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
    },
    "/token": (_url, body, response) => {
      const given = token(new URLSearchParams(body));
      json(response, given ?? { error: "invalid_grant" }, given ? 200 : 400);
    },
  };
  const mcp = (request: IncomingMessage, body: string, response: ServerResponse): void => {
    const { authorization } = request.headers;
    seen.push(authorization);
    if (!access.has(authorization?.replace("Bearer ", "") ?? "")) {
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}"` }).end();
    } else if (request.method !== "POST") response.writeHead(405).end();
    else answer(JSON.parse(body), response);
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url ?? "/", origin);
    paths.push(url.pathname);
    if (url.pathname === "/mcp") mcp(request, body, response);
    else if (pages[url.pathname]) pages[url.pathname]?.(url, body, response);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    seen,
    paths,
    expire: () => access.clear(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly name?: string };
}

function answer({ id, method, params }: Call, response: ServerResponse): void {
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "protected", version: "1" },
    },
    "tools/list": { tools: [{ name: "secret", description: "Gives the secret", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "the secret is 42" }] },
    ping: {},
  };
  const result = results[method];
  json(response, { jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) });
}
