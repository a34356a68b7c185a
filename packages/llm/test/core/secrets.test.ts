import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import type { ProviderAdapter } from "../../src/types/adapter.ts";
import { AuthenticationError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import { assertNoSecret, watched } from "./secrets-watch.ts";
import { ALL, clientFor, KEY } from "./support.ts";

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
