import { InvalidRequestError, type Request } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { buildContext } from "../../src/record/journal/context.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const bytes = Uint8Array.from([1, 2, 3]);
const image = { data: bytes, mediaType: "image/png" };
const look = tool("look", () => ({
  content: [
    { kind: "text", text: "a picture" },
    { kind: "image", image },
  ],
}));
const imagesIn = ({ messages }: Request): number =>
  messages
    .flatMap(({ content }) => content)
    .reduce((sum, part) => {
      if (part.kind === "tool_result") return sum + (part.toolResult.images?.length ?? 0);
      return sum + (part.kind === "image" ? 1 : 0);
    }, 0);
const refused = (message: string): ScriptedTurn => ({
  error: new InvalidRequestError(message, { provider: "test", statusCode: 400 }),
});
const REASON = "messages.1.content.0: Could not process image";
const NOTICE = `[omitted because the provider refused it: ${REASON}]`;

/** Refuses requests with more images than it can see. */
const nearsighted =
  (most: number, message = REASON) =>
  (answer: (request: Request, index: number) => ScriptedTurn) =>
  (request: Request, index: number): ScriptedTurn =>
    imagesIn(request) > most ? refused(message) : answer(request, index);

describe("an image that the provider refuses", () => {
  it("in an input is omitted and the text is answered; the next input is not refused for it", async () => {
    const s = setUp({ script: nearsighted(0)(() => ({ text: "fine" })) });
    await s.session.submit([
      { kind: "text", text: "what is this?" },
      { kind: "image", image },
    ]);
    await s.session.submit("and now?");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["completed", "completed"]);
    expect(s.client.requests).toHaveLength(3);
    expect(s.client.requests[1]!.messages.at(-1)!.content).toEqual([
      { kind: "text", text: "what is this?" },
      { kind: "text", text: NOTICE },
    ]);
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["media_refused"]);
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual(["prune"]);
  });

  it("in a result is omitted, and what the tool said stays", async () => {
    const s = setUp({
      profile: testProfile([]),
      tools: [look],
      script: nearsighted(0)((_, index) =>
        index === 0 ? { calls: [{ name: "look", args: {}, id: "c" }] } : { text: "I cannot see it" },
      ),
    });
    await s.session.submit("look");
    await s.finish();
    expect(s.of("processing_end")[0]!.data.reason).toBe("completed");
    const result = s.client.requests.at(-1)!.messages.at(-1)!.content[0]!;
    expect(result.kind === "tool_result" && result.toolResult).toEqual({
      toolCallId: "c",
      content: `a picture\n${NOTICE}`,
      isError: false,
    });
  });

  it("for those before it costs the newest first, then all of them", async () => {
    let most = 5;
    const s = setUp({ script: (request, index) => nearsighted(most)(() => ({ text: "fine" }))(request, index) });
    await s.session.submit([{ kind: "image", image }]);
    await s.session.submit([{ kind: "image", image }]);
    most = 1;
    await s.session.submit([
      { kind: "text", text: "third" },
      { kind: "image", image },
    ]);
    await s.finish();
    expect(s.client.requests.map(imagesIn)).toEqual([1, 2, 3, 2, 0]);
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["completed", "completed", "completed"]);
  });

  it("is omitted from the same session when it is opened again", async () => {
    const s = setUp({ script: nearsighted(0)(() => ({ text: "fine" })) });
    await s.session.submit([{ kind: "image", image }]);
    const { journal } = s.session;
    const entries = [...journal.entryIds()].map((id) => journal.entry(id));
    await s.finish();
    expect(buildContext(entries).messages[0]!.content).toEqual([{ kind: "text", text: NOTICE }]);
  });

  it("is no excuse for other refusals", async () => {
    const s = setUp({ script: [refused("max_tokens: must be positive"), { text: "fine" }] });
    await s.session.submit([{ kind: "image", image }]);
    await s.finish();
    expect(s.of("processing_end")[0]!.data.reason).toBe("error");
    expect(s.client.requests).toHaveLength(1);
  });

  it("that is not there does not send a request twice", async () => {
    const s = setUp({ script: [refused("image: nonsense"), { text: "fine" }] });
    await s.session.submit("text only");
    await s.finish();
    expect(s.of("processing_end")[0]!.data.reason).toBe("error");
    expect(s.client.requests).toHaveLength(1);
  });
});

describe("thoughts that the provider cannot read any more", () => {
  const thoughtsIn = ({ messages }: Request): number =>
    messages.flatMap(({ content }) => content).filter(({ kind }) => kind === "thinking").length;
  const answer = (text: string): ScriptedTurn => ({ reasoning: "hm", text });

  it.each([
    ["The encrypted content gAAA...c90= could not be verified.", "invalid_encrypted_content"],
    ["messages.5.content.0: Invalid `signature` in `thinking` block", undefined],
    ["`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.", undefined],
    ["Thought signature is not valid.", undefined],
  ])("are omitted, and the session continues: %s", async (message, errorCode) => {
    let sameAccount = true;
    const refusal = new InvalidRequestError(message, { provider: "test", ...(errorCode ? { errorCode } : {}) });
    const s = setUp({
      script: (request) => (!sameAccount && thoughtsIn(request) > 0 ? { error: refusal } : answer("fine")),
    });
    await s.session.submit("one");
    await s.session.submit("two");
    sameAccount = false;
    await s.session.submit("three");
    sameAccount = true;
    await s.session.submit("four");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(Array(4).fill("completed"));
    expect(s.client.requests.map(thoughtsIn)).toEqual([0, 1, 2, 0, 1]);
    expect(s.client.requests.at(-1)!.messages.filter(({ role }) => role === "assistant")).toHaveLength(3);
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["thoughts_refused"]);
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual(["prune"]);
  });
});
