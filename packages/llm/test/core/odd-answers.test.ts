// Answers that no vendor documents, as gateways, proxies and wrong addresses give them.

import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { type ProviderError, SDKError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import { ALL, clientFor, type DialectCase } from "./support.ts";

type Raw = Parameters<typeof turn.raw>[0];

async function errorsOf(one: DialectCase, answer: Raw): Promise<SDKError[]> {
  await using server = await startModelServer({ strict: false, script: () => turn.raw(answer) });
  const client = clientFor(one, server);
  const request = { model: one.model, messages: [Message.user("x")] };
  const errors: unknown[] = [await client.complete(request).catch((error: unknown) => error)];
  try {
    for await (const event of client.stream(request)) if (event.type === "error") errors.push(event.error);
  } catch (error) {
    errors.push(error);
  }
  expect(errors).toHaveLength(2);
  return errors.map((error) => {
    expect(error).toBeInstanceOf(SDKError);
    return error as SDKError;
  });
}

const json = { "content-type": "application/json" };

describe.each(ALL)("odd answers of $provider", (one) => {
  it("ER-04 a failure in another vendor's words under status 200 is that failure, not an empty answer", async () => {
    const body = '{"error":{"message":"the account is asleep","type":"rate_limit_error","code":"rate_limit_exceeded"}}';
    for (const error of await errorsOf(one, { headers: json, chunks: [body] }))
      expect([error.name, error.message]).toEqual(["RateLimitError", "the account is asleep"]);
  });

  it("ER-04 JSON that is no answer is shown, and is no empty answer", async () => {
    for (const error of await errorsOf(one, { headers: json, chunks: ['{"code":449,"msg":"the account is asleep"}'] }))
      expect(error.message).toContain("the account is asleep");
  });

  it("ER-02 an address that points elsewhere says where to, and is not asked again", async () => {
    const headers = { location: "https://elsewhere.example/v2", "content-type": "text/html" };
    const page = "<html><head><title>301 Moved Permanently</title></head></html>";
    for (const error of await errorsOf(one, { status: 301, headers, chunks: [page] })) {
      expect(error.message).toMatch(/redirects to https:\/\/elsewhere\.example\/v2 .* base URL/);
      expect([error.name, error.retryable]).toEqual(["ProviderError", false]);
    }
  });

  it("ER-03 of a proxy's page one line is shown: its title, or its first words", async () => {
    const said = (words: string): string =>
      `The server answered with a web page ("${words}"): a proxy or gateway in between, or a wrong base URL.`;
    const page = "<html>\r\n<head><title>502 Bad\n Gateway</title></head>\r\n<body>nginx</body></html>\r\n";
    for (const error of await errorsOf(one, { status: 502, headers: { "content-type": "text/html" }, chunks: [page] }))
      expect([error.name, error.message]).toEqual(["ServerError", said("502 Bad Gateway")]);
    const plain = "<!DOCTYPE html><style>a { b: c }</style><h1>Bad\nGateway</h1><script>x()</script><p>cloud</p>";
    for (const error of await errorsOf(one, { status: 502, headers: { "content-type": "text/html" }, chunks: [plain] }))
      expect([error.name, error.message]).toEqual(["ServerError", said("Bad Gateway cloud")]);
  });

  it("ER-02 a refusal whose body ends early is still that refusal", async () => {
    const headers = { "content-type": "text/plain", "content-length": "500" };
    for (const error of await errorsOf(one, { status: 401, headers, chunks: ["no such key"], after: "reset" })) {
      expect(error.name).toBe("AuthenticationError");
      expect((error as ProviderError).statusCode).toBe(401);
    }
  });

  it("ER-02 a refusal that says it is compressed and has no body is still that refusal", async () => {
    for (const error of await errorsOf(one, { status: 401, headers: { "content-encoding": "gzip" }, chunks: [] }))
      expect([error.name, error.message]).toEqual(["AuthenticationError", "HTTP 401"]);
  });
});
