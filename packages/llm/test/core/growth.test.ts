import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSegmentCache } from "../../src/segments.ts";
import type { TransportRequest } from "../../src/types/adapter.ts";
import { InvalidRequestError } from "../../src/types/errors.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import type { EncodedRequest, SegmentCache } from "../../src/types/protocol.ts";
import type { Request } from "../../src/types/request.ts";
import { ALL, adapterFor, bodyText, type DialectCase, testDeps } from "./support.ts";

const LONG = process.env["LATHE_LONG"] !== undefined;
const PNG = new Uint8Array([137, 80, 78, 71]);

/** A round of a conversation as plain numbers, which determine its whole content. */
interface Round {
  readonly kind: "talk" | "tools" | "developer" | "users" | "image" | "file";
  readonly calls: number;
  readonly flags: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  kind: fc.constantFrom<Round["kind"][]>("talk", "tools", "tools", "developer", "users", "image", "file"),
  calls: fc.integer({ min: 1, max: 3 }),
  flags: fc.integer({ min: 0, max: 63 }),
});

/** What happens to the list of messages between two requests. */
type Change =
  | { readonly do: "extend"; readonly rounds: readonly Round[] }
  | { readonly do: "push"; readonly rounds: readonly Round[] }
  | { readonly do: "cut" | "replace" | "remove" | "compact"; readonly at: number }
  | { readonly do: "again" | "back" | "system" };

const rounds = fc.array(round, { minLength: 1, maxLength: 4 });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("extend" as const), rounds }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("push" as const), rounds }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("cut" as const, "replace" as const, "remove" as const, "compact" as const),
      at: fc.nat({ max: 40 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("again" as const, "back" as const, "system" as const) }) },
);

/** The rest of a request: parameters that affect markers, tools and thinking. */
const settings: fc.Arbitrary<Partial<Request>> = fc.constantFrom<Partial<Request>[]>(
  {},
  {},
  { toolChoice: { mode: "none" } },
  { toolChoice: { mode: "required" } },
  { reasoningEffort: "high" },
  { responseFormat: { type: "json_schema", jsonSchema: { type: "object", properties: {} } } },
  { providerOptions: Object.fromEntries(ALL.map(({ provider }) => [provider, { auto_cache: false }])) },
  { providerOptions: Object.fromEntries(ALL.map(({ provider }) => [provider, { foreign_thinking: "text" }])) },
);

/** An encoder keeps two or three of them as bytes. */
const PAGE = 'ü€😀 \\ " \n'.repeat(1500);

class Writer {
  #serial = 0;

  write({ kind, calls, flags }: Round, { provider, model }: DialectCase): Message[] {
    const serial = ++this.#serial;
    const marker = flags & 1 ? { cacheControl: { type: "ephemeral" as const } } : {};
    const asked = Message.user([{ kind: "text", text: `question ${serial}${flags & 32 ? PAGE : ""}`, ...marker }]);
    const thinking: ContentPart[] =
      flags & 2 ? [thought(`thought ${serial}`, flags & 4 ? provider : "other", model)] : [];
    switch (kind) {
      case "talk":
        return [asked, Message.assistant([...thinking, { kind: "text", text: `answer ${serial}` }])];
      case "developer":
        return [Message.developer(`note ${serial}`), asked];
      case "users":
        return [asked, Message.user(`and ${serial}`)];
      case "image":
        return [Message.user([{ kind: "image", image: { data: PNG, mediaType: "image/png" } }])];
      case "file":
        return [Message.user([{ kind: "image", image: { url: `/pictures/${serial}.png` } }])];
      case "tools": {
        const ids = Array.from({ length: calls }, (_, index) => `c${serial}-${index}`);
        const parts = ids.map(
          (id): ContentPart => ({
            kind: "tool_call",
            toolCall: { id, name: `tool${flags % 3}`, arguments: { n: serial }, type: "function" },
          }),
        );
        const images = flags & 8 ? [{ data: PNG, mediaType: "image/png" }] : [];
        const results = ids.map((id) => Message.toolResult({ toolCallId: id, content: `seen ${id}`, images }));
        return [asked, Message.assistant([...thinking, ...parts]), ...results, ...(flags & 16 ? [] : [asked])];
      }
    }
  }
}

function thought(text: string, provider: string, model: string): ContentPart {
  return { kind: "thinking", thinking: { text, signature: "sig", redacted: false, origin: { provider, model } } };
}

/** Every list that a run of changes goes through. `push` changes the list of the last request. */
function* lists(changes: readonly Change[], one: DialectCase): Generator<readonly Message[]> {
  const writer = new Writer();
  const write = (given: readonly Round[]) => given.flatMap((each) => writer.write(each, one));
  let messages: Message[] = [Message.system("rules"), Message.user("go")];
  let before = messages;
  yield messages;
  for (const next of changes) {
    const last = messages;
    const at = "at" in next ? next.at % messages.length : 0;
    switch (next.do) {
      case "extend":
        messages = [...messages, ...write(next.rounds)];
        break;
      case "push":
        messages.push(...write(next.rounds));
        break;
      case "cut":
        messages = messages.slice(0, at + 1);
        break;
      case "replace":
        messages = messages.with(at, Message.user(`changed ${at}`));
        break;
      case "remove":
        messages = messages.toSpliced(at, 1);
        break;
      case "compact":
        messages = [...messages.slice(0, 1), Message.user("summary"), ...messages.slice(at + 1)];
        break;
      case "system":
        messages = [Message.system("other rules"), ...messages.slice(1)];
        break;
      case "back":
        messages = before;
        break;
    }
    if (messages.length === 0) messages = [Message.user("anew")];
    before = last;
    yield messages;
  }
}

