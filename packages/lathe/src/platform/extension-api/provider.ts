// Models of a provider that an extension brings: as data, for a server that speaks a known protocol, or as code.

/** A provider: an address with its protocol, or a function that answers. */
export interface ExtensionProvider {
  readonly models: readonly ExtensionModel[];
  /** Address of a server that speaks `api`. */
  readonly baseUrl?: string | undefined;
  /** The protocol of the server: `openai-completions` when absent. */
  readonly api?: string | undefined;
  /** The key, or the name of the variable that holds it. */
  readonly apiKey?: string | undefined;
  /** Answers instead of a server: pieces of text and calls of tools, one after the other. */
  stream?(request: ExtensionRequest): AsyncIterable<ExtensionReplyPart>;
}

/** A model. */
export interface ExtensionModel {
  readonly id: string;
  readonly name?: string | undefined;
  /** Tokens; 128 000 when absent. */
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** What a model is asked. */
export interface ExtensionRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ExtensionRequestMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[];
  readonly signal: AbortSignal;
}

/** One message of the conversation. */
export interface ExtensionRequestMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  /** What an answer called. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[] | undefined;
  /** The call that a result answers. */
  readonly callId?: string | undefined;
}

/** A piece of an answer. */
export type ExtensionReplyPart =
  | string
  | { readonly call: { readonly name: string; readonly input: object; readonly id?: string | undefined } }
  | { readonly usage: { readonly input: number; readonly output: number } };
