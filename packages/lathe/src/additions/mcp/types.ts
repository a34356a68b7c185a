// The data about a server: its configuration, its offer, its state. Nothing here loads the protocol's package.

import type { JsonSchema } from "@lathe/llm";

/**
 * A configured server. Values may contain `${VAR}` or `${VAR:-default}`, or be the name of a variable or `!command`.
 */
export interface ServerConfig {
  readonly name: string;
  /** The file that configures it, for messages. */
  readonly file: string;
  /** All values are literal. */
  readonly isLiteral?: true;
  readonly transport: "stdio" | "http" | "sse";
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The timeout of one request; 30 seconds if absent, 0 means none. */
  readonly timeoutMs?: number | undefined;
  /** The time from the start to the first list of tools; 10 seconds if absent. */
  readonly startTimeoutMs?: number | undefined;
  readonly enabled?: boolean | undefined;
  /** Whether the server may ask the session's model, at the user's cost. */
  readonly sampling?: boolean | undefined;
  /** `false` if the user never signs in. */
  readonly oauth?: OAuthConfig | false | undefined;
  /** Names of the server's tools to offer, or to leave out. */
  readonly includeTools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
}

/** A client that was registered by hand. If absent, we register ourselves if the server allows that. */
export interface OAuthConfig {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly callbackPort?: number | undefined;
}

/** A server's latest offer, stored between runs. */
export interface Definitions {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  readonly hasResources: boolean;
  readonly instructions?: string | undefined;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The server's own claim, which Lathe cannot check: it is shown, but never skips an approval. */
  readonly saysReadOnly?: boolean | undefined;
}

export interface ListedPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

export type ServerState =
  /** Not started: its definitions are known, and it connects when needed. */
  | { readonly kind: "waiting" }
  | { readonly kind: "connecting" }
  | { readonly kind: "connected"; readonly server: string }
  | { readonly kind: "failed"; readonly reason: string }
  /** The user has to sign in. */
  | { readonly kind: "signed-out" }
  | { readonly kind: "disabled" };
