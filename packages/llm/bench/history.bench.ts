// Encoding a request when one message is added to a long conversation, against a short one.

import type { Bench } from "../../../scripts/bench-types.ts";
import { Client } from "../src/client/client.ts";
import { defaultDeps } from "../src/deps.ts";
import { createProvider } from "../src/providers/index.ts";
import { Message } from "../src/types/message.ts";

const MODELS = { anthropic: "claude-sonnet-4-5", openai: "gpt-5.2", gemini: "gemini-2.5-pro" } as const;

const message = (index: number) =>
  index % 2 === 0
    ? Message.user(`question ${index} ${"q".repeat(300)}`)
    : Message.assistant(`answer ${index} ${"a".repeat(300)}`);

/** Microseconds to encode the request after one more message, the fastest of 60. */
function addOne(client: Client, model: string, length: number): number {
  let messages = Array.from({ length }, (_, index) => message(index));
  client.segments({ model, messages });
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 60; round++) {
    messages = [...messages, message(length + round)];
    const began = performance.now();
    client.segments({ model, messages });
    best = Math.min(best, performance.now() - began);
  }
  return best * 1000;
}

export const benches: readonly Bench[] = Object.entries(MODELS).map(([provider, model]) => ({
  name: `one message more at 2,000 against 20, ${provider}`,
  async run() {
    const deps = defaultDeps({ env: {} });
    const client = new Client({ providers: { [provider]: createProvider(provider, { deps, apiKey: "none" }) }, deps });
    for (const length of [20, 2000, 20]) addOne(client, model, length);
    const short = Math.min(addOne(client, model, 20), addOne(client, model, 20));
    const long = Math.min(addOne(client, model, 2000), addOne(client, model, 2000));
    return {
      value: long / short,
      unit: "x",
      budget: 1.5,
      note: `${long.toFixed(0)} us against ${short.toFixed(0)} us`,
    };
  },
}));
