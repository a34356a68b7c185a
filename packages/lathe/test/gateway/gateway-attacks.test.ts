// The gateway under attack: by its clients, by pages and programs of the same machine, by a vendor. Each attack is
// refused, and the log contains no secret and no text of the attackers.

import { request } from "node:http";
import { turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandbox } from "../command.ts";
import { bearer } from "../serve/serve-kit.ts";
import { startTestGateway, type TestGateway, VENDOR_KEY } from "./gateway-kit.ts";

const PROMPT = "a prompt that nobody else may read";
const FOREIGN = "sk-ant-api03-pasted-by-mistake-0123456789abcdef";

let test: TestGateway;
let key: string;
beforeAll(async () => {
  test = await startTestGateway();
  key = await test.key();
});
afterAll(async () => {
  const log = test.log();
  for (const secret of [key, test.token, VENDOR_KEY, FOREIGN, PROMPT, "set-cookie"]) expect(log).not.toContain(secret);
  for (const line of log.trimEnd().split("\n")) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+ key=\S+ model=\S+ in=\d+ /);
  await test.close();
});

const messages = [{ role: "user", content: PROMPT }];
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  test.ask(path, { method: "POST", headers: { ...bearer(key), ...headers }, body: JSON.stringify(body) });

describe("M2 attacks on the gateway", () => {
  it("M2 a key in the place of a model's name is not repeated", async () => {
    for (const model of [FOREIGN, key, VENDOR_KEY, `chatty/${FOREIGN}`])
      for (const [path, more] of [
        ["/v1/chat/completions", { messages }],
        ["/v1/messages", { messages, max_tokens: 10 }],
        ["/v1/responses", { input: PROMPT }],
      ] as const) {
        const answer = await post(path, { model, ...more });
        expect(answer.status).toBe(404);
        expect(answer.text + JSON.stringify(answer.headers)).not.toContain(model);
      }
  });

  it("M2 line breaks in names reach no header, on neither side", async () => {
    const evil = "x\r\nset-cookie: a=b\r\n\r\n<script>";
    const before = test.upstream.requests.length;
    for (const body of [
      { model: evil, messages },
      { model: "m-chat", messages, [evil]: 1 },
      { model: "m-chat", messages, user: evil, metadata: { [evil]: evil } },
      { model: "m-chat", messages, prompt_cache_key: evil, service_tier: evil },
    ]) {
      test.upstream.push(turn.text("ok"));
      const answer = await post("/v1/chat/completions", body);
      expect(answer.headers["set-cookie"]).toBeUndefined();
      expect([200, 400, 404]).toContain(answer.status);
    }
    for (const { headers } of test.upstream.requests.slice(before)) expect(headers["set-cookie"]).toBeUndefined();
    while (test.upstream.remaining > 0) await post("/v1/chat/completions", { model: "m-chat", messages });
  });

  it("M2 a body that claims another format is refused by the names of its fields", async () => {
    const asMessages = { model: "m-chat", system: "You are.", max_tokens: 10, messages, stop_sequences: ["x"] };
    const chat = await post("/v1/chat/completions", asMessages);
    expect([chat.status, JSON.parse(chat.text).error.param]).toEqual([
      400,
      expect.stringMatching(/^(system|stop_sequences)$/),
    ]);
    const anthropic = await post("/v1/messages", { model: "m-chat", input: PROMPT });
    expect([anthropic.status, JSON.parse(anthropic.text).type]).toEqual([400, "error"]);
    expect((await post("/v1/responses", { model: "m-chat", messages })).status).toBe(400);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
      expect((await post("/v1/chat/completions", { model: "m-chat", messages }, { "content-type": type })).status).toBe(
        400,
      );
    for (const body of ["null", "[]", "1", "{", '{"model":{}}', '{"__proto__":{"model":"m-chat"}}'])
      expect(
        (await test.ask("/v1/chat/completions", { method: "POST", headers: bearer(key), body })).status,
        body,
      ).toBe(400);
  });

  it("M2 a body without end is refused while it comes", async () => {
    const { hostname, port } = new URL(test.gateway.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...bearer(key), "content-type": "application/json" };
      const asked = request({ hostname, port, path: "/v1/messages", method: "POST", headers }, (response) => {
        resolve(response.statusCode);
        asked.destroy();
      });
      asked.on("error", (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? undefined : reject(error)));
      const piece = Buffer.alloc(1 << 20, "[");
      const pump = (): void => {
        while (!asked.destroyed) if (!asked.write(piece)) return void asked.once("drain", pump);
      };
      pump();
    });
    expect(status).toBe(413);
  });

  it("M2 a body of values that fill the memory is refused before it is parsed; a picture as long is not", async () => {
    const send = (body: string) => test.ask("/v1/chat/completions", { method: "POST", headers: bearer(key), body });
    const many = await send(`{"model":"m-chat","messages":[${"{},".repeat(4_000_000)}{}]}`);
    expect([many.status, many.text]).toEqual([413, expect.stringContaining("too many values")]);
    // Commas within a text are text, also after a quote that belongs to it.
    const long = JSON.stringify({
      model: "m-chat",
      messages: [{ role: "user", content: `"\\${",[{".repeat(900_000)}` }],
    });
    test.upstream.push(turn.text("ok"));
    expect((await send(long)).status).toBe(200);
  });

  it("M2 counts that cannot be true give no money back", async () => {
    const poor = await test.key({ budget: { usd: 1, period: "month" } });
    const spent = async () => {
      const [row] = JSON.parse((await test.ask("/v1/usage", { headers: bearer(poor) })).text).keys;
      return row;
    };
    const body = JSON.stringify({ model: "m-chat", max_tokens: 1000, messages });
    const ask = () => test.ask("/v1/chat/completions", { method: "POST", headers: bearer(poor), body });
    for (const usage of [
      { input: -1_000_000, output: 1 },
      { input: 1, output: 0.5 },
      { input: 1, output: 1e300 },
    ]) {
      const { left } = await spent();
      test.upstream.push(turn.text("ok", { usage }));
      expect((await ask()).status).toBe(200);
      await test.whenLogged(test.requests.length);
      expect((await spent()).left).toBeLessThan(left - 0.015);
    }
    expect((await spent()).usd).toBe(0);
  });

  it("M2 no answer is asked for that is longer than the model's, whatever a client says", async () => {
    for (const [given, sent] of [
      [1e308, 16_000],
      [2 ** 53, 16_000],
      [20, 20],
      [undefined, 16_000],
    ]) {
      test.upstream.push(turn.text("ok"));
      expect((await post("/v1/chat/completions", { model: "m-chat", messages, max_tokens: given })).status).toBe(200);
      expect(JSON.stringify(test.upstream.requests.at(-1)!.body)).toMatch(new RegExp(`"max_\\w+":${sent}\\b`));
    }
  });

  it("M2 a document of a few bytes is set aside as all that the model reads", async () => {
    const poor = await test.key({ budget: { usd: 0.5, period: "month" } });
    const file = { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQ=" };
    const content = [
      { type: "text", text: "Sum it up." },
      { type: "file", file },
    ];
    const body = JSON.stringify({ model: "m-chat", max_tokens: 10, messages: [{ role: "user", content }] });
    const answer = await test.ask("/v1/chat/completions", { method: "POST", headers: bearer(poor), body });
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([429, "budget_exceeded"]);
  });

  it("M2 what is no request of the gateway's is refused in the words of the client's vendor", async () => {
    const openai = await test
      .openai(key)
      .embeddings.create({ model: "m", input: "x" })
      .catch((error: unknown) => error);
    expect(openai).toMatchObject({
      status: 404,
      message: expect.stringContaining("The gateway answers POST /v1/chat"),
    });
    const anthropic = await test
      .anthropic(key)
      .messages.countTokens({ model: "m-chat", messages: [{ role: "user", content: PROMPT }] })
      .catch((error: unknown) => error);
    expect(anthropic).toMatchObject({ status: 404, type: "not_found_error" });
    const foreign = await test.ask("/v1/messages", { method: "POST", headers: { host: "evil.example" }, body: "{}" });
    expect([foreign.status, JSON.parse(foreign.text)]).toMatchObject([403, { type: "error" }]);
    expect(test.requests.at(-1)).toMatchObject({ status: 403, why: "foreign_host", key: undefined });
  });

  it("M2 an answer without end is ended, in the client's format, streamed and not", async () => {
    for (const stream of [true, false]) {
      test.upstream.push(turn.withFault({ kind: "endless" }));
      const answer = await post("/v1/chat/completions", { model: "m-chat", messages, max_tokens: 20, stream });
      expect(answer.text).toContain("longer than requested");
      expect(answer.status).toBe(stream ? 200 : 500);
      await test.upstream.requests.at(-1)?.finished;
      expect(test.upstream.requests.at(-1)?.closedEarly).toBe(true);
    }
  });

  it("M2 events smuggled into arguments and texts stay arguments and texts", async () => {
    const evil = 'x\n\ndata: {"choices":[]}\n\nevent: message_stop\ndata: [DONE]\r\n\r\nHTTP/1.1 200 OK\u2028\u0000';
    for (const [path, more] of [
      ["/v1/chat/completions", { messages }],
      ["/v1/messages", { messages, max_tokens: 100 }],
      ["/v1/responses", { input: PROMPT }],
      ["/v1/lathe/stream", undefined],
    ] as const) {
      test.upstream.push(
        turn.blocks([
          { type: "text", text: evil },
          { type: "call", name: "look", args: { evil } },
        ]),
      );
      const tool = { type: "object", properties: {} };
      const body =
        path === "/v1/lathe/stream"
          ? {
              stream: true,
              request: {
                model: "m-messages",
                messages: [{ role: "user", content: [{ kind: "text", text: PROMPT }] }],
                tools: [{ name: "look", description: "", parameters: tool }],
              },
            }
          : {
              model: "m-messages",
              stream: true,
              tools: [
                path === "/v1/messages"
                  ? { name: "look", input_schema: tool }
                  : path === "/v1/responses"
                    ? { type: "function", name: "look", parameters: tool, strict: false }
                    : { type: "function", function: { name: "look", parameters: tool } },
              ],
              ...more,
            };
      const { text, status } = await post(path, body);
      expect(status, text).toBe(200);
      const events = text.trimEnd().split("\n\n");
      for (const event of events) {
        const lines = event.split("\n");
        expect(lines.filter((line) => line.startsWith("data: "))).toHaveLength(1);
        for (const line of lines) expect(line).toMatch(/^(?:data|event): [^\r]*$/);
        const data = lines.find((line) => line.startsWith("data: "))!.slice(6);
        if (data !== "[DONE]") expect(() => JSON.parse(data)).not.toThrow();
      }
      expect(events.filter((event) => event === "data: [DONE]").length).toBeLessThanOrEqual(1);
      expect(events.filter((event) => event.startsWith("event: message_stop")).length).toBeLessThanOrEqual(1);
    }
  });

  it("M2 a client cannot name files of the gateway's machine", async () => {
    const before = test.upstream.requests.length;
    for (const url of ["/etc/hostname", "~/.ssh/id_rsa", "./x", "file:///etc/passwd"]) {
      const content = [{ type: "image_url", image_url: { url } }];
      const answer = await post("/v1/chat/completions", { model: "m-chat", messages: [{ role: "user", content }] });
      expect(answer.status).toBe(400);
      const image = { kind: "image", image: { url, mediaType: "image/png" } };
      const ours = { request: { model: "m-chat", messages: [{ role: "user", content: [image] }] } };
      expect((await post("/v1/lathe/stream", ours)).status).toBe(400);
    }
    expect(test.upstream.requests).toHaveLength(before);
  });

  it("M2 pages, other names and secrets in addresses get nothing", async () => {
    for (const headers of [
      { host: "evil.example" },
      { origin: "http://evil.example" },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[])
      expect((await test.ask("/v1/models", { headers: { ...bearer(key), ...headers } })).status).toBe(403);
    for (const name of ["key", "api_key", "x-api-key", "access_token"])
      expect((await test.ask(`/v1/models?${name}=${FOREIGN}`, { headers: bearer(key) })).status).toBe(400);
    for (const path of ["/v1/../healthz", "/v1/%2e%2e/healthz", "//v1/models", "/v1/models/", "/v1/chat"])
      expect((await test.ask(path, { headers: bearer(key) })).status).toBe(404);
    expect((await test.ask("/v1/models", { headers: { ...bearer(key), x: "y".repeat(20_000) } })).status).toBe(431);
  });

  it("M2 guessing ends, and does not lock out who has a key", async () => {
    const own = await startTestGateway();
    try {
      const good = await own.key();
      const answers: number[] = [];
      for (let nth = 0; nth < 25; nth++)
        answers.push((await own.ask("/v1/models", { headers: { "x-api-key": `lathe_${nth}` } })).status);
      expect([answers[0], answers.at(-1)]).toEqual([401, 429]);
      expect((await own.ask("/v1/models", { headers: bearer(good) })).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it("M2 the command refuses other addresses without TLS, and no keys on them at all", async () => {
    const box = await sandbox();
    try {
      const open = await box.run(["auth-gateway", "serve", "--bind", "0.0.0.0:0"]);
      expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("needs TLS")]);
      const keyless = await box.run(["auth-gateway", "serve", "--bind", "0.0.0.0:0", "--no-auth"]);
      expect([keyless.code, keyless.stderr]).toEqual([
        2,
        expect.stringContaining("--no-auth works on this machine only"),
      ]);
    } finally {
      await box.remove();
    }
  });
});