const tools = [0, 1, 2].map((n) => ({
  name: `tool${n}`,
  description: "d",
  parameters: { type: "object", properties: {} },
}));

function encode(one: DialectCase, request: Request, segments: SegmentCache, row: Partial<ModelInfo>): EncodedRequest {
  return one.protocol.encode({
    request,
    operation: "stream",
    provider: one.provider,
    model: {
      ...{ id: one.model, provider: one.provider, displayName: one.model, contextWindow: 100_000, aliases: [] },
      ...{ supportsTools: true, supportsVision: true, supportsReasoning: true, input: ["text", "image"] },
      ...row,
    },
    baseUrl: "http://127.0.0.1:1",
    cacheRetention: "short",
    segments,
    options: {},
  });
}

/** The complete result of an encoding, or why it was refused. */
function outcome(run: () => EncodedRequest) {
  try {
    const { body, segments, headers, warnings } = run();
    return { body: bodyText(body), segments: segments.map(({ kind, text }) => `${kind} ${text}`), headers, warnings };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return { refused: error.message };
  }
}

const withoutFiles = (changes: readonly Change[]): Change[] =>
  changes.map((each) =>
    "rounds" in each ? { ...each, rounds: each.rounds.filter(({ kind }) => kind !== "file") } : each,
  );

describe.each(ALL)("a conversation of $provider", (one) => {
  it("PC-01 whatever happens to it between requests, the bytes are those of a fresh encoding, markers included", () => {
    const rows = fc.constantFrom<Partial<ModelInfo>[]>(
      { supportsCachePoint: true, thinking: { mode: "adaptive" } },
      {
        thinking: { mode: "budget" },
        compat: { requiresAssistantAfterToolResult: true, requiresToolResultName: true },
      },
    );
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 14 }),
        fc.array(settings, { minLength: 1 }),
        rows,
        (changes, says, row) => {
          const warm = createSegmentCache();
          let turn = 0;
          for (const messages of lists(withoutFiles(changes), one)) {
            const request = { model: one.model, messages, tools, ...says[turn++ % says.length] };
            expect(outcome(() => encode(one, request, warm, row))).toEqual(
              outcome(() => encode(one, request, createSegmentCache(), row)),
            );
          }
        },
      ),
      { numRuns: LONG ? 2000 : 4 },
    );
  });

  it("PC-01 an adapter that has seen the conversation sends what a new one sends, files included", async () => {
    const bodies: string[] = [];
    const server = { baseUrl: () => "http://127.0.0.1:1" };
    const deps = testDeps({
      readFile: async () => PNG,
      fetch: async ({ body = [] }: TransportRequest) => {
        bodies.push(bodyText(body));
        throw new InvalidRequestError("sent", { provider: one.provider });
      },
    });
    const send = async (adapter: ReturnType<typeof adapterFor>, request: Request, checks: boolean): Promise<string> => {
      try {
        if (checks) adapter.segments?.(request);
        await adapter.stream(request, {})[Symbol.asyncIterator]().next();
      } catch (error) {
        if (!(error instanceof InvalidRequestError)) throw error;
        if (error.message !== "sent") return error.message;
      }
      return bodies.pop() ?? "nothing was sent";
    };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 10 }), fc.boolean(), async (changes, checks) => {
        const warm = adapterFor(one, server, { deps });
        for (const messages of lists(changes, one)) {
          const request = { model: one.model, messages, tools };
          const cold = await send(adapterFor(one, server, { deps }), request, false);
          expect(await send(warm, request, checks)).toBe(cold);
        }
      }),
      { numRuns: LONG ? 500 : 3 },
    );
  });

  it("PC-01 a long history goes out as bytes made once: with each request only its end is encoded", () => {
    const warm = createSegmentCache();
    const messages = [Message.system("rules"), Message.user("go")];
    let before: Uint8Array[] = [];
    for (let turn = 0; turn < 40; turn++) {
      messages.push(Message.assistant(`answer ${turn}`), Message.user(`${PAGE} ${turn}`));
      const { body } = encode(one, { model: one.model, messages: [...messages], tools }, warm, {});
      const bytes = body.filter((piece) => typeof piece !== "string");
      const texts = body.filter((piece) => typeof piece === "string");
      expect(before.every((piece, index) => Object.is(piece, bytes[index]))).toBe(true);
      // Text that is too short for its own piece, and the last messages, which markers may still change.
      expect(texts.join("").length).toBeLessThan(100_000);
      before = bytes;
      if (turn % 13 !== 0) continue;
      const sent = JSON.stringify(JSON.parse(bodyText(body)));
      expect([...sent.matchAll(/answer \d+/g)].map(String)).toEqual(
        Array.from({ length: turn + 1 }, (_, index) => `answer ${index}`),
      );
    }
    expect(before.length).toBeGreaterThan(8);
  });
});
