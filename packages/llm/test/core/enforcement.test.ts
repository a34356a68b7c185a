import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Message } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";
import { ANTHROPIC, adapterFor, CHAT, clientFor, type DialectCase, OPENAI } from "./support.ts";

const tool = (name: string) => ({
  name,
  description: "Reads",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
});
const REFUSALS: readonly (readonly [DialectCase, number, string])[] = [
  [ANTHROPIC, 400, "The compiled grammar is too large, which would cause performance issues."],
  [ANTHROPIC, 400, "Schema is too complex for compilation. Try reducing the number of tools."],
  [ANTHROPIC, 400, "tools.0.custom.strict: Extra inputs are not permitted"],
  [ANTHROPIC, 403, "The feature structured_outputs is not allowed by constraints/vertexai.allowedPartnerModelFeatures"],
  [OPENAI, 400, "Invalid schema for function 'a': In context=('properties', 'path'), 'x' is not permitted."],
  [CHAT, 400, "tools[0].function.strict is not supported"],
];
const isStrict = (text: string) => text.includes('"strict":true');

/** A server that refuses requests for enforcement. */
function refusing(status: number, message: string) {
  return startModelServer({
    strict: false,
    script: ({ text }) => (isStrict(text) ? turn.error(status, { message }) : turn.text("ok")),
  });
}

function requestOf(one: DialectCase, names: readonly string[]): Request {
  return { model: one.model, messages: [Message.user("x")], tools: names.map(tool) };
}

describe("tools whose arguments a vendor is asked to enforce", () => {
  it.each(REFUSALS)(
    "TC-07 G-59 a refusal for that reason is answered without the wish, once ($0.provider, %i, %s)",
    async (one, status, message) => {
      await using server = await refusing(status, message);
      const row = { compat: { supportsStrictMode: true } };
      const client = clientFor(one, server, one === CHAT ? { model: (id) => ({ ...known(id), ...row }) } : {});
      const first = requestOf(one, ["a"]);
      expect((await client.complete(first)).text).toBe("ok");
      expect(server.requests.map(({ text }) => isStrict(text))).toEqual([true, false]);
      const next = { ...first, messages: [...first.messages, Message.assistant("ok"), Message.user("y")] };
      expect((await client.complete(next)).text).toBe("ok");
      expect(server.requests.slice(2).map(({ text }) => isStrict(text))).toEqual([false]);
    },
  );

  it("TC-07 what is shown of the prefix stays the same, and other tools are still enforced", async () => {
    await using server = await startModelServer({
      strict: false,
      script: ({ text }) =>
        isStrict(text) && text.includes('"large"')
          ? turn.error(400, { message: "The compiled grammar is too large" })
          : turn.text("ok"),
    });
    const adapter = adapterFor(ANTHROPIC, server);
    const request = requestOf(ANTHROPIC, ["large"]);
    const before = adapter.segments?.(request).map(({ hash }) => hash);
    for await (const _ of adapter.stream(request, {}));
    expect(adapter.segments?.({ ...request }).map(({ hash }) => hash)).toEqual(before);
    await adapter.complete(requestOf(ANTHROPIC, ["small"]), {});
    expect(server.requests.map(({ text }) => isStrict(text))).toEqual([true, false, true]);
  });

  it("TC-07 a refusal that stays is the vendor's last word, and is not remembered", async () => {
    await using server = await startModelServer({
      strict: false,
      script: () => turn.error(400, { message: "The compiled grammar is too large" }),
    });
    const client = clientFor(ANTHROPIC, server);
    for (let call = 0; call < 2; call++)
      await expect(client.complete(requestOf(ANTHROPIC, ["a"]))).rejects.toThrow(/^The compiled grammar is too large$/);
    expect(server.requests.map(({ text }) => isStrict(text))).toEqual([true, false, true, false]);
  });

  it("TC-07 another refusal, or one without such tools, is not sent again", async () => {
    await using server = await startModelServer({
      strict: false,
      script: () => turn.error(400, { message: "max_tokens: must be positive; be strict about it" }),
    });
    const client = clientFor(ANTHROPIC, server, { disableStrictTools: true });
    await expect(client.complete(requestOf(ANTHROPIC, ["a"]))).rejects.toThrow("max_tokens");
    expect(server.requests).toHaveLength(1);
  });

  it("G-59 disableStrictTools counts for compatible servers, too", async () => {
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    const model = (id: string) => ({ ...known(id), compat: { supportsStrictMode: true } });
    await clientFor(CHAT, server, { model, disableStrictTools: true }).complete(requestOf(CHAT, ["a"]));
    expect(isStrict(server.requests[0]!.text)).toBe(false);
  });
});

function known(id: string) {
  return {
    id,
    provider: CHAT.provider,
    displayName: id,
    contextWindow: 100_000,
    supportsTools: true,
    supportsVision: false,
    supportsReasoning: false,
    input: ["text" as const],
    aliases: [],
  };
}
