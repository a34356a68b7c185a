import { describe, expect, it } from "vitest";
import { commonPrefix, gate, startModelServer, turn } from "../src/index.ts";
import { dialectNames, sample, send } from "./wire.ts";

describe("the server", () => {
  it("records method, path, query, headers, bytes, time and outcome of every request", async () => {
    await using server = await startModelServer({ script: [turn.text("x")], now: () => 42 });
    const { path, headers, body } = sample("gemini", true);
    await send(server, { path, headers, body });
    expect(server.requests).toHaveLength(1);
    const request = server.requests[0]!;
    expect(request).toMatchObject({
      index: 0,
      method: "POST",
      path: "/v1beta/models/gemini-3-flash-preview:streamGenerateContent",
      query: { alt: "sse" },
      arrivedAt: 42,
      closedEarly: false,
      dialect: "gemini",
      stream: true,
    });
    expect(request.headers["x-goog-api-key"]).toBe("k");
    expect(request.rawBody.toString()).toBe(JSON.stringify(body));
    expect(request.body).toEqual(body);
  });

  it("says plainly when the script has come to its end", async () => {
    await using server = await startModelServer({ script: [turn.text("only one")] });
    await send(server, sample("chat", true));
    expect(server.remaining).toBe(0);
    const answer = await send(server, sample("chat", true));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).error.message).toContain("no turn left for request 1");
    server.push(turn.text("one more"));
    expect((await send(server, sample("chat", false))).body).toContain("one more");
  });

  it("asks a script function, which sees the request and may take its time", async () => {
    await using server = await startModelServer({
      script: async (request) => turn.text(`you are number ${request.index} with ${request.body.model}`),
    });
    await send(server, sample("chat", false));
    expect((await send(server, sample("responses", false))).body).toContain("number 1 with m");
  });

  it("shows the error of a script function in the answer", async () => {
    await using server = await startModelServer({
      script: () => {
        throw new Error("bug in the test");
      },
    });
    const answer = await send(server, sample("chat", false));
    expect(answer).toMatchObject({ status: 500, body: expect.stringContaining("bug in the test") });
  });

  it("holds the head and every event at gates until the test opens them", async () => {
    const head = gate();
    const third = gate();
    await using server = await startModelServer({
      script: [
        turn.text("abcdef", {
          deltaChars: 1,
          before: head.wait,
          beforeEvent: (i) => (i === 2 ? third.wait() : undefined),
        }),
      ],
    });
    const chunks: Buffer[] = [];
    let ended = false;
    const answer = send(server, sample("chat", true), (seen) => {
      chunks.splice(0, chunks.length, ...seen);
      return false;
    }).then((value) => {
      ended = true;
      return value;
    });
    const request = await server.waitForRequest(0);
    await head.reached;
    expect(request.body.model).toBe("m");
    expect(chunks).toHaveLength(0);
    head.open();
    await third.reached;
    expect(ended).toBe(false);
    third.open();
    expect((await answer).chunks.length).toBeGreaterThan(6);
  });

  it("notices a client that leaves in the middle", async () => {
    const never = gate();
    await using server = await startModelServer({
      script: [turn.text("abcdef", { deltaChars: 1, beforeEvent: (i) => (i === 3 ? never.wait() : undefined) })],
    });
    await send(server, sample("responses", true), (chunks) => chunks.length === 3);
    await server.requests[0]!.finished;
    expect(server.requests[0]!.closedEarly).toBe(true);
    never.open();
  });

  it("does not call its own cut an early close of the client", async () => {
    await using server = await startModelServer({ script: [turn.withFault({ kind: "cut", at: { events: 1 } })] });
    await send(server, sample("chat", true));
    await server.requests[0]!.finished;
    expect(server.requests[0]).toMatchObject({ closedEarly: false, cutByServer: true });
  });

  it("closes with requests under way and leaves no socket", async () => {
    const server = await startModelServer({ script: [turn.withFault({ kind: "stall", afterEvents: 0 })] });
    const answer = send(server, sample("chat", true));
    await server.waitForRequest(0);
    await server.close();
    expect((await answer).complete).toBe(false);
    expect(server.openSockets).toBe(0);
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it("demands exactly one key when told", async () => {
    await using server = await startModelServer({ script: () => turn.text("x"), auth: { key: "right" } });
    const { path, body } = sample("chat", false);
    const post = (key: string) => send(server, { path, body, headers: { authorization: `Bearer ${key}` } });
    expect((await post("wrong")).status).toBe(401);
    expect((await post("right")).status).toBe(200);
    await using open = await startModelServer({ script: () => turn.text("x"), auth: "none" });
    expect((await send(open, { path, body, headers: {} })).status).toBe(200);
  });
});

