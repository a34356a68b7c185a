// Compares each cell of the table of formats with what our encoders write: what is carried is in the body for the
// provider, what is dropped is not and is named, what is refused never gets there.

import { describe, expect, it } from "vitest";
import { createSegmentCache } from "../../src/segments.ts";
import { fitRequest, largestAnswer, servedFormats } from "../../src/serve/index.ts";
import { FATES, type Feature, fateOf, PROVIDER_FORMATS } from "../../src/serve/table.ts";
import type { FormatName, ServedRequest } from "../../src/serve/types.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { ALL, type DialectCase } from "../core/support.ts";
import { modelRow } from "../protocols/support.ts";
import { targetOf } from "./gateway.ts";

const BYTES = Buffer.from("some bytes of a file").toString("base64");
const schema = { type: "object", properties: { zzfield: { type: "string" } } };
const user = (content: unknown): JsonObject => ({ messages: [{ role: "user", content }] }) as JsonObject;
const chat = (more: object): [FormatName, object] => [
  "chat",
  { model: "m", messages: [{ role: "user", content: "hi" }], ...more },
];
const messages = (more: object): [FormatName, object] => [
  "messages",
  { model: "m", max_tokens: 5000, messages: [{ role: "user", content: "hi" }], ...more },
];
const own = (part: object): [FormatName, object] => [
  "stream",
  { request: { model: "m", messages: [{ role: "user", content: [{ kind: "text", text: "hi" }, part] }] } },
];
const tool = { type: "function", function: { name: "zzread", parameters: schema } };
const round = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [{ type: "tool_use", id: "c", name: "zzread", input: { zzfield: "a" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "r", is_error: true }] },
];
const readTool = { name: "zzread", input_schema: schema };

/** A request that uses one feature, and the part of a body that carries it. */
const SAMPLES: Readonly<Record<Feature, readonly [body: readonly [FormatName, object], sign: RegExp]>> = {
  image: [chat(user([{ type: "image_url", image_url: { url: `data:image/png;base64,${BYTES}` } }])), new RegExp(BYTES)],
  image_url: [chat(user([{ type: "image_url", image_url: { url: "https://zz.example/a.png" } }])), /zz\.example/],
  document: [own({ kind: "document", document: { data: BYTES, mediaType: "application/pdf" } }), new RegExp(BYTES)],
  document_url: [own({ kind: "document", document: { url: "https://zz.example/a.pdf" } }), /zz\.example/],
  audio: [own({ kind: "audio", audio: { data: BYTES, mediaType: "audio/wav" } }), new RegExp(BYTES)],
  tools: [chat({ tools: [tool] }), /zzread.*zzfield|zzfield.*zzread/s],
  tool_choice: [chat({ tools: [tool], tool_choice: "required" }), /"required"|"any"|"ANY"|"any":\{\}/],
  custom_tool: [["responses", { model: "m", input: "hi", tools: [{ type: "custom", name: "zzpatch" }] }], /zzpatch/],
  custom_tool_grammar: [
    [
      "responses",
      {
        model: "m",
        input: "hi",
        tools: [{ type: "custom", name: "p", format: { type: "grammar", definition: "ZZGRAM" } }],
      },
    ],
    /ZZGRAM/,
  ],
  tool_result_error: [messages({ messages: round, tools: [readTool] }), /"is_error":true|"status":"error"|"error":"r"/],
  parallel_tool_calls: [
    chat({ tools: [tool], parallel_tool_calls: false }),
    /"parallel_tool_calls":false|"disable_parallel_tool_use":true/,
  ],
  structured_output: [
    chat({ response_format: { type: "json_schema", json_schema: { name: "n", schema } } }),
    /zzfield/,
  ],
  stop_sequences: [chat({ stop: ["ZZSTOP"] }), /ZZSTOP/],
  cache_control: [
    messages({
      messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] }],
    }),
    /cache_control|cachePoint/,
  ],
  thinking: [chat({}), /hi/],
  thinking_budget: [messages({ thinking: { type: "enabled", budget_tokens: 2345 } }), /2345/],
  user_id: [messages({ metadata: { user_id: "zzuser" } }), /zzuser/],
  message_name: [chat({ messages: [{ role: "user", content: "hi", name: "zzname" }] }), /zzname/],
  top_k: [messages({ top_k: 37 }), /"top_?k":37/i],
  seed: [chat({ seed: 4711 }), /"seed":4711/],
  frequency_penalty: [chat({ frequency_penalty: 0.77 }), /"frequency_?penalty":0.77/i],
  presence_penalty: [chat({ presence_penalty: 0.66 }), /"presence_?penalty":0.66/i],
  verbosity: [chat({ verbosity: "low" }), /"verbosity":"low"/],
};

function fitted([name, body]: readonly [FormatName, object], one: DialectCase) {
  const format = servedFormats.find((known) => known.name === name)!;
  const decoded = format.decode(body);
  if (decoded.kind === "refused") throw new Error(decoded.refusal.message);
  const target = targetOf(one);
  return fitRequest(decoded.served, format, { ...target, model: { ...target.model, supportsCachePoint: true } });
}

function written({ request }: ServedRequest, one: DialectCase): string {
  const { body } = one.protocol.encode({
    request,
    operation: "stream",
    provider: one.provider,
    model: { ...targetOf(one).model, supportsCachePoint: true },
    baseUrl: "http://127.0.0.1:1/v1",
    cacheRetention: "none",
    segments: createSegmentCache(),
    options: {},
  });
  return Buffer.concat(body.map((piece) => Buffer.from(piece as string))).toString();
}

describe("AU-05 the table of formats is true", () => {
  const cells = FATES.flatMap(({ what }) => ALL.map((one) => [what, one.dialect, one] as const));

  it.each(cells)("%s at %s", (what, _, one) => {
    const [body, sign] = SAMPLES[what];
    const fate = fateOf(what, PROVIDER_FORMATS[targetOf(one).api]!);
    const result = fitted(body, one);
    expect(result.kind).toBe(fate === "refused" ? "refused" : "request");
    if (result.kind === "refused") {
      expect(result.refusal.field).toBeTruthy();
      return;
    }
    expect(result.served.dropped.map((dropped) => dropped.what)).toEqual(fate === "dropped" ? [what] : []);
    if (fate === "carried") expect(written(result.served, one)).toMatch(sign);
    else expect(written(result.served, one)).not.toMatch(sign);
  });

  it("the field of a refusal is called as the client calls it", () => {
    const responses = ALL.find(({ dialect }) => dialect === "responses")!;
    const result = fitted(SAMPLES.stop_sequences[0], responses);
    expect(result).toMatchObject({ kind: "refused", refusal: { kind: "invalid", field: "stop" } });
  });

  it("the largest answer counts the thinking that is asked for beside it", () => {
    const request = { model: "m", messages: [], maxTokens: 1000 };
    expect(largestAnswer(request, modelRow("m", { maxOutput: 32_000 }))).toBe(1000);
    expect(largestAnswer({ model: "m", messages: [] }, modelRow("m", { maxOutput: 32_000 }))).toBe(32_000);
    expect(largestAnswer({ model: "m", messages: [] }, modelRow("m"))).toBeUndefined();
    const budget = modelRow("m", { maxOutput: 32_000, thinking: { mode: "budget" } });
    expect(largestAnswer({ ...request, reasoningEffort: "low" }, budget)).toBe(5096);
  });
});
