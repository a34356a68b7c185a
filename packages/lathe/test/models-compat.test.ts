// Every dialect switch of models.yml through the command: one model per switch, each with a conversation of two turns
// and a tool.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenAICompat } from "@lathe/llm";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Setup, setup } from "./rpc-host.ts";

type Json = Record<string, unknown>;
type Body = Json & { readonly messages: readonly Json[]; readonly tools: readonly { readonly function: Json }[] };

let rig: Setup;
beforeEach(async () => {
  rig = await setup({
    allowFields: ["gateway", "reasoning", "thinking", "enable_thinking", "chat_template_kwargs"],
    script: ({ view }) =>
      view.messages.some(({ results }) => results.length > 0)
        ? turn.text("done")
        : turn.calls([{ name: "read", args: { file_path: "a.txt" }, id: "call_1" }]),
  });
});
afterEach(() => rig.remove());

const byRole = ({ messages }: Body, role: string): Json => messages.find((message) => message["role"] === role) ?? {};
const call = (body: Body): Json => (byRole(body, "assistant")["tool_calls"] as Json[])[0] ?? {};

/** A switch and what the second request must hold because of it. `plain` has none of it. */
const SWITCHES: readonly (readonly [OpenAICompat, (body: Body) => unknown, unknown])[] = [
  [{ supportsStore: true }, ({ store }) => store, false],
  [{ supportsDeveloperRole: true }, ({ messages }) => messages[0]?.["role"], "developer"],
  [{ supportsUsageInStreaming: false }, (body) => "stream_options" in body, false],
  [{ maxTokensField: "max_completion_tokens" }, (body) => body["max_completion_tokens"], 500],
  [{ supportsToolChoice: false }, (body) => "tool_choice" in body, false],
  [{ extraBody: { gateway: "m1", model: "protected" } }, ({ gateway, model }) => [gateway, model], ["m1", "m6"]],
  [{ supportsReasoningEffort: false }, (body) => "reasoning_effort" in body, false],
  [{ reasoningEffortMap: { high: "most" } }, (body) => body["reasoning_effort"], "most"],
  [{ thinkingFormat: "openrouter" }, ({ reasoning }) => reasoning, { effort: "high" }],
  [{ thinkingFormat: "zai" }, ({ thinking }) => thinking, { type: "enabled" }],
  [{ thinkingFormat: "qwen" }, (body) => body["enable_thinking"], true],
  [{ thinkingFormat: "qwen-chat-template" }, (body) => body["chat_template_kwargs"], { enable_thinking: true }],
  [{ requiresAssistantContentForToolCalls: true }, (body) => byRole(body, "assistant")["content"], "."],
  [{ requiresToolResultName: true }, (body) => byRole(body, "tool")["name"], "read"],
  [
    { requiresMistralToolIds: true },
    (body) => [call(body)["id"], byRole(body, "tool")["tool_call_id"]],
    [expect.stringMatching(/^[a-zA-Z0-9]{9}$/), expect.stringMatching(/^[a-zA-Z0-9]{9}$/)],
  ],
  [{ toolStrictMode: "all_strict" }, ({ tools }) => tools.every((tool) => tool.function["strict"] === true), true],
  [{ openRouterRouting: { only: ["x"] } }, (body) => "provider" in body, false],
];

it("G-56 each switch of models.yml shapes the second request of a conversation with a tool", async () => {
  const model = (id: string, compat: OpenAICompat): Json => ({ id, reasoning: true, maxTokens: 500, compat });
  const models = [model("plain", {}), ...SWITCHES.map(([compat], i) => model(`m${i + 1}`, compat))];
  const acme = { baseUrl: rig.server.baseUrl("chat"), api: "openai-completions", apiKey: "key", models };
  const home = rig.box.env["LATHE_HOME"] ?? "";
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "models.yml"), JSON.stringify({ providers: { acme } }));
  await writeFile(join(rig.box.dir, "a.txt"), "text");

  // Every schema of this tool set can be strict; the variables of `bash` cannot.
  const host = await rig.start("--thinking", "high", "--profile", "minimal");
  const second = async (id: string): Promise<Body> => {
    await host.data("set_model", { provider: "acme", modelId: id });
    await host.data("new_session");
    await host.prompt("go");
    return rig.server.requests.at(-1)?.body as unknown as Body;
  };
  const plain = await second("plain");
  expect(plain.messages.map(({ role }) => role)).toEqual(["system", "user", "user", "assistant", "tool"]);
  for (const [i, [compat, look, expected]] of SWITCHES.entries()) {
    const body = await second(`m${i + 1}`);
    expect([compat, look(body)]).toEqual([compat, expected]);
    const isOfAnotherHost = "openRouterRouting" in compat;
    if (!isOfAnotherHost) expect([compat, look(plain)]).not.toEqual([compat, expected]);
  }
  expect(rig.server.requests).toHaveLength(2 * (SWITCHES.length + 1));
  expect(await host.finish()).toBe(0);
});
