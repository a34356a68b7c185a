import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { createSegmentCache, makeSegment } from "../../src/segments.ts";
import { Message } from "../../src/types/message.ts";
import type { Protocol } from "../../src/types/protocol.ts";
import { ALL, clientFor, collect } from "./support.ts";

describe("segments", () => {
  it("PC-01 bytes are UTF-8 bytes and the hash follows the text", () => {
    for (const text of ["", "plain", "naïve €", "😀 pair", "\ud800 lone"]) {
      const segment = makeSegment("message", text);
      expect(segment.bytes, text).toBe(Buffer.byteLength(text));
      expect(segment.hash).toMatch(/^[0-9a-f]{16}$/);
      expect(makeSegment("system", text).hash).toBe(segment.hash);
    }
    const hashes = new Set(
      Array.from({ length: 20_000 }, (_, index) => makeSegment("message", `message ${index}`).hash),
    );
    expect(hashes.size).toBe(20_000);
  });

  it("PC-01 a value is made once per owner and variant", () => {
    const cache = createSegmentCache();
    const owners = Array.from({ length: 5 }, (_, index) => ({ index }));
    let made = 0;
    const read = (owner: { index: number }, variant: string) =>
      cache.get(owner, variant, () => {
        made++;
        return `${variant}${owner.index}`;
      });
    for (let round = 0; round < 3; round++)
      for (const owner of owners)
        expect([read(owner, "a"), read(owner, "b")]).toEqual([`a${owner.index}`, `b${owner.index}`]);
    for (const owner of [...owners].reverse()) expect(read(owner, "a")).toBe(`a${owner.index}`);
    expect(read(owners[2] as { index: number }, "a")).toBe("a2");
    expect(made).toBe(10);
  });
});

describe.each(ALL)("prefix of $provider", (one) => {
  it("PC-01 the same message gives the identical segment, and only new ones are encoded", async () => {
    await using server = await startModelServer({ script: () => turn.text("ok") });
    const client = clientFor(one, server);
    const tools = [{ name: "f", description: "d", parameters: { type: "object", properties: {} } }];
    let messages = [Message.system("rules"), Message.user("one"), Message.assistant("two"), Message.user("three")];
    const before = client.segments({ model: one.model, messages, tools });
    messages = [...messages, Message.assistant("four"), Message.user("five")];
    const after = client.segments({ model: one.model, messages, tools });
    expect(after.slice(0, before.length).map((segment) => segment.hash)).toEqual(before.map((segment) => segment.hash));
    const ofMessages = before.filter((segment) => segment.kind === "message");
    expect(ofMessages.every((segment) => after.includes(segment))).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);
    expect(server.requests).toHaveLength(0);
  });

  it("PC-01 what is sent holds the segments in order", async () => {
    await using server = await startModelServer({ script: () => turn.text("ok") });
    const client = clientFor(one, server);
    const messages = [Message.system("rules"), Message.user("one"), Message.assistant("two"), Message.user("three")];
    await client.complete({ model: one.model, messages, providerOptions: { anthropic: { auto_cache: false } } });
    const body = server.requests[0]?.text ?? "";
    const places = client
      .segments({ model: one.model, messages })
      .filter((segment) => segment.kind === "message")
      .map((segment) => body.indexOf(segment.text));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it("PC-01 a request whose segments were asked for is sent without being encoded again, unless it grew", async () => {
    await using server = await startModelServer({ script: () => turn.text("ok") });
    let encoded = 0;
    const protocol: Protocol = {
      ...one.protocol,
      encode: (input) => {
        encoded += 1;
        return one.protocol.encode(input);
      },
    };
    const client = clientFor(one, server, { protocol });
    const messages = [Message.user("one")];
    const request = { provider: one.provider, model: one.model, messages };
    client.segments(request);
    await collect(client.stream(request));
    expect(encoded).toBe(1);
    client.segments(request);
    messages.push(Message.assistant("two"), Message.user("three"));
    await collect(client.stream(request));
    expect([encoded, server.requests.at(-1)?.text.includes("three")]).toEqual([3, true]);
  });
});
