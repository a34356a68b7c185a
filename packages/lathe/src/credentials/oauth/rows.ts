// Providers one can sign in to. A row is data: the flows below know no provider.

export interface OAuthRow {
  readonly provider: string;
  readonly label: string;
  readonly clientId: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  /** Authorisation code with PKCE and a loopback redirect. */
  readonly authorizeUrl?: string;
  /** The issuer may insist on a port; 0 = any. */
  readonly redirectPort?: number;
  /** Device authorisation (RFC 8628). */
  readonly deviceUrl?: string;
  /** Extra parameters of the authorisation request. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export const OAUTH_ROWS: readonly OAuthRow[] = [
  {
    provider: "qwen-portal",
    label: "Qwen",
    clientId: "f0304373b74a44d2b584a3fb70ca9e56",
    deviceUrl: "https://chat.qwen.ai/api/v1/oauth2/device/code",
    tokenUrl: "https://chat.qwen.ai/api/v1/oauth2/token",
    scopes: ["openid", "profile", "email", "model.completion"],
  },
];
