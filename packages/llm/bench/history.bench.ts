// What one message more costs in a long conversation against a short one: the check of the prefix and the request up to
// the moment its body is handed to the transport, as a session makes them.

import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { Client } from "../src/client/client.ts";
import { defaultDeps } from "../src/deps.ts";
import { createProvider, type ProviderOptions } from "../src/providers/index.ts";
import type { Transport } from "../src/types/adapter.ts";
import { InvalidRequestError } from "../src/types/errors.ts";
import { Message } from "../src/types/message.ts";

const CASES: readonly { provider: string; model: string; options?: ProviderOptions }[] = [
  { provider: "anthropic", model: "claude-sonnet-4-5" },
  { provider: "openai", model: "gpt-5.2" },
  { provider: "gemini", model: "gemini-2.5-pro" },
  { provider: "deepseek", model: "deepseek-chat" },
  { provider: "amazon-bedrock", model: "anthropic.claude-sonnet-4-5-20250929-v1:0" },
  { provider: "ollama", model: "llama3.2", options: { api: "ollama-chat" } },
];

const tools = [{ name: "read", description: "Reads a file.", parameters: { type: "object", properties: {} } }];

function message(index: number): Message {
  const id = `call${index - (index % 4)}`;
  switch (index % 4) {
    case 0:
      return Message.assistant([
        { kind: "text", text: `step ${index} ${"a".repeat(300)}` },
        { kind: "tool_call", toolCall: { id, name: "read", arguments: { path: `src/${index}.ts` }, type: "function" } },
      ]);
    case 1:
      return Message.toolResult({ toolCallId: `call${index - 1}`, content: `text ${"t".repeat(300)}` });
    case 2:
      return Message.assistant(`answer ${index} ${"a".repeat(300)}`);
    default:
      return Message.user(`question ${index} ${"q".repeat(300)}`);
  }
}

/** A conversation that starts with the user and goes on as above. */
function conversation(length: number): Message[] {
  return [Message.system("rules"), Message.user("go"), ...Array.from({ length: length - 2 }, (_, at) => message(at))];
}

class Bed {
  readonly #client: Client;
  readonly #provider: string;
  readonly #model: string;
  #sentAt = 0;

  constructor({ provider, model, options }: (typeof CASES)[number]) {
    const fetch: Transport = async () => {
      this.#sentAt = performance.now();
      throw new InvalidRequestError("measured until here", { provider });
    };
    const deps = defaultDeps({ env: {}, fetch });
    this.#provider = provider;
    this.#model = model;
    this.#client = new Client({
      providers: { [provider]: createProvider(provider, { ...options, deps, apiKey: "none" }) },
      deps,
    });
  }

  /** Microseconds for the request after one more message, the fastest of many. */
  async addOne(length: number, rounds: number): Promise<number> {
    let messages = conversation(length);
    await this.#send(messages);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      messages = [...messages, message(length - 2 + round)];
      const began = performance.now();
      await this.#send(messages);
      best = Math.min(best, this.#sentAt - began);
    }
    return best * 1000;
  }

  async #send(messages: readonly Message[]): Promise<void> {
    const request = { provider: this.#provider, model: this.#model, messages, tools };
    this.#client.segments(request);
    const stream = this.#client.stream(request)[Symbol.asyncIterator]();
    await stream.next().catch((error: unknown) => {
      if (!(error instanceof InvalidRequestError)) throw error;
    });
  }
}

export const benches: readonly Bench[] = CASES.map((one) => ({
  name: `one message more at 2,000 against 20, ${one.provider}`,
  async run() {
    const bed = new Bed(one);
    for (const length of [20, 2000, 20]) await bed.addOne(length, 200);
    let short = Number.POSITIVE_INFINITY;
    let long = Number.POSITIVE_INFINITY;
    // In turns, so that a busy moment of the machine hits both.
    for (let turn = 0; turn < 5; turn++) {
      short = Math.min(short, await bed.addOne(20, 60));
      long = Math.min(long, await bed.addOne(2000, 60));
    }
    return ratio(long, short, { budget: 1.5, unit: "us" });
  },
}));
