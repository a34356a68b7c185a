// The gateway from the view of its clients and its operator: who gets in, what is answered, what is counted, what the
// log says.

import { writeFile } from "node:fs/promises";
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { homePaths } from "../../src/platform/home/paths.ts";
import { bearer } from "../serve/serve-kit.ts";
import { PRICES, startTestGateway, VENDOR_KEY } from "./gateway-kit.ts";

const usage = { input: 100, output: 20 };
const usd = (100 * PRICES.input + 20 * PRICES.output) / 1e6;

describe("AU-05 the gateway", () => {
  it("AU-05 answers OpenAI's client with a model of Anthropic's protocol, streamed, with a tool call", async () => {
    await using test = await startTestGateway();
    test.upstream.push(turn.calls([{ name: "look", args: { at: "x" } }], { usage }));
    const stream = await test.openai(await test.key()).chat.completions.create({
      model: "m-messages",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
    });
    let name = "";
    let args = "";
    for await (const chunk of stream) {
      const [call] = chunk.choices[0]?.delta.tool_calls ?? [];
      name += call?.function?.name ?? "";
      args += call?.function?.arguments ?? "";
    }
    expect({ name, args: JSON.parse(args) }).toEqual({ name: "look", args: { at: "x" } });
    expect(test.upstream.requests[0]?.path).toBe("/v1/messages");
    await test.whenLogged(1);
    expect(test.requests[0]).toMatchObject({ key: "key-1", model: "claudish/m-messages", status: 200, usd });
  });

  it("AU-05 answers Anthropic's client with a model of OpenAI's protocol, streamed, with a tool call", async () => {
    await using test = await startTestGateway();
    test.upstream.push(
      turn.blocks(
        [
          { type: "text", text: "Hi there." },
          { type: "call", name: "look", args: { at: "x" } },
        ],
        { usage },
      ),
    );
    const stream = test.anthropic(await test.key()).messages.stream({
      model: "m-chat",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
    });
    const answer = await stream.finalMessage();
    expect(answer.content).toEqual([
      expect.objectContaining({ type: "text", text: "Hi there." }),
      expect.objectContaining({ type: "tool_use", name: "look", input: { at: "x" } }),
    ]);
    expect(answer.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
    expect(test.upstream.requests[0]?.path).toBe("/v1/chat/completions");
  });

  it("AU-05 lets nobody in without a key, and says so in the words of the vendor whose client asks", async () => {
    await using test = await startTestGateway();
    const anthropic = await test
      .anthropic("lathe_wrong")
      .messages.create({ model: "m-chat", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] })
      .catch((error: unknown) => error);
    expect(anthropic).toMatchObject({ status: 401, type: "authentication_error" });
    const openai = await test
      .openai("lathe_wrong")
      .models.list()
      .catch((error: unknown) => error);
    expect(openai).toMatchObject({ status: 401 });
    expect((await test.ask("/v1/usage")).status).toBe(401);
    expect((await test.ask("/healthz")).status).toBe(200);
    expect(test.upstream.requests).toHaveLength(0);
  });

  it("AU-05 /v1/models lists what a key may use, in the form of each client", async () => {
    await using test = await startTestGateway();
    const all = await test.openai(await test.key()).models.list();
    expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining(["m-messages", "m-chat", "m-responses"]));
    const some = await test.anthropic(await test.key({ models: ["m-c*"] })).models.list();
    expect(some.data.map(({ id }) => id)).toEqual(["m-chat"]);
  });

  it("AU-05 /v1/credentials/check tells the operator, and no client, which credential is refused", async () => {
    await using test = await startTestGateway({ upstream: { auth: { key: "another key" } } });
    const key = await test.key();
    expect((await test.ask("/v1/credentials/check", { headers: bearer(key) })).status).toBe(403);
    const loose = await test.ask("/v1/credentials/check", { headers: bearer(test.token) });
    expect(JSON.parse(loose.text).credentials).toContainEqual({ provider: "chatty", source: "models.yml", ok: true });
    const strict = await test.ask("/v1/credentials/check?strict=1", { headers: bearer(test.token) });
    expect(JSON.parse(strict.text).credentials).toContainEqual(
      expect.objectContaining({ provider: "chatty", ok: false, problem: expect.stringContaining("key") }),
    );
    expect(strict.text + test.log()).not.toContain(VENDOR_KEY);
  });

  it("AU-05 a vendor that refuses the gateway's key does not look like a client's wrong key", async () => {
    await using test = await startTestGateway({ upstream: { auth: { key: "another key" } } });
    const error = await test
      .openai(await test.key())
      .chat.completions.create({ model: "m-chat", messages: [{ role: "user", content: "Hello" }] })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 500, code: "gateway_credential" });
    expect(String(error) + test.log()).not.toContain(VENDOR_KEY);
  });

  it("AU-05 a damaged file of keys lets nobody in, and the operator is told once which file", async () => {
    await using test = await startTestGateway();
    const key = await test.key();
    const { gatewayKeys } = homePaths(test.box.env, test.box.home);
    await writeFile(gatewayKeys, "{");
    for (const path of ["/v1/models", "/v1/usage"])
      expect(await test.ask(path, { headers: bearer(key) })).toMatchObject({
        status: 500,
        text: expect.stringContaining("Tell its operator"),
      });
    expect(test.log().split(gatewayKeys)).toHaveLength(2);
  });

  it("AU-05 ends the request to the vendor when its client goes away, and counts what it may have cost", async () => {
    await using test = await startTestGateway();
    test.upstream.push(turn.withFault({ kind: "endless" }));
    const leaving = new AbortController();
    const stream = await test
      .openai(await test.key({ budget: { usd: 1, period: "month" } }))
      .chat.completions.create(
        { model: "m-chat", stream: true, max_tokens: 1000, messages: [{ role: "user", content: "Hello" }] },
        { signal: leaving.signal },
      );
    for await (const _chunk of stream) break;
    leaving.abort();
    const upstream = await test.upstream.waitForRequest(0);
    await upstream.finished;
    expect(upstream.closedEarly).toBe(true);
    await test.whenLogged(1);
    expect(test.requests[0]).toMatchObject({ status: 499, why: "cancelled" });
    const report = await test.ask("/v1/usage", { headers: bearer(test.token) });
    const [row] = JSON.parse(report.text).keys;
    expect(row.usd).toBe(0);
    // The longest answer that it allowed, and its prompt.
    expect(row.uncertain).toBeGreaterThan((1000 * PRICES.output) / 1e6);
    expect(row.left).toBeCloseTo(1 - row.uncertain, 10);
  });
});

