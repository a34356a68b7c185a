// Local model servers as strict as the real ones: they enforce a context window and refuse tools in the server's own
// words.

import {
  type ModelServer,
  type ModelTurn,
  type RecordedRequest,
  startModelServer,
  type Turn,
  turn,
} from "@lathe/testkit";

export type LocalKind = "llama.cpp" | "ollama" | "lm-studio" | "vllm";

export interface LocalOptions {
  readonly kind: LocalKind;
  /** Tokens that the server really accepts. */
  readonly window: number;
  /** The window it claims; by default the real one. */
  readonly claims?: number;
  /** If false, requests with tools are refused. */
  readonly tools: boolean;
  /** Answers the n-th request of the conversation, from 0. */
  readonly play: (step: number, request: RecordedRequest) => ModelTurn;
  /** Answers requests outside the conversation, such as for a summary. */
  readonly beside?: (request: RecordedRequest) => ModelTurn;
}

export interface LocalServer {
  readonly server: ModelServer;
  /** Makes sure that nothing else answers at the usual ports. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  readonly seen: { refusedTools: number; overflows: number; steps: number; largest: number };
  close(): Promise<void>;
}

const REFUSALS: Readonly<Record<LocalKind, { status: number; message: string }>> = {
  "llama.cpp": { status: 500, message: "tools param requires --jinja flag" },
  ollama: { status: 400, message: "registry.ollama.ai/library/tiny:1b does not support tools" },
  "lm-studio": { status: 400, message: "Tool use is not supported by this model" },
  vllm: {
    status: 400,
    message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  },
};

const OVERFLOWS: Readonly<Record<LocalKind, (tokens: number, window: number) => Record<string, unknown>>> = {
  "llama.cpp": (tokens, window) => ({
    code: 400,
    message: `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
    type: "exceed_context_size_error",
    n_prompt_tokens: tokens,
    n_ctx: window,
  }),
  ollama: () => ({ message: "the input length exceeds the context length", type: "api_error" }),
  "lm-studio": (tokens, window) => ({
    message: `Trying to keep the first ${tokens} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough.`,
  }),
  vllm: (tokens, window) => ({
    message: `This model's maximum context length is ${window} tokens. However, you requested ${tokens} tokens. Please reduce the length of the messages or completion.`,
    type: "BadRequestError",
  }),
};

/** Code has more tokens than a quarter of its characters. */
const CHARS_PER_TOKEN = 3.4;

// biome-ignore lint/suspicious/noExplicitAny: bodies of three dialects
const tokensOf = (body: any): number =>
  Math.ceil(
    JSON.stringify([body.messages ?? body.input, body.tools ?? [], body.instructions ?? ""]).length / CHARS_PER_TOKEN,
  );

const refuse = (status: number, error: Record<string, unknown>): Turn =>
  turn.raw({ status, headers: { "content-type": "application/json" }, chunks: [JSON.stringify({ error })] });

export async function localServer(options: LocalOptions): Promise<LocalServer> {
  const { kind, window, claims = window, tools, play } = options;
  const seen = { refusedTools: 0, overflows: 0, steps: 0, largest: 0 };
  const server = await startModelServer({
    auth: "none",
    listings: {
      models: [{ id: "tiny:1b", contextLength: claims, capabilities: ["completion", "tools"] }],
      props: { contextLength: claims },
      // Most have no Responses API, or one without tools.
      missing: ["/responses"],
    },
    allowFields: ["n_ctx"],
    script: (request) => {
      const { body } = request;
      const offers = (body.tools?.length ?? 0) > 0;
      if (offers && !tools) {
        seen.refusedTools++;
        const { status, message } = REFUSALS[kind];
        return refuse(status, { code: status, message, type: "server_error" });
      }
      const prompt = tokensOf(body);
      // vLLM includes the answer's limit.
      const needed = prompt + (kind === "vllm" ? Number(body.max_tokens ?? body.max_completion_tokens ?? 0) : 0);
      seen.largest = Math.max(seen.largest, needed);
      if (needed > window) {
        seen.overflows++;
        return refuse(400, OVERFLOWS[kind](needed, window));
      }
      const isConversation = offers || request.view.system.includes("<tool_call>");
      const answer = isConversation
        ? play(seen.steps++, request)
        : (options.beside?.(request) ?? turn.text("I cannot do that."));
      const output = Math.ceil(JSON.stringify(answer.blocks).length / CHARS_PER_TOKEN);
      return { ...answer, usage: { input: prompt, output } };
    },
  });
  const nowhere = {
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
    LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
  };
  const variable = {
    "llama.cpp": "LLAMA_CPP_BASE_URL",
    ollama: "OLLAMA_BASE_URL",
    "lm-studio": "LM_STUDIO_BASE_URL",
    vllm: "VLLM_BASE_URL",
  }[kind];
  return {
    server,
    env: { ...nowhere, [variable]: kind === "lm-studio" || kind === "vllm" ? `${server.url}/v1` : server.url },
    model: `${kind}/tiny:1b`,
    seen,
    close: () => server.close(),
  };
}

/** A call as a model writes it in its text. */
export const writtenCall = (
  name: string,
  args: Record<string, unknown>,
  form: "tag" | "fence" | "function" = "tag",
): ModelTurn => {
  const call = JSON.stringify({ name, arguments: args });
  if (form === "fence") return turn.text(`I will.\n\`\`\`json\n${call}\n\`\`\``);
  if (form === "function") return turn.text(`<function=${name}>${JSON.stringify(args)}</function>`);
  return turn.text(`On it.\n<tool_call>\n${call}\n</tool_call>`);
};