describe("raw turns", () => {
  it("send exactly the given chunks, status and headers", async () => {
    const chunks = ["data: {", Buffer.from([0xc3]), Buffer.from([0xa9]), "}\r", "\n\r\n"];
    await using server = await startModelServer({
      script: [turn.raw({ status: 207, headers: { "content-type": "text/plain", "x-a": "b" }, chunks })],
    });
    const answer = await send(server, sample("chat", true));
    expect(answer).toMatchObject({ status: 207, complete: true, body: "data: {é}\r\n\r\n" });
    expect(answer.chunks.map((chunk) => chunk.length)).toEqual([7, 1, 1, 2, 3]);
    expect(answer.headers).toMatchObject({ "x-a": "b" });
  });

  it("may reset or hang instead of ending", async () => {
    await using server = await startModelServer({
      script: [turn.raw({ chunks: ["ab"], after: "reset" }), turn.raw({ chunks: ["cd"], after: "hang" })],
    });
    expect(await send(server, sample("chat", true))).toMatchObject({ body: "ab", complete: false });
    const left = await send(server, sample("chat", true), () => true);
    expect(left).toMatchObject({ body: "cd", complete: false });
    await server.requests[1]!.finished;
    expect(server.requests[1]!.closedEarly).toBe(true);
  });
});

describe("the fast mode", () => {
  it.each(dialectNames)("streams the same bytes as the slow one in the dialect %s", async (dialect) => {
    const answer = turn.text("hello world", { deltaChars: 2, usage: { input: 1, output: 2 }, id: "same", model: "m" });
    await using slow = await startModelServer({ script: [answer] });
    await using fast = await startModelServer({ script: () => answer, fast: true });
    const expected = await send(slow, sample(dialect, true));
    const first = await send(fast, sample(dialect, true));
    const second = await send(fast, sample(dialect, true));
    const plain = (bytes: Buffer) => bytes.toString("latin1").replace(/"(instructions|metadata)":[^,]+,/g, "");
    expect(plain(first.bytes)).toBe(plain(expected.bytes));
    expect(second.bytes).toEqual(first.bytes);
    expect(fast.requests[0]!.rawBody.length).toBe(0);
  });
});

describe("prompt caching seen from outside", () => {
  const body = (count: number, marker: boolean) => ({
    model: "m",
    max_tokens: 9,
    messages: Array.from({ length: count }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [
        {
          type: "text",
          text: `message ${i} `.repeat(20).trim(),
          ...(marker && i === count - 1 ? { cache_control: { type: "ephemeral" } } : {}),
        },
      ],
    })),
  });

  it("commonPrefix shows where neighbours begin to differ, cache markers aside", async () => {
    await using server = await startModelServer({ script: () => turn.text("x") });
    const shape = sample("anthropic", false);
    for (const count of [1, 3, 5]) await send(server, { ...shape, body: body(count, true) });
    const steps = commonPrefix(server.requests);
    expect(steps.map((step) => step.lostTail)).toEqual(["]}", "]}"]);
    expect(steps[0]!.prefix).toContain("message 0");
  });

  it.each([
    ["anthropic", true],
    ["anthropic", false],
    ["responses", true],
  ] as const)("the simulated cache counts as the vendor %s does (marked: %s)", async (dialect, marked) => {
    await using server = await startModelServer({ script: () => turn.text("x"), simulateCache: true, strict: false });
    const shape = sample(dialect, false);
    const usages = [];
    for (const count of [1, 3]) {
      const answer = await send(server, { ...shape, body: body(count, marked && dialect === "anthropic") });
      usages.push(JSON.parse(answer.body).usage);
    }
    const [first, second] = usages;
    if (dialect === "responses") {
      expect(first.input_tokens_details.cached_tokens).toBe(0);
      expect(second.input_tokens_details.cached_tokens).toBeGreaterThan(50);
      expect(second.input_tokens).toBeGreaterThan(second.input_tokens_details.cached_tokens);
    } else if (marked) {
      expect(first).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 0 });
      expect(second.cache_read_input_tokens).toBeGreaterThan(50);
      expect(second.cache_creation_input_tokens).toBeGreaterThan(0);
    } else {
      expect(second).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
    }
  });
});

describe("the endpoints around the model", () => {
  const get = async (url: string) => (await fetch(url)).json();

  it("list models for llama.cpp and LM Studio, with their properties", async () => {
    const models = [{ id: "m1", contextLength: 4096, capabilities: ["tools", "vision"] }];
    await using server = await startModelServer({ listings: { models, props: { contextLength: 2048, vision: true } } });
    expect(await get(`${server.url}/v1/models`)).toMatchObject({ object: "list", data: [{ id: "m1" }] });
    expect(await get(`${server.url}/models`)).toMatchObject({ data: [{ id: "m1" }] });
    expect(await get(`${server.url}/api/v0/models`)).toMatchObject({
      data: [{ id: "m1", type: "vlm", max_context_length: 4096, capabilities: ["tool_use"] }],
    });
    expect(await get(`${server.url}/props`)).toMatchObject({
      default_generation_settings: { n_ctx: 2048 },
      modalities: { vision: true },
    });
  });

  it("hand out OAuth tokens as scripted, and 404 for what is declared missing", async () => {
    let count = 0;
    await using server = await startModelServer({
      listings: { missing: ["/props"], token: () => ({ body: { access_token: `t${++count}`, expires_in: 60 } }) },
    });
    const token = async () => (await fetch(`${server.url}/token`, { method: "POST", body: "grant_type=x" })).json();
    expect(await token()).toMatchObject({ access_token: "t1" });
    expect(await token()).toMatchObject({ access_token: "t2" });
    expect(server.requests[0]!.text).toBe("grant_type=x");
    expect((await fetch(`${server.url}/props`)).status).toBe(404);
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
  });
});
