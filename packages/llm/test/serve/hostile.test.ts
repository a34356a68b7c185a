// Malicious bodies and texts: refused by the name of a field, or harmless. None brings down a server, reaches a file of
// its machine, or makes a client read events that the model's vendor did not send.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSegmentCache } from "../../src/segments.ts";
import { carry } from "../../src/serve/common/carrier.ts";
import { fitRequest, servedFormats, warningHeaders } from "../../src/serve/index.ts";
import type { FormatName } from "../../src/serve/types.ts";
import { SDKError } from "../../src/types/errors.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { ALL } from "../core/support.ts";
import { targetOf } from "./gateway.ts";

import { formatOf, GOOD, user } from "./good-bodies.ts";

const runs = process.env["LATHE_LONG"] ? 20_000 : 300;

/** The body with one member set, by a path such as `messages.1.role`. */
function altered(body: JsonObject, path: string, value: unknown): JsonObject {
  const copy = structuredClone(body);
  const steps = path.split(".");
  const last = steps.pop()!;
  let at = copy as unknown as Record<string, unknown>;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

function refusedField(name: FormatName, body: unknown): string | undefined {
  const decoded = formatOf(name).decode(body);
  return decoded.kind === "refused" ? decoded.refusal.field : undefined;
}

function nested(depth: number): JsonValue {
  return JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) as JsonValue;
}

const call = (id: string): JsonObject => ({ id, type: "function", function: { name: "t", arguments: "{}" } });
const result = (id: string): JsonObject => ({ role: "tool", tool_call_id: id, content: "r" });

