import { startModelServer, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Message } from "../../src/types/message.ts";
import { ALL, clientFor } from "./support.ts";

describe("an answer that ended while the model was still thinking", () => {
  it.each(ALL)("DM-05 AD-10 AD-30 AD-60 the next request to $provider is accepted", async (one) => {
    await using server = await startModelServer({
      script: [turn.blocks([thinking("a long plan")], { stop: "length" }), turn.text("here I am")],
    });
    const client = clientFor(one, server);
    const messages = [Message.user("go")];
    const cut = await client.complete({ model: one.model, messages });
    expect(cut.finishReason.reason).toBe("length");
    const again = await client.complete({
      model: one.model,
      messages: [...messages, cut.message, Message.user("go on")],
    });
    expect(again.text).toBe("here I am");
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
  });
});
