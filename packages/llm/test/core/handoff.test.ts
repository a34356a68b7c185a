import { call, startModelServer, text, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import type { ContentPart } from "../../src/types/message.ts";
import { Message } from "../../src/types/message.ts";
import type { ToolDefinition } from "../../src/types/request.ts";
import { ALL, clientFor, type DialectCase } from "./support.ts";

const tools: readonly ToolDefinition[] = [
  {
    name: "read",
    description: "Reads a file",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
];
const image: ContentPart = { kind: "image", image: { data: Uint8Array.from([1, 2, 3]), mediaType: "image/png" } };

/** Two rounds on one provider: thinking, an image in the question and in a result, two calls at once. */
async function begin(one: DialectCase): Promise<readonly Message[]> {
  await using server = await startModelServer({
    script: [
      turn.blocks([
        thinking("which files?"),
        text("I read both."),
        call({ name: "read", args: { path: "a.ts" } }),
        call({ name: "read", args: { path: "b.ts" } }),
      ]),
      turn.blocks([thinking("now I know"), text("They are alike.")]),
    ],
  });
  const client = clientFor(one, server);
  let messages: readonly Message[] = [
    Message.system("Be exact."),
    Message.user([{ kind: "text", text: "compare" }, image]),
  ];
  const first = await client.complete({ model: one.model, messages, tools });
  expect(first.toolCalls).toHaveLength(2);
  messages = [
    ...messages,
    first.message,
    ...first.toolCalls.map((made, index) =>
      Message.toolResult({
        toolCallId: made.id,
        content: `text of ${String(made.arguments["path"])}`,
        isError: index === 1,
        images: [{ data: Uint8Array.from([9, 9]) }],
      }),
    ),
  ];
  const second = await client.complete({ model: one.model, messages, tools });
  expect(server.requests.map((request) => request.refused)).toEqual([undefined, undefined]);
  return [...messages, second.message, Message.user("and now?")];
}

const PAIRS = ALL.flatMap((from) => ALL.map((to) => ({ from: from.provider, to: to.provider, begun: from, next: to })));

describe("handing a conversation over", () => {
  it.each(PAIRS)("DM-04 DM-05 $from to $to is accepted by the strict server", async ({ begun, next }) => {
    const messages = await begin(begun);
    await using server = await startModelServer({ script: [turn.text("carried on")] });
    const response = await clientFor(next, server).complete({ model: next.model, messages, tools });
    expect(server.requests[0]?.refused).toBeUndefined();
    expect(response.text).toBe("carried on");
    const body = server.requests[0]?.text ?? "";
    for (const kept of ["text of a.ts", "text of b.ts", "They are alike."]) expect(body).toContain(kept);
    if (begun === next) return;
    const signatures = messages.flatMap((message) =>
      message.content.flatMap((part) =>
        part.kind === "thinking" && part.thinking.signature ? [part.thinking.signature] : [],
      ),
    );
    for (const signature of signatures) expect(body).not.toContain(signature);
    expect(body).not.toContain("which files?");
  });
});
