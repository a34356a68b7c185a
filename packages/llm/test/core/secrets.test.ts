import { inspect } from "node:util";
import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { ProviderError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
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
    for (const seen of [...failures, ...events]) {
      const raw = seen instanceof ProviderError ? JSON.stringify(seen.raw) : "";
      const error = seen instanceof Error ? `${seen.message} ${seen.stack}` : "";
      expect(inspect(seen, { depth: 20, showHidden: true }) + JSON.stringify(seen) + error + raw).not.toContain(KEY);
    }
    expect(inspect(client, { depth: 20 })).not.toContain(KEY);
    expect(JSON.stringify(client)).not.toContain(KEY);
  });
});
