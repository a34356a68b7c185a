import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { InputContent } from "../../src/contract/events/types.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { historyError } from "../support/history-grammar.ts";
import { setUp, testDeps } from "../support/session.ts";

const text = { kind: "text", text: "look" };
const wrong: readonly (readonly [name: string, content: unknown, problem: RegExp])[] = [
  ["null", null, /^the input must be a text or a list of parts$/],
  ["a number", 5, /a text or a list of parts/],
  ["an object", {}, /a text or a list of parts/],
  ["a part that is nothing", [null], /part 1 of the input cannot be used/],
  ["a text without text", [{ kind: "text" }], /text must be a string/],
  [
    "a result",
    [text, { kind: "tool_result", toolResult: { toolCallId: "x", content: "y", isError: false } }],
    /part 2 of the input cannot be used: a tool_result part is not text, an image, audio or a document/,
  ],
  ["thinking", [text, { kind: "thinking", thinking: { text: "hm" } }], /a thinking part/],
  ["a call", [{ kind: "tool_call", toolCall: { id: "a", name: "b", arguments: {}, type: "function" } }], /a tool_call/],
  ["an image without anything", [text, { kind: "image", image: {} }], /image must have either data or url/],
  [
    "an image in base64",
    [text, { kind: "image", image: { data: "iVBORw0KGgo=", mediaType: "image/png" } }],
    /image\.data must be bytes \(a Uint8Array\); decode base64 first/,
  ],
  ["audio that is a text", [text, { kind: "audio", audio: "x" }], /audio must be an object/],
];

describe("content that a message of the user cannot hold", () => {
  it.each(wrong)("%s is refused before anything is written, by every way in", async (_name, content, problem) => {
    const s = setUp({ script: () => ({ text: "fine" }) });
    await s.session.submit("before");
    const lines = s.session.journal.context.messages.length;
    const given = content as InputContent;
    const refused = { name: "InputRefused", message: expect.stringMatching(problem) };
    await expect(s.session.submit(given)).rejects.toMatchObject(refused);
    for (const way of [() => s.session.steer(given), () => s.session.followUp(given)])
      expect(way).toThrow(expect.objectContaining(refused));
    const id = s.session.followUp("later");
    expect(() => s.session.editQueued(id, given)).toThrow(expect.objectContaining(refused));
    expect(s.session.cancelQueued(id)).toBe(true);
    expect([s.session.journal.context.messages.length, s.session.state]).toEqual([lines, "idle"]);
    expect(await s.session.submit("after")).toMatchObject({ reason: "completed", text: "fine" });
    await s.finish();
  });

  it("a journal that holds such parts can be opened and used; the model reads that they were left out", async () => {
    const deps = testDeps();
    const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: "s", cwd: "/work" }, () => new MemoryStore(), journalDeps);
    const say = (message: Message) => journal.append({ type: "message", message });
    say({
      role: "user",
      content: [
        { kind: "text", text: "look" },
        { kind: "tool_result", toolResult: { toolCallId: "x", content: "y", isError: false } },
        { kind: "thinking", thinking: { text: "hm", redacted: false } },
      ],
    });
    say(Message.assistant("ok"));
    const s = setUp({ deps, journal, script: [{ text: "fine" }] });
    expect(await s.session.submit("more")).toMatchObject({ reason: "completed", text: "fine" });
    const { messages } = s.client.requests[0]!;
    expect(historyError(messages.slice(1))).toBeUndefined();
    const kinds = messages
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => content.map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(["text"]));
    expect(JSON.stringify(messages)).toContain("A tool_result part was left out");
    await s.finish();
  });
});