describe("M2 client keys", () => {
  const ask = (test: Awaited<ReturnType<typeof startTestGateway>>, key: string, more: object = {}) =>
    test.ask("/v1/chat/completions", {
      method: "POST",
      headers: bearer(key),
      body: JSON.stringify({ model: "m-chat", messages: [{ role: "user", content: "Hi" }], max_tokens: 1000, ...more }),
    });

  it("M2 a budget is checked before the request, and settled by what the vendor has counted", async () => {
    await using test = await startTestGateway();
    // Pays for one answer of 1,000 tokens, and not for two at once.
    const key = await test.key({ budget: { usd: 0.016, period: "month" } });
    test.upstream.push(turn.text("one", { usage }), turn.text("two", { usage }));
    expect((await ask(test, key)).status).toBe(200);
    expect((await ask(test, key, { max_tokens: 990 })).status).toBe(200);
    const refused = await ask(test, key);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text).error).toMatchObject({ code: "budget_exceeded" });
    expect(refused.text).toMatch(/\$0\.016 a month.*max_tokens.*resets at/);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.headers["x-should-retry"]).toBe("false");
    const [row] = JSON.parse((await test.ask("/v1/usage", { headers: bearer(key) })).text).keys;
    expect(row.usd).toBeCloseTo(2 * usd, 12);
    expect(test.upstream.requests).toHaveLength(2);
  });

  it("M2 names of models, requests a minute, expiry and revocation are kept", async () => {
    let later = 0;
    await using test = await startTestGateway({
      machine: (machine) => ({ ...machine, deps: { ...machine.deps, now: () => machine.deps.now() + later } }),
    });
    test.upstream.push(...Array.from({ length: 4 }, () => turn.text("ok", { usage })));
    const named = await test.key({ models: ["m-messages"] });
    expect(JSON.parse((await ask(test, named)).text).error).toMatchObject({ code: "model_not_allowed" });
    const slow = await test.key({ rpm: 2 });
    expect([(await ask(test, slow)).status, (await ask(test, slow)).status]).toEqual([200, 200]);
    const third = await ask(test, slow);
    expect([third.status, third.headers["retry-after"]]).toEqual([429, "60"]);
    later += 60_000;
    expect((await ask(test, slow)).status).toBe(200);
    const short = await test.key({ lastsMs: 3_600_000, name: "short" });
    expect((await ask(test, short)).status).toBe(200);
    later += 3_600_000;
    expect((await ask(test, short)).text).toContain("expired");
    await test.keys.revoke("key-2");
    expect((await ask(test, slow)).text).toContain("revoked");
  });
});
