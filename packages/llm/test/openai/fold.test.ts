import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { Message } from "../../src/types/message.ts";
import { encodeWith } from "./kit.ts";

const talk = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, turn) => turn).flatMap((turn) => [
    Message.user(`question ${turn}`),
    Message.assistant([
      {
        kind: "tool_call",
        toolCall: {
          id: `c${turn}`,
          name: "look",
          type: turn % 2 ? "custom" : "function",
          arguments: turn % 2 ? "x" : {},
        },
      },
    ]),
    Message.toolResult({
      toolCallId: `c${turn}`,
      content: "seen",
      images: turn % 3 ? [] : [{ url: "https://x.test/a.png" }],
    }),
  ]);

describe("what is remembered of a conversation", () => {
  it.each([openaiResponses, openaiChat])(
    "PC-01 growth, a cut, a changed message and a second conversation give the bytes of a fresh encoding",
    (protocol) => {
      const segments = createSegmentCache();
      const system = Message.system("one system text for all");
      const first = talk(6);
      const second = talk(3);
      const histories = [
        [system, ...first.slice(0, 4)],
        [system, ...first],
        [system, ...second],
        [system, ...first, Message.user("more")],
        [system, ...first.slice(0, 7)],
        [system, ...first.slice(0, 6), Message.user("changed"), ...first.slice(7)],
        [Message.system("another"), ...first],
        [...first, Message.system("a late one")],
      ];
      for (const messages of histories) {
        const request = { model: "m", messages };
        const remembered = encodeWith(protocol, request, { segments });
        const fresh = encodeWith(protocol, request);
        expect(remembered.body.join("")).toBe(fresh.body.join(""));
        expect(remembered.segments.map(({ text }) => text)).toEqual(fresh.segments.map(({ text }) => text));
      }
    },
  );
});
