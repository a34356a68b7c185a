// Half of a surrogate pair, as left by a cut in the middle of an emoji: no vendor accepts it.

import { startModelServer, turn } from "@lathe/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeJson, wholeCharacters } from "../../src/protocols/common/encode-json.ts";
import { Message } from "../../src/types/message.ts";
import { ALL, clientFor } from "../core/support.ts";

const HIGH = "\ud83d";
const LOW = "\ude00";

describe.each(ALL)("$provider", (one) => {
  it("PC-01 half a character anywhere in a request is replaced, and a whole one stays", async () => {
    await using server = await startModelServer({ script: [turn.text("ok"), turn.text("ok")] });
    const client = clientFor(one, server);
    const request = {
      model: one.model,
      messages: [
        Message.system(`rules ${HIGH}`),
        Message.user(`input ${LOW} 😀 \\ud83d`),
        Message.assistant([
          { kind: "text", text: `answer ${HIGH}${HIGH}` },
          {
            kind: "tool_call",
            toolCall: { id: "call_1", name: "read", arguments: { path: `file ${HIGH}` }, type: "function" },
          },
        ]),
        Message.toolResult({ toolCallId: "call_1", content: `result ${HIGH}` }),
      ],
      tools: [
        {
          name: "read",
          description: `Reads ${LOW}`,
          parameters: { type: "object", properties: { path: { type: "string", description: `path ${HIGH}` } } },
        },
      ],
    };
    await client.complete(request);
    const events: string[] = [];
    for await (const event of client.stream(request)) events.push(event.type);
    expect(events.at(-1)).toBe("finish");
    // The server refuses it like the vendors do.
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const text of ["rules \ufffd", "input \ufffd 😀", "answer \ufffd\ufffd", "result \ufffd", "Reads \ufffd"])
      expect(sent).toContain(text);
    const shown = client.segments(request).map(({ text }) => text);
    expect(shown.join("")).not.toMatch(/(?<!\\)\\ud83d/);
  });
});

describe("JSON text", () => {
  it("PC-01 means the same but for half characters, whatever the value", () => {
    const text = fc.string({ unit: "binary" }).map((plain) => `${plain}\\u\\ud800`);
    const halves = fc.array(fc.oneof(text, fc.constantFrom(HIGH, LOW, "😀", "\\", '"'))).map((all) => all.join(""));
    fc.assert(
      fc.property(fc.dictionary(halves, halves), (value) => {
        const whole = (plain: string) => Buffer.from(plain).toString();
        const expected = Object.entries(value).map(([name, one]) => [whole(name), whole(one)]);
        expect(JSON.parse(encodeJson(Object.entries(value)))).toEqual(expected);
      }),
    );
  });

  it.each([
    ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['"\\uD83D x"', '"\ufffd x"'],
    ['"\\\\ud83d"', '"\\\\ud83d"'],
    ['"\\\\\\ud83d"', '"\\\\\ufffd"'],
    ['"\\ude00\\ud83d"', '"\ufffd\ufffd"'],
  ])("PC-01 that a model wrote, %s, is sent as %s", (given, expected) => {
    expect(wholeCharacters(given)).toBe(expected);
  });
});
