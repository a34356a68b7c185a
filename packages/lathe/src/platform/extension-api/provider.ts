// Models of a provider that an extension adds: as data, for a server that speaks a known protocol, or as code.

/** A provider: an address with its protocol, or a function that answers. */
export interface ExtensionProvider {
  readonly models: readonly ExtensionModel[];
  /** Address of a server that speaks `api`. */
  readonly baseUrl?: string | undefined;
  /** The protocol of the server; defaults to `openai-completions`. */
  readonly api?: string | undefined;
  /** The key, or the name of the environment variable that holds it. */
  readonly apiKey?: string | undefined;
  /** Answers in place of a server: yields pieces of text and tool calls, one after the other. */
  stream?(request: ExtensionRequest): AsyncIterable<ExtensionReplyPart>;
}

/** A model. */
export interface ExtensionModel {
  readonly id: string;
  readonly name?: string | undefined;
  /** Defaults to 128 000 tokens. */
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** A request to the model. */
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
  /** The calls that the answer made. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[] | undefined;
  /** The call that this result answers. */
  readonly callId?: string | undefined;
}

/** A piece of an answer. */
export type ExtensionReplyPart =
  | string
  | { readonly call: { readonly name: string; readonly input: object; readonly id?: string | undefined } }
  | { readonly usage: { readonly input: number; readonly output: number } };