describe("AU-05 hostile bodies", () => {
  it.each(servedFormats.map(({ name }) => name))("%s: the bodies that the others are made from are taken", (name) => {
    expect(refusedField(name, GOOD[name])).toBeUndefined();
    for (const one of ALL) {
      const decoded = formatOf(name).decode(GOOD[name]);
      if (decoded.kind === "refused") throw new Error(decoded.refusal.message);
      expect(["request", "refused"]).toContain(fitRequest(decoded.served, formatOf(name), targetOf(one)).kind);
    }
  });

  it.each([
    ["no object", [1], "body"],
    ["an unknown field", altered(GOOD.chat, "frobnicate", 1), "frobnicate"],
    ["a field that cannot be honoured", altered(GOOD.chat, "logit_bias", { "1": 2 }), "logit_bias"],
    ["several answers", altered(GOOD.chat, "n", 2), "n"],
    ["an infinite number", altered(GOOD.chat, "temperature", Number.POSITIVE_INFINITY), "temperature"],
    ["no number", altered(GOOD.chat, "temperature", Number.NaN), "temperature"],
    ["depth", altered(GOOD.chat, "metadata", { a: nested(50_000) }), "body"],
    [
      "depth inside arguments",
      altered(GOOD.chat, "messages.2.tool_calls.0.function.arguments", `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`),
      "messages[2].tool_calls[0]",
    ],
    ["an unknown role", altered(GOOD.chat, "messages.1.role", "root"), "messages[1].role"],
    ["a role from the prototype", altered(GOOD.chat, "messages.1.role", "constructor"), "messages[1].role"],
    [
      "a part from the prototype",
      altered(GOOD.chat, "messages.1.content.0.type", "__proto__"),
      "messages[1].content[0].type",
    ],
    [
      "a prototype key",
      JSON.parse('{"model":"m","messages":[{"role":"user","content":"x","__proto__":{"a":1}}]}'),
      "messages[0].__proto__",
    ],
    ["a missing result", altered(GOOD.chat, "messages.3", user), "messages"],
    ["a result of no call", altered(GOOD.chat, "messages.3.tool_call_id", "d"), "messages"],
    ["two calls of one id", altered(GOOD.chat, "messages.2.tool_calls", [call("c"), call("c")]), "messages"],
    ["two results of one call", altered(GOOD.chat, "messages.4", result("c")), "messages"],
    ["two tools of one name", altered(GOOD.chat, "tools.1", (GOOD.chat["tools"] as JsonValue[])[0]), "tools[1]"],
    [
      "a choice of no tool",
      altered(GOOD.chat, "tool_choice", { type: "function", function: { name: "x" } }),
      "tool_choice",
    ],
    [
      "a file of the server",
      altered(GOOD.chat, "messages.1.content.1.image_url.url", "/etc/passwd"),
      "messages[1].content[1].image_url.url",
    ],
    [
      "a file of the server by its scheme",
      altered(GOOD.chat, "messages.1.content.1.image_url.url", "file:///etc/passwd"),
      "messages[1].content[1].image_url.url",
    ],
    [
      "a home of the server",
      altered(GOOD.chat, "messages.1.content.1.image_url.url", "~/.ssh/id"),
      "messages[1].content[1].image_url.url",
    ],
    [
      "a type that is none",
      altered(GOOD.chat, "messages.1.content.1.image_url.url", "data:image/png\r\nx: y;base64,AAAA"),
      "messages[1].content[1].image_url.url",
    ],
    ["a tool named like a header", altered(GOOD.chat, "tools.0.function.name", "a\r\nb"), "tools[0].function"],
    ["a body of Messages", GOOD.messages, "max_tokens"],
  ])("chat: %s", (_, body, field) => {
    const found = refusedField("chat", body);
    if (field === "max_tokens") expect(found).toMatch(/^(system|thinking|tools\[0\])/);
    else expect(found).toBe(field);
  });

  it.each([
    ["messages", "a body of Chat Completions", GOOD.chat, "max_tokens"],
    ["messages", "a server of tools", altered(GOOD.messages, "mcp_servers", []), "mcp_servers"],
    [
      "messages",
      "a tool of the vendor's",
      altered(GOOD.messages, "tools.0.type", "web_search_20250305"),
      "tools[0].type",
    ],
    [
      "messages",
      "a block of the vendor's",
      altered(GOOD.messages, "messages.0.content", [{ type: "server_tool_use" }]),
      "messages[0].content[0].type",
    ],
    [
      "messages",
      "a result in the wrong place",
      altered(GOOD.messages, "messages.2.content.0.tool_use_id", "x"),
      "messages",
    ],
    [
      "messages",
      "a file of the server",
      altered(GOOD.messages, "messages.0.content", [{ type: "image", source: { type: "url", url: "./x.png" } }]),
      "messages[0].content[0].source.url",
    ],
    [
      "messages",
      "another lifetime",
      altered(GOOD.messages, "system.0.cache_control.ttl", "1y"),
      "system[0].cache_control.ttl",
    ],
    ["responses", "a body of Messages", GOOD.messages, "input"],
    ["responses", "a stored answer", altered(GOOD.responses, "previous_response_id", "r"), "previous_response_id"],
    [
      "responses",
      "a stored item",
      altered(GOOD.responses, "input.0", { type: "item_reference", id: "x" }),
      "input[0].type",
    ],
    ["responses", "a tool of the vendor's", altered(GOOD.responses, "tools.0.type", "shell"), "tools[0].type"],
    [
      "responses",
      "a stored file",
      altered(GOOD.responses, "input.0.content", [{ type: "input_file", file_id: "f" }]),
      "input[0].content[0].file_id",
    ],
    [
      "stream",
      "options for a vendor",
      altered(GOOD.stream, "request.providerOptions", { p: { a: 1 } }),
      "request.providerOptions",
    ],
    ["stream", "a provider", altered(GOOD.stream, "request.provider", "p"), "request.provider"],
    [
      "stream",
      "a part of a vendor's",
      altered(GOOD.stream, "request.messages.0.content.0.kind", "unknown"),
      "request.messages[0].content[0].type",
    ],
    [
      "stream",
      "a file of the server",
      altered(GOOD.stream, "request.messages.0.content.0", { kind: "document", document: { url: "/etc/passwd" } }),
      "request.messages[0].content[0].document.url",
    ],
    [
      "stream",
      "a signature that is no JSON",
      altered(GOOD.stream, "request.messages.1.content.0.toolCall.signature", "{x"),
      "request.messages[1].content[0].toolCall.signature",
    ],
  ] as const)("%s: %s", (name, _, body, field) => {
    expect(refusedField(name, body)).toBe(field);
  });

  it("the refusal of a value does not repeat it", () => {
    const decoded = formatOf("chat").decode(altered(GOOD.chat, "temperature", "the secret prompt"));
    expect(JSON.stringify(decoded)).not.toContain("secret");
  });

  it("ten thousand messages are read, a hundred thousand are refused before they are", () => {
    const messages = Array.from({ length: 10_000 }, () => user);
    expect(formatOf("chat").decode({ model: "m", messages }).kind).toBe("request");
    expect(refusedField("chat", { model: "m", messages: Array.from({ length: 100_000 }, () => user) })).toBe("body");
  });

  it("halves of characters reach a vendor as whole ones", () => {
    const decoded = formatOf("chat").decode({ model: "m", messages: [{ role: "user", content: "a\ud800b" }] });
    if (decoded.kind === "refused") throw new Error("refused");
    const [one] = ALL;
    const { request } = decoded.served;
    const { body } = one!.protocol.encode(encodeInput(one!, request));
    expect(Buffer.concat(body.map((piece) => Buffer.from(piece as string))).toString()).toContain("a\ufffdb");
  });

  it("whatever is changed in a body: a refusal that names a field, or a request that every encoder can write", () => {
    const names = servedFormats.map(({ name }) => name);
    fc.assert(
      fc.property(fc.constantFrom(...names), change, change, (name, first, second) => {
        const body = apply(apply(GOOD[name], first), second);
        const format = formatOf(name);
        const decoded = format.decode(body);
        if (decoded.kind === "refused") {
          expect(decoded.refusal.field).toBeTruthy();
          return;
        }
        for (const one of ALL) {
          const fitted = fitRequest(decoded.served, format, targetOf(one));
          if (fitted.kind === "refused") continue;
          try {
            one.protocol.encode(encodeInput(one, fitted.served.request));
          } catch (error) {
            if (!(error instanceof SDKError)) throw error;
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it("what a client changed in the opaque text of an answer is not used, or goes only where it says it is from", () => {
    const forged = [
      carry({ origin: { provider: "openai", model: "gpt-5.2" }, signature: "{bad" }),
      carry({ origin: { provider: "elsewhere", model: "gpt-5.2" }, signature: "stolen" }),
      "lathe1_AAAA",
      "lathe1_%",
      `lathe1_${"A".repeat(100_000)}`,
    ];
    for (const encrypted of forged) {
      const body = altered(GOOD.responses, "input.1.encrypted_content", encrypted);
      const decoded = formatOf("responses").decode(body);
      if (decoded.kind === "refused") throw new Error(decoded.refusal.message);
      const one = ALL.find(({ dialect }) => dialect === "anthropic")!;
      const fitted = fitRequest(decoded.served, formatOf("responses"), targetOf(one));
      if (fitted.kind === "refused") throw new Error(fitted.refusal.message);
      expect(JSON.stringify(fitted.served.request.messages)).not.toMatch(/stolen|bad|lathe1_/);
      expect(warningHeaders(fitted.served.dropped)["x-lathe-dropped"]).toContain("thinking");
    }
  });
});

type Case = (typeof ALL)[number];

function encodeInput(one: Case, request: Parameters<Case["protocol"]["encode"]>[0]["request"]) {
  return {
    request,
    operation: "stream" as const,
    provider: one.provider,
    model: targetOf(one).model,
    baseUrl: "http://127.0.0.1:1/v1",
    cacheRetention: "short" as const,
    segments: createSegmentCache(),
    options: {},
  };
}

interface Change {
  readonly path: readonly number[];
  readonly key: string | undefined;
  readonly value: JsonValue;
}

const ODD: readonly JsonValue[] = [
  "",
  "__proto__",
  "constructor",
  "\ud800",
  "a\r\nb",
  -1,
  1e308,
  null,
  [],
  {},
  true,
  "lathe1_e30",
];
const change: fc.Arbitrary<Change> = fc.record({
  path: fc.array(fc.nat(20), { maxLength: 6 }),
  key: fc.option(fc.constantFrom("__proto__", "type", "role", "content", "id", "name", "cache_control"), {
    nil: undefined,
  }),
  value: fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>),
});

/** Replaces one place of the body, or adds a member there. */
function apply(body: JsonObject, { path, key, value }: Change): JsonObject {
  const copy = structuredClone(body);
  let at: JsonObject = copy;
  let parent: { of: JsonObject; name: string } | undefined;
  for (const step of path) {
    const names = Object.keys(at);
    if (names.length === 0) break;
    const name = names[step % names.length]!;
    parent = { of: at, name };
    const next = at[name];
    if (typeof next !== "object" || next === null) break;
    at = next as JsonObject;
  }
  const [target, name] = key !== undefined ? [at, key] : [parent?.of ?? copy, parent?.name ?? "model"];
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}
