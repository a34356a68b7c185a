import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { InvalidRequestError, UnsupportedToolChoiceError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import type { ToolChoice } from "../../src/types/request.ts";
import { ANTHROPIC, BEDROCK, CHAT, clientFor, type DialectCase, GEMINI, OLLAMA, OPENAI } from "./support.ts";

const tool = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } };
const MODES: Readonly<Record<string, ToolChoice>> = {
  auto: { mode: "auto" },
  none: { mode: "none" },
  required: { mode: "required" },
  named: { mode: "named", toolName: "read" },
};
const OMITTED = "tools left out";

type Golden = Readonly<Record<keyof typeof MODES, unknown>>;
const GOLDENS: readonly (readonly [DialectCase, (body: Body) => unknown, Golden])[] = [
  [
    OPENAI,
    (body) => body.tool_choice,
    { auto: "auto", none: "none", required: "required", named: { type: "function", name: "read" } },
  ],
  [
    CHAT,
    (body) => body.tool_choice,
    { auto: "auto", none: "none", required: "required", named: { type: "function", function: { name: "read" } } },
  ],
  [
    ANTHROPIC,
    (body) => (body.tools === undefined ? OMITTED : body.tool_choice),
    { auto: { type: "auto" }, none: OMITTED, required: { type: "any" }, named: { type: "tool", name: "read" } },
  ],
  [
    GEMINI,
    (body) => body.toolConfig?.functionCallingConfig,
    {
      auto: { mode: "AUTO" },
      none: { mode: "NONE" },
      required: { mode: "ANY" },
      named: { mode: "ANY", allowedFunctionNames: ["read"] },
    },
  ],
  [
    BEDROCK,
    (body) => (body.toolConfig === undefined ? OMITTED : body.toolConfig.toolChoice),
    { auto: { auto: {} }, none: OMITTED, required: { any: {} }, named: { tool: { name: "read" } } },
  ],
];

describe("tool choice", () => {
  for (const [one, at, golden] of GOLDENS)
    it.each(Object.keys(MODES))(`TC-03 A-060 ${one.provider} says "%s" its own way`, async (mode) => {
      await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
      const toolChoice = MODES[mode] as ToolChoice;
      await clientFor(one, server).complete({
        model: one.model,
        messages: [Message.user("x")],
        tools: [tool],
        toolChoice,
      });
      expect(at(server.requests[0]?.body as Body)).toEqual(golden[mode]);
    });

  it("TC-03 a mode the protocol lacks is refused beforehand, and can be asked about", async () => {
    await using server = await startModelServer();
    const client = clientFor(OLLAMA, server);
    expect([client.supportsToolChoice("auto"), client.supportsToolChoice("required")]).toEqual([true, false]);
    const request = { model: "m", messages: [Message.user("x")], tools: [tool] };
    await expect(client.complete({ ...request, toolChoice: { mode: "required" } })).rejects.toThrow(
      UnsupportedToolChoiceError,
    );
    await expect(
      clientFor(OPENAI, server).complete({ ...request, toolChoice: { mode: "named", toolName: "write" } }),
    ).rejects.toThrow(InvalidRequestError);
    expect(server.requests).toHaveLength(0);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: vendor bodies of five shapes, reached into by path
type Body = any;
