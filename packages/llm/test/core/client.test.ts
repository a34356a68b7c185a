import { startModelServer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Blocks, type ProviderAdapter } from "../../src/adapter-kit.ts";
import { Client } from "../../src/client/client.ts";
import { getDefaultClient, setDefaultClient } from "../../src/client/default.ts";
import { defaultDeps } from "../../src/deps.ts";
import { generate } from "../../src/generate/generate.ts";
import type { ClientMiddleware } from "../../src/middleware/compose.ts";
import { ConfigurationError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import { Message, textOf } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";
import type { Response } from "../../src/types/response.ts";
import { ANTHROPIC, clientFor, collect, GEMINI, OPENAI, THREE, testDeps } from "./support.ts";

const hello = (overrides: Partial<Request> = {}): Request => ({
  model: "m",
  messages: [Message.user("hi")],
  ...overrides,
});

/** A handwritten adapter that answers with what it was told. */
function echoAdapter(name: string): ProviderAdapter & { readonly seen: Request[]; closed: number } {
  const seen: Request[] = [];
  const answer = (request: Request): { events: StreamEvent[]; response: Response } => {
    seen.push(request);
    const events: StreamEvent[] = [];
    const sink = new Blocks({
      provider: name,
      model: request.model,
      origin: { provider: name, model: request.model },
      newId: () => "id",
      emit: (event) => events.push(event),
    });
    sink.text("0", `${name}: ${request.messages.map(textOf).join(" ")}`);
    sink.finishReason({ reason: "stop" });
    sink.finish();
    return { events, response: sink.response as Response };
  };
  return {
    name,
    seen,
    closed: 0,
    complete: async (request) => answer(request).response,
    async *stream(request) {
      yield* answer(request).events;
    },
    async close() {
      this.closed++;
    },
  };
}

afterEach(() => setDefaultClient(undefined));

describe("client", () => {
  it("CL-02 A-001 the environment decides which providers there are, in order", () => {
    const keys = { ANTHROPIC_API_KEY: "sk-a", GEMINI_API_KEY: "sk-g" };
    const client = Client.fromEnv({ env: keys });
    expect(client.providers()).toEqual(["anthropic", "gemini"]);
    expect(client.defaultProvider).toBe("anthropic");
    const beside = Client.fromEnv({ deps: testDeps({ env: { GROQ_API_KEY: "none of these" } }), env: keys });
    expect(beside.providers()).toEqual(client.providers());
    const all = Client.fromEnv({ env: { ...keys, OPENAI_API_KEY: "sk-o" } });
    expect(all.providers()).toEqual(["openai", "anthropic", "gemini"]);
  });

  it("CL-02 another name of a vendor reaches the provider under its id, unless that name is registered", async () => {
    const gemini = echoAdapter("gemini");
    const client = new Client({ providers: { openai: echoAdapter("openai"), gemini }, defaultProvider: "google" });
    expect(client.defaultProvider).toBe("gemini");
    await client.complete(hello({ provider: "google" }));
    expect(gemini.seen.map(({ provider }) => provider)).toEqual(["gemini"]);
    const own = echoAdapter("google");
    await new Client({ providers: { gemini, google: own } }).complete(hello({ provider: "google" }));
    expect([gemini.seen.length, own.seen.length]).toEqual([1, 1]);
    await expect(client.complete(hello({ provider: "azure" }))).rejects.toThrow(/"azure" is not registered/);
  });

  it("CL-02 CL-08 A-009 A-010 env clients reach the native paths with their key", async () => {
    await using server = await startModelServer({ script: () => turn.text("ok") });
    const env = {
      OPENAI_API_KEY: "sk-o",
      OPENAI_BASE_URL: server.baseUrl("openai"),
      ANTHROPIC_API_KEY: "sk-a",
      ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
      GEMINI_API_KEY: "sk-g",
      GEMINI_BASE_URL: server.baseUrl("gemini"),
    };
    const client = Client.fromEnv({ deps: testDeps({ env }) });
    for (const one of THREE) {
      await client.complete(hello({ model: one.model, provider: one.provider }));
      await collect(client.stream(hello({ model: one.model, provider: one.provider })));
    }
    expect(server.requests.map((request) => request.path)).toEqual([
      "/v1/responses",
      "/v1/responses",
      "/v1/messages",
      "/v1/messages",
      `/v1beta/models/${GEMINI.model}:generateContent`,
      `/v1beta/models/${GEMINI.model}:streamGenerateContent`,
    ]);
    const keys = server.requests.map(
      ({ headers }) => headers.authorization ?? headers["x-api-key"] ?? headers["x-goog-api-key"],
    );
    expect(keys).toEqual(["Bearer sk-o", "Bearer sk-o", "sk-a", "sk-a", "sk-g", "sk-g"]);
    await client.close();
  });

  it("CL-02 A-005 an empty environment makes a client whose first call explains itself", async () => {
    const client = Client.fromEnv({ env: {} });
    expect(client.providers()).toEqual([]);
    await expect(client.complete(hello())).rejects.toThrow(ConfigurationError);
  });

  it("A-002 an explicit adapter gets the request", async () => {
    await using server = await startModelServer({ script: [turn.text("here")] });
    const response = await clientFor(ANTHROPIC, server).complete(hello({ model: ANTHROPIC.model }));
    expect(response.text).toBe("here");
    expect(server.requests).toHaveLength(1);
  });

  it("CL-01 CL-03 A-003 A-004 a hand-written adapter is chosen by name, else the default; the model passes unchanged", async () => {
    const [a, b] = [echoAdapter("a"), echoAdapter("b")];
    const client = new Client({ providers: { a, b }, defaultProvider: "b" });
    expect((await client.complete(hello({ provider: "a", model: "gpt-5.2" }))).text).toBe("a: hi");
    expect((await client.complete(hello())).text).toBe("b: hi");
    const events = await collect(client.stream(hello({ provider: "a" })));
    expect(events.at(-1)).toMatchObject({ type: "finish", response: { text: "a: hi" } });
    expect(a.seen.map((request) => request.model)).toEqual(["gpt-5.2", "m"]);
  });

  it("CL-03 an unknown provider is named together with the registered ones", async () => {
    const client = new Client({ providers: { a: echoAdapter("a"), b: echoAdapter("b") } });
    await expect(client.complete(hello({ provider: "zzz" }))).rejects.toThrow(/zzz.*a, b/);
    expect(() => new Client({ providers: {}, defaultProvider: "zzz" })).toThrow(ConfigurationError);
  });

  it.each([
    [{ messages: [Message.user("x")] }, "The request names no model."],
    [{ model: "m", messages: [{ role: "user", content: "plain" }] }, /list of parts; Message\.user\(text\)/],
  ])("CL-03 a caller without types is told what is wrong: %j", async (request, message) => {
    await using server = await startModelServer({ script: [] });
    await expect(clientFor(ANTHROPIC, server).complete(request as unknown as Request)).rejects.toThrow(message);
    expect(server.requests).toEqual([]);
  });

  it("CL-05 close reaches every adapter once, then reports the first failure", async () => {
    const good = echoAdapter("good");
    const bad: ProviderAdapter = {
      ...echoAdapter("bad"),
      close: async () => {
        throw new Error("stuck");
      },
    };
    await expect(new Client({ providers: { bad, good } }).close()).rejects.toThrow("stuck");
    expect(good.closed).toBe(1);
  });

  it("CL-05 a failing initialize is reported by the first call, not before", async () => {
    const broken: ProviderAdapter = {
      ...echoAdapter("x"),
      initialize: async () => {
        throw new ConfigurationError("the region is missing");
      },
    };
    const client = new Client({ providers: { x: broken } });
    await expect(client.complete(hello())).rejects.toThrow("the region is missing");
    await expect(collect(client.stream(hello()))).rejects.toThrow("the region is missing");
  });
});

describe("middleware", () => {
  const logging = (name: string, log: string[]): ClientMiddleware => ({
    async complete(request, next) {
      log.push(`${name}>`);
      const response = await next(request);
      log.push(`<${name}`);
      return response;
    },
    async *stream(request, next) {
      log.push(`${name}>`);
      try {
        yield* next(request);
      } finally {
        log.push(`<${name}`);
      }
    },
  });

  it("CL-04 A-006 onion order in both modes", async () => {
    const log: string[] = [];
    const middleware = ["a", "b", "c"].map((name) => logging(name, log));
    const client = new Client({ providers: { x: echoAdapter("x") }, middleware });
    await client.complete(hello());
    expect(log.splice(0).join(" ")).toBe("a> b> c> <c <b <a");
    await collect(client.stream(hello()));
    expect(log.join(" ")).toBe("a> b> c> <c <b <a");
  });

  it("CL-04 it sees the resolved provider, may change the request, and may lack a hook", async () => {
    const seen: (string | undefined)[] = [];
    const adapter = echoAdapter("x");
    const client = new Client({
      providers: { x: adapter },
      middleware: [
        {
          complete(request, next) {
            seen.push(request.provider);
            return next({ ...request, model: "other" });
          },
        },
        {},
      ],
    });
    await client.complete(hello());
    await collect(client.stream(hello()));
    expect([seen, adapter.seen.map((request) => request.model)]).toEqual([["x"], ["other", "m"]]);
  });

  it("CL-04 a cache that answers itself leaves the server alone", async () => {
    await using server = await startModelServer();
    const cached = (await new Client({ providers: { x: echoAdapter("x") } }).complete(hello())) as Response;
    const client = clientFor(ANTHROPIC, server, { middleware: [{ complete: async () => cached }] });
    expect(await client.complete(hello())).toBe(cached);
    expect(server.requests).toHaveLength(0);
  });

  it("CL-04 breaking out closes every inner iterator and the socket", async () => {
    const log: string[] = [];
    await using server = await startModelServer({ script: [turn.text("x ", { fault: { kind: "endless" } })] });
    const client = clientFor(OPENAI, server, { middleware: [logging("a", log), logging("b", log)] });
    for await (const event of client.stream(hello({ model: OPENAI.model }))) if (event.type === "text_delta") break;
    expect(log.join(" ")).toBe("a> b> <b <a");
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
  });
});

describe("default client", () => {
  it("CL-06 A-007 the set client serves calls that name none", async () => {
    const adapter = echoAdapter("x");
    setDefaultClient(new Client({ providers: { x: adapter } }));
    expect((await generate({ model: "m", prompt: "hi" })).text).toBe("x: hi");
    expect(adapter.seen).toHaveLength(1);
  });

  it("CL-06 A-007 two first calls at once make one client from the environment", async () => {
    await using server = await startModelServer({ script: () => turn.text("ok") });
    vi.stubEnv("OPENAI_API_KEY", "");
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-lazy");
    vi.stubEnv("ANTHROPIC_BASE_URL", server.baseUrl("anthropic"));
    const fromEnv = vi.spyOn(Client, "fromEnv");
    const answers = await Promise.all(["a", "b"].map((prompt) => generate({ model: ANTHROPIC.model, prompt })));
    expect(answers.map((answer) => answer.text)).toEqual(["ok", "ok"]);
    expect(fromEnv).toHaveBeenCalledTimes(1);
    expect(getDefaultClient().providers()).toContain("anthropic");
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it("CL-06 two deps built from one environment do not share state", () => {
    const [one, two] = [defaultDeps({ env: { A: "1" } }), defaultDeps({ env: { A: "2" } })];
    expect([one.env["A"], two.env["A"]]).toEqual(["1", "2"]);
    expect(one.fetch).not.toBe(two.fetch);
  });
});
