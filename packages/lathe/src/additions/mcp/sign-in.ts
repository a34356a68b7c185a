// Signing in to a server with OAuth, through the package's own flow: tokens and our registration are stored with the
// other credentials, and renewed by one process at a time. A token is only ever sent to the address that it was made
// for.

import { randomBytes } from "node:crypto";
import {
  type AuthProvider,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { isSameText, type Waiting, waitForRedirect } from "../../config/credentials/oauth/loopback.ts";
import type { CredentialStore, OAuthCredential } from "../../config/credentials/store.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { SignInNeeded } from "./client.ts";
import { limitedFetch } from "./limited-fetch.ts";
import { shortHash } from "./names.ts";
import type { OAuthConfig, ServerConfig } from "./types.ts";

export interface SignInDeps {
  readonly store: CredentialStore;
  readonly now: () => number;
  readonly onSecret: (name: string, value: string) => void;
  /** The address of the server, with its variables filled in. */
  readonly url: string;
}

/** The credentials of a connection: the stored token, renewed when the server no longer accepts it. */
export function storedSignIn(config: ServerConfig, deps: SignInDeps): AuthProvider {
  const record = new SignInRecord(config, deps);
  return {
    token: async () => (await record.read())?.access,
    onUnauthorized: async ({ serverUrl, fetchFn }) => {
      const before = await record.read();
      if (before?.refresh === undefined) throw new SignInNeeded();
      await deps.store.exclusively(record.key, async () => {
        const now = await record.read();
        // Another process has renewed it meanwhile.
        if (now?.access !== before.access) return;
        const outcome = await auth(new Flow(config, record), { serverUrl, fetchFn });
        if (outcome !== "AUTHORIZED") throw new SignInNeeded();
      });
    },
  };
}

export interface SignInWaiting extends Waiting {
  readonly open: (url: string) => void;
  /** An additional scope that the token needs. */
  readonly scope?: string | undefined;
}

/** Sends the user to the server's issuer and stores the resulting credential. */
export async function signInTo(config: ServerConfig, deps: SignInDeps, waiting: SignInWaiting): Promise<void> {
  const record = new SignInRecord(config, deps);
  const flow = new Flow(config, record);
  const again = `lathe mcp login ${config.name}`;
  const before = waiting.scope === undefined ? undefined : (await record.read())?.mcp?.scope;
  const challenge = { ...(await challengeOf(deps.url, waiting.signal)), ...scopeOf(config) };
  const scope = computeScopeUnion(before, challenge.scope, waiting.scope);
  const asked = { ...challenge, ...(scope === undefined ? {} : { scope }) };
  const { url } = await waitForRedirect({
    ...waiting,
    port: oauthOf(config).callbackPort ?? 0,
    redirectAt: (port) => `http://127.0.0.1:${port}/callback`,
    isAnswer: ({ pathname, searchParams }) =>
      pathname === "/callback" && isSameText(searchParams.get("state") ?? "", flow.expectedState),
    begin: async (redirect) => {
      flow.begin(redirect, waiting.open);
      await record.remove(); // an old token must not pass for a new one
      await auth(flow, { ...asked, serverUrl: deps.url, fetchFn: limitedFetch });
    },
    again,
  });
  const code = url.searchParams.get("code");
  const why = url.searchParams.get("error") ?? "no code was returned";
  if (!code) throw new CliError(EXIT.provider, `Signing in failed: ${why}. Run: ${again}`);
  const iss = url.searchParams.get("iss");
  await auth(flow, {
    ...asked,
    serverUrl: deps.url,
    authorizationCode: code,
    fetchFn: limitedFetch,
    ...(iss === null ? {} : { iss }),
  });
}

/** The scope that the server names when it refuses a request without a token. */
async function challengeOf(url: string, signal: AbortSignal): Promise<{ scope?: string; resourceMetadataUrl?: URL }> {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await limitedFetch(url, { method: "POST", headers, body: ping, signal });
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  };
}

/** False if there was no sign-in. */
export const signOutOf = (config: ServerConfig, deps: SignInDeps): Promise<boolean> =>
  new SignInRecord(config, deps).remove();

const oauthOf = ({ oauth }: ServerConfig): OAuthConfig => oauth || {};

