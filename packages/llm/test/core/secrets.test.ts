import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { createProvider } from "../../src/providers/index.ts";
import type { ProviderAdapter } from "../../src/types/adapter.ts";
import { AuthenticationError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import { assertNoSecret, watched } from "./secrets-watch.ts";
import { ALL, clientFor, KEY, testDeps } from "./support.ts";

describe.each(ALL)("secrets of $provider", (one) => {
  const request = { model: one.model, messages: [Message.user("hi")] };

  it("A-309 ER-01 a server that echoes the key into its errors does not get it into ours", async () => {
    const echo = `the key ${KEY} is not welcome`;
    await using server = await startModelServer({
      strict: false,
      script: [
        turn.error(401, { message: echo }),
        turn.error(400, { body: `<html>${echo}</html>` }),
        turn.text("some words to stream", {
          deltaChars: 4,
          fault: { kind: "stream-error", afterEvents: 4, error: "server", message: echo },
        }),
        turn.text("cut", { fault: { kind: "cut", at: "before-head" } }),
      ],
    });
    const client = clientFor(one, server);
    const failures: unknown[] = [];
    for (let index = 0; index < 2; index++)
      failures.push(await client.complete(request).catch((error: unknown) => error));
    const events: unknown[] = [];
    try {
      for await (const event of client.stream(request)) events.push(event);
    } catch (error) {
      failures.push(error);
    }
    failures.push(await client.complete(request).catch((error: unknown) => error));
    expect(failures.length + events.length).toBeGreaterThan(3);
    for (const seen of [client, ...failures, ...events]) assertNoSecret(seen, [KEY]);
  });
});

it("A-309 a key in the query is not shown when a server redirects with it, or repeats it as it was written", async () => {
  const key = "key/4242+secret";
  const answers: ((url: string) => [number, OutgoingHttpHeaders, string])[] = [
    (url) => [308, { location: `https://elsewhere.example${url}` }, ""],
    (url) => [404, {}, `no route for ${url}`],
  ];
  const server = createServer((request, response) => {
    const [status, headers, text] = answers.shift()?.(request.url ?? "") ?? [500, {}, ""];
    response.writeHead(status, headers).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gemini = createProvider("gemini", { apiKey: key, keyInQuery: true, baseUrl, deps: testDeps() });
  const request = { model: "gemini-2.5-pro", messages: [Message.user("hi")] };
  const failures: unknown[] = [];
  while (answers.length > 0) failures.push(await gemini.complete(request, {}).catch((error: unknown) => error));
  server.close();
  expect(failures).toMatchObject([
    { message: expect.stringContaining("redirects to https://elsewhere.example/v1beta") },
    { message: expect.stringContaining("no route for /v1beta") },
  ]);
  for (const failure of failures) assertNoSecret(failure, [key, encodeURIComponent(key)]);
});

describe("the search through everything that the suites see", () => {
  const request = { model: "m", messages: [Message.user("hi")] };
  const leak = { message: `bad key ${KEY}`, options: { provider: "p", raw: { key: KEY } } };
  const leaky = (where: "message" | "raw"): ProviderAdapter => {
    const failure = () =>
      where === "message"
        ? new AuthenticationError(leak.message, { provider: "p" })
        : new AuthenticationError("bad key", leak.options);
    return {
      name: "leaky",
      complete: () => Promise.reject(failure()),
      async *stream() {
        yield { type: "stream_start" };
        yield { type: "error", error: failure() };
      },
    };
  };

  it.each(["message", "raw"] as const)("A-309 finds a key in the %s of an error, thrown or streamed", async (where) => {
    const adapter = watched(leaky(where), [KEY]);
    await expect(adapter.complete(request, {})).rejects.toThrow("a secret got out");
    const read = async () => {
      for await (const _ of adapter.stream(request, {}));
    };
    await expect(read()).rejects.toThrow("a secret got out");
  });
});
