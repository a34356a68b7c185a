// Problems around a running gateway: its key file is damaged, a vendor asks it to wait for years, strangers hold its
// connections, invalid requests arrive. Its clients lose nothing.

import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { gate, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { homePaths } from "../../src/platform/home/paths.ts";
import type { Machine } from "../../src/platform/machine/machine.ts";
import { bearer } from "../serve/serve-kit.ts";
import { startTestGateway, type TestGateway } from "./gateway-kit.ts";

const asking = { model: "m-chat", messages: [{ role: "user" as const, content: "Hi" }], max_tokens: 100 };
const ask = (test: TestGateway, key: string) =>
  test.ask("/v1/chat/completions", { method: "POST", headers: bearer(key), body: JSON.stringify(asking) });

/** A clock of which the tests move the hands. */
function movable(): { readonly machine: (machine: Machine) => Machine; later: number } {
  const clock = {
    later: 0,
    machine: (machine: Machine): Machine => ({
      ...machine,
      deps: { ...machine.deps, now: () => machine.deps.now() + clock.later },
    }),
  };
  return clock;
}

const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;

describe("M2 the gateway in bad times", () => {
  it("M2 a file of keys that is damaged while answers are under way ends none of them, and the operator is told", async () => {
    await using test = await startTestGateway({
      machine: (machine) => {
        const { setTimer } = machine.deps;
        return { ...machine, deps: { ...machine.deps, setTimer: (callback, ms) => setTimer(callback, ms / 500) } };
      },
    });
    const held = gate();
    const key = await test.key();
    test.upstream.push(turn.text("a whole answer", { beforeEvent: (at) => (at > 2 ? held.wait() : undefined) }));
    const stream = await test.openai(key).chat.completions.create({ ...asking, stream: true });
    await held.reached;
    const { gatewayKeys } = homePaths(test.box.env, test.box.home);
    const good = await readFile(gatewayKeys, "utf8");
    await writeFile(gatewayKeys, good.slice(0, 40));
    await expect.poll(test.log).toContain(gatewayKeys);
    held.open();
    let text = "";
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    expect(text).toBe("a whole answer");
    expect((await ask(test, key)).status).toBe(500);
    await writeFile(gatewayKeys, good);
    test.upstream.push(turn.text("again"));
    expect((await ask(test, key)).status).toBe(200);
  });

  it("M2 a vendor that wants nothing for years: requests are refused at once, and it is asked again after an hour", async () => {
    const clock = movable();
    await using test = await startTestGateway({ machine: clock.machine });
    const key = await test.key();
    test.upstream.push(turn.error(429, { retryAfter: 99_999_999 }), turn.text("one"), turn.text("two"));
    expect((await ask(test, key)).status).toBe(429);
    // It would wait for a minute, and come too late.
    const refused = await ask(test, key);
    expect(JSON.parse(refused.text).error).toMatchObject({ code: "account_rate_limit" });
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(3600);
    clock.later = 3_600_000;
    expect((await ask(test, key)).status).toBe(200);
  });

  it("M2 a clock that is set back does not keep an account closed", async () => {
    const clock = movable();
    await using test = await startTestGateway({ machine: clock.machine });
    const key = await test.key();
    test.upstream.push(turn.error(429, { retryAfter: 300 }), turn.text("one"));
    expect((await ask(test, key)).status).toBe(429);
    clock.later = -86_400_000;
    expect((await ask(test, key)).status).toBe(200);
  });

  it("M2 a connection is kept for clients with a key only, so that others cannot take them all", async () => {
    await using test = await startTestGateway();
    const key = await test.key();
    const kept = async (path: string, headers: Record<string, string>) =>
      (await test.ask(path, { headers: { connection: "keep-alive", ...headers } })).headers["connection"];
    expect(await kept("/v1/models", bearer(key))).toBe("keep-alive");
    for (const [path, headers] of [
      ["/healthz", {}],
      ["/v1/models", {}],
      ["/v1/models", bearer("lathe_guessed")],
      ["/elsewhere", {}],
      ["/healthz", { host: "evil.example" }],
    ] as const)
      expect([path, await kept(path, headers)]).toEqual([path, "close"]);
  });

  it("M2 what is no request is answered in words that both vendors' clients find, and logged", async () => {
    await using test = await startTestGateway();
    const key = await test.key();
    const headers = { "x-long": "y".repeat(20_000) };
    const openai = test.openai(key).chat.completions.create(asking, { headers });
    await expect(openai).rejects.toMatchObject({ status: 431, code: "headers_too_large" });
    await expect(openai).rejects.toThrow("The headers are too large. Send shorter ones.");
    const anthropic = test.anthropic(key).messages.create({ ...asking, model: "m-messages" }, { headers });
    await expect(anthropic).rejects.toThrow("The headers are too large. Send shorter ones.");
    expect(test.requests.map(({ status, why }) => [status, why])).toEqual(
      Array.from({ length: 2 }, () => [431, "headers_too_large"]),
    );
  });

  it("M2 a body that comes too slowly or would be too long is refused in the words of the client's vendor, and logged once", async () => {
    await using test = await startTestGateway({ limits: { headersWithinMs: 300, requestWithinMs: 600 } });
    const key = await test.key();
    const said = { message: expect.stringContaining("took too long"), type: "timeout" };
    for (const [path, body] of [
      ["/v1/chat/completions", { error: { ...said, code: "too_slow" } }],
      ["/v1/responses", { error: { ...said, code: "too_slow" } }],
      ["/v1/messages", { type: "error", error: { ...said, type: "timeout_error" } }],
      ["/v1/lathe/stream", { error: { kind: "timeout", code: "too_slow", retryable: true } }],
    ] as const) {
      const answer = await begun(test, path, key, 100);
      expect([path, answer.status, JSON.parse(answer.text)]).toMatchObject([path, 408, body]);
      const long = await begun(test, path, key, (32 << 20) + 1);
      expect([path, long.status, JSON.parse(long.text).error.message]).toEqual([
        path,
        413,
        "The body may have at most 33554432 bytes.",
      ]);
    }
    const lines = [
      { status: 408, why: "too_slow", key: "key-1" },
      { status: 413, why: "too_large", key: "key-1" },
    ];
    expect(test.requests).toMatchObject([...lines, ...lines, ...lines, ...lines]);
  });

  // It is parsed six times on its way, and waited for by its clients.
  inLongRuns("M2 a prompt of 30 MB reaches its model whole; one of 60 MB is refused as the vendors do", async () => {
    await using test = await startTestGateway();
    const key = await test.key();
    const content = "a word, ".repeat((30 << 20) / 8);
    test.upstream.push(turn.text("I have read it."));
    const messages = [{ role: "user" as const, content }];
    const answer = await test.openai(key).chat.completions.create({ ...asking, messages });
    expect(answer.choices[0]?.message.content).toBe("I have read it.");
    expect(test.upstream.requests[0]?.text.length).toBeGreaterThan(content.length);
    const long = { ...asking, messages: [{ role: "user" as const, content: content + content }] };
    const tooLong = { status: 413 };
    await expect(test.openai(key).chat.completions.create(long)).rejects.toMatchObject({
      ...tooLong,
      code: "too_large",
    });
    const type = "request_too_large";
    await expect(test.anthropic(key).messages.create(long)).rejects.toMatchObject({ ...tooLong, type });
    expect(test.requests.slice(1)).toMatchObject(Array.from({ length: 2 }, () => ({ ...tooLong, why: "too_large" })));
  });
});

/** A request of which only the first bytes of the body come. */
function begun(
  { gateway }: TestGateway,
  path: string,
  key: string,
  length: number,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(gateway.url);
  const headers = { ...bearer(key), "content-type": "application/json", "content-length": length };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method: "POST", headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on("error", reject);
    asked.write('{"model":');
  });
}