function scopeOf(config: ServerConfig): { readonly scope?: string } {
  const { scopes = [] } = oauthOf(config);
  return scopes.length === 0 ? {} : { scope: scopes.join(" ") };
}

/** The stored credential of one server. */
class SignInRecord {
  readonly key: string;
  readonly #deps: SignInDeps;

  constructor({ name }: ServerConfig, deps: SignInDeps) {
    this.#deps = deps;
    this.key = `mcp-${name.replace(/[^\w-]/g, "_")}-${shortHash(deps.url)}`;
  }

  /** Checks the address, because another server could have the same name and hash. */
  async read(): Promise<OAuthCredential | undefined> {
    const stored = await this.#deps.store.get(this.key);
    if (stored?.type !== "oauth" || stored.mcp?.url !== this.#deps.url) return undefined;
    this.#learn(stored);
    return stored;
  }

  async write(tokens: StoredOAuthTokens, client: StoredOAuthClientInformation | undefined): Promise<void> {
    const before = await this.read();
    const refresh = tokens.refresh_token ?? before?.refresh;
    const secret = client && "client_secret" in client ? client.client_secret : undefined;
    const credential: OAuthCredential = {
      type: "oauth",
      access: tokens.access_token,
      ...(refresh === undefined ? {} : { refresh }),
      ...(tokens.expires_in === undefined ? {} : { expires: this.#deps.now() + tokens.expires_in * 1000 }),
      mcp: {
        ...before?.mcp,
        url: this.#deps.url,
        ...(tokens.issuer === undefined ? {} : { issuer: tokens.issuer }),
        ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
        ...(client === undefined ? {} : { clientId: client.client_id }),
        ...(secret === undefined ? {} : { clientSecret: secret }),
      },
    };
    this.#learn(credential);
    await this.#deps.store.set(this.key, credential);
  }

  remove(): Promise<boolean> {
    return this.#deps.store.remove(this.key);
  }

  #learn({ access, refresh, mcp }: OAuthCredential): void {
    for (const secret of [access, refresh, mcp?.clientSecret])
      if (secret !== undefined) this.#deps.onSecret(this.key, secret);
  }
}

/** The callbacks of the package's flow. Before `begin`, no user can be sent to an issuer. */
class Flow implements OAuthClientProvider {
  readonly expectedState = randomBytes(16).toString("base64url");
  readonly #config: ServerConfig;
  readonly #record: SignInRecord;
  #redirect = "http://127.0.0.1/callback";
  #open: ((url: string) => void) | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  #client: StoredOAuthClientInformation | undefined;

  constructor(config: ServerConfig, record: SignInRecord) {
    this.#config = config;
    this.#record = record;
  }

  begin(redirect: string, open: (url: string) => void): void {
    this.#redirect = redirect;
    this.#open = open;
  }

  get redirectUrl(): string {
    return this.#redirect;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Lathe",
      redirect_uris: [this.#redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...scopeOf(this.#config),
    };
  }

  state(): string {
    return this.expectedState;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = oauthOf(this.#config);
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    if (this.#client) return this.#client;
    const mcp = (await this.#record.read())?.mcp;
    if (mcp?.clientId === undefined) return undefined;
    return {
      client_id: mcp.clientId,
      ...(mcp.clientSecret === undefined ? {} : { client_secret: mcp.clientSecret }),
      ...(mcp.issuer === undefined ? {} : { issuer: mcp.issuer }),
    };
  }

  /** Stored only with the tokens: a registration that led to none is worthless. */
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    const stored = await this.#record.read();
    if (!stored) return undefined;
    const { access, refresh, mcp } = stored;
    return {
      access_token: access,
      token_type: "Bearer",
      ...(refresh === undefined ? {} : { refresh_token: refresh }),
      ...(mcp?.scope === undefined ? {} : { scope: mcp.scope }),
      ...(mcp?.issuer === undefined ? {} : { issuer: mcp.issuer }),
    };
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.#record.write(tokens, this.#client);
  }

  redirectToAuthorization(url: URL): void {
    if (!this.#open) throw new SignInNeeded();
    this.#open(url.href);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  async invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (what === "all" || what === "client") this.#client = undefined;
    if (what === "all" || what === "tokens") await this.#record.remove();
  }
}
