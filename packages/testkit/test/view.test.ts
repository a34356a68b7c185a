import { expect, it } from "vitest";
import { type DialectName, type RequestView, startModelServer, turn } from "../src/index.ts";
import { sample, send } from "./wire.ts";

const text = (value: string) => ({ type: "text", text: value });

/** One conversation in each vendor's words: a question with an image, a call, its failed result. */
const bodies: Record<DialectName, object> = {
  anthropic: {
    system: [text("be "), text("brief")],
    tools: [{ name: "read" }],
    messages: [
      { role: "user", content: [text("look"), { type: "image" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          text("ok"),
          { type: "tool_use", id: "c1", name: "read", input: { p: 1 } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: [text("no file")], is_error: true }],
      },
    ],
  },
  bedrock: {
    system: [{ text: "be brief" }, { cachePoint: { type: "default" } }],
    toolConfig: { tools: [{ toolSpec: { name: "read" } }, { cachePoint: { type: "default" } }] },
    messages: [
      { role: "user", content: [{ text: "look" }, { image: {} }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "hm" } } },
          { text: "ok" },
          { toolUse: { toolUseId: "c1", name: "read", input: { p: 1 } } },
        ],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "c1", content: [{ text: "no file" }], status: "error" } }] },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: "be brief" }] },
    tools: [{ functionDeclarations: [{ name: "read" }] }],
    contents: [
      { role: "user", parts: [{ text: "look" }, { inlineData: {} }] },
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { text: "ok" },
          { functionCall: { id: "c1", name: "read", args: { p: 1 } } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { id: "c1", name: "read", response: { error: "no file" } } }] },
    ],
  },
  chat: {
    tools: [{ type: "function", function: { name: "read" } }],
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: [text("look"), { type: "image_url" }] },
      {
        role: "assistant",
        content: "ok",
        reasoning_content: "hm",
        tool_calls: [{ id: "c1", function: { name: "read", arguments: '{"p":1}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "no file" },
    ],
  },
  ollama: {
    tools: [{ type: "function", function: { name: "read" } }],
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "look", images: ["x"] },
      {
        role: "assistant",
        content: "ok",
        thinking: "hm",
        tool_calls: [{ function: { name: "read", arguments: { p: 1 } } }],
      },
      { role: "tool", tool_name: "read", content: "no file" },
    ],
  },
  responses: {
    instructions: "be brief",
    tools: [{ type: "function", name: "read" }],
    input: [
      { role: "user", content: [{ type: "input_text", text: "look" }, { type: "input_image" }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
      { role: "assistant", content: [{ type: "output_text", text: "ok" }] },
      { type: "function_call", call_id: "c1", name: "read", arguments: '{"p":1}' },
      { type: "function_call_output", call_id: "c1", output: "no file" },
    ],
  },
};

it.each(Object.keys(bodies) as DialectName[])(
  "a request of the dialect %s reads the same as any other",
  async (dialect) => {
    await using server = await startModelServer({ script: () => turn.text("x"), strict: false });
    await send(server, { ...sample(dialect, false), body: bodies[dialect] });
    const { view } = server.requests[0]!;
    const own = dialect === "ollama" ? "read" : "c1";
    expect(view).toMatchObject({ system: "be brief", tools: ["read"] });
    expect(flat(view)).toEqual({
      user: "look",
      images: 1,
      thinking: "hm",
      assistant: "ok",
      calls: [{ id: own, name: "read", args: { p: 1 } }],
      results: [{ id: own, text: "no file" }],
    });
    expect(server.requests[0]!.result(own)).toBe("no file");
    expect(server.requests[0]!.result("other")).toBeUndefined();
  },
);

it("a failed result is marked where the vendor can say so", async () => {
  await using server = await startModelServer({ script: () => turn.text("x"), strict: false });
  for (const dialect of ["anthropic", "bedrock", "gemini"] as const) {
    await send(server, { ...sample(dialect, false), body: bodies[dialect] });
    const results = server.requests.at(-1)!.view.messages.flatMap((message) => message.results);
    expect(results).toMatchObject([{ isError: true }]);
  }
});

function flat(view: RequestView) {
  const of = (role: string) => view.messages.filter((message) => message.role === role);
  return {
    user: of("user")
      .map((message) => message.text)
      .join(""),
    images: view.messages.reduce((sum, message) => sum + message.images, 0),
    thinking: view.messages.map((message) => message.thinking).join(""),
    assistant: of("assistant")
      .map((message) => message.text)
      .join(""),
    calls: view.messages.flatMap((message) => message.calls),
    results: view.messages.flatMap((message) => message.results.map(({ id, text }) => ({ id, text }))),
  };
}
