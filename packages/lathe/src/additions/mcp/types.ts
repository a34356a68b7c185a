// What a configured server is, what it offers, and where it stands. Data only: nothing here loads the protocol's package.

import type { JsonSchema } from "@lathe/llm";

/** A server as it was configured. Values may hold `${VAR}`, `${VAR:-default}`, the name of a variable or `!command`. */
export interface ServerConfig {
  readonly name: string;
  /** The file that configures it, for messages. */
  readonly file: string;
  /** The values mean what they say: nothing in them stands for something else. */
  readonly isLiteral?: true;
  readonly transport: "stdio" | "http" | "sse";
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The deadline of one request; 30 seconds when absent, 0 = none. */
  readonly timeoutMs?: number | undefined;
  /** The deadline from the start to the first list of tools; 10 seconds when absent. */
  readonly startTimeoutMs?: number | undefined;
  readonly enabled?: boolean | undefined;
  /** The server may ask the session's model, at the user's cost. */
  readonly sampling?: boolean | undefined;
  /** `false`: the user never signs in. */
  readonly oauth?: OAuthConfig | false | undefined;
  /** Names of the server's tools to offer, or to leave out. */
  readonly includeTools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
}

/** A client that was registered by hand. Absent: we register ourselves where the server lets us. */
export interface OAuthConfig {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly callbackPort?: number | undefined;
}

/** What a server offers, as it said last. Kept between runs. */
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
  /** The server's own word, which Lathe cannot check: shown, and never a reason not to ask. */
  readonly saysReadOnly?: boolean | undefined;
}

export interface ListedPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

export type ServerState =
  /** Not started: its definitions are known, and it is connected when it is needed. */
  | { readonly kind: "waiting" }
  | { readonly kind: "connecting" }
  | { readonly kind: "connected"; readonly server: string }
  | { readonly kind: "failed"; readonly reason: string }
  /** The user has to sign in. */
  | { readonly kind: "signed-out" }
  | { readonly kind: "disabled" };
