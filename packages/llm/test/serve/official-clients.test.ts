// The table of AU-05: official clients of three formats before providers of six. Each cell works or is refused by name.

import Anthropic from "@anthropic-ai/sdk";
import { call, gate, text, thinking, turn } from "@lathe/testkit";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { DialectCase } from "../core/support.ts";
import { ANSWER, FRONT_DOORS, type FrontDoor, type Mode, PIXEL } from "./clients.ts";
import { type Gateway, PROVIDERS, startGateway } from "./gateway.ts";

const MODES: readonly Mode[] = ["streamed", "whole"];
/** The gate runs each door before each provider, alternating between streamed and whole; the long run both. */
const isInGate = (index: number, mode: Mode): boolean =>
  process.env["LATHE_LONG"] !== undefined || MODES[index % 2] === mode;
const CELLS = FRONT_DOORS.flatMap((door, row) =>
  PROVIDERS.flatMap((one, column) =>
    MODES.filter((mode) => isInGate(row + column, mode)).map(
      (mode) => [door.name, one.dialect, mode, door, one] as const,
    ),
  ),
);

const STOPS: Readonly<Record<FrontDoor["name"], readonly [stop: string, calls: string, length: string]>> = {
  chat: ["stop", "tool_calls", "length"],
  messages: ["end_turn", "tool_use", "max_tokens"],
  responses: ["completed", "completed", "incomplete"],
};
const counts = { usage: { input: 11, output: 7 } };

const refusals = (gateway: Gateway) => gateway.server.requests.flatMap(({ refused }) => refused ?? []);

const failure = (reason: unknown) => reason as InstanceType<typeof OpenAI.APIError>;

describe.each(CELLS)("AU-05 %s client before %s, %s", (name, dialect, mode, door, one) => {
  const [stop, calls, length] = STOPS[name];

  it("text with a system prompt and an image, and the counts", async () => {
    await using gateway = await startGateway(one, {
      script: [turn.text("Grüße 🎉 — done", { ...counts, deltaChars: 3 })],
    });
    const read = await door.ask(gateway, { system: "Be brief.", text: "hi", image: "bytes" }, mode);
    expect(read).toEqual({
      text: "Grüße 🎉 — done",
      thinking: "",
      calls: [],
      stop,
      usage: { input: 11, output: 7 },
    });
    const { messages } = gateway.server.requests[0]!.view;
    expect(JSON.stringify(messages)).toContain("hi");
    expect(gateway.server.requests[0]!.text).toContain(PIXEL);
    expect(refusals(gateway)).toEqual([]);
  });

  it("thinking, parallel calls, their results, and the thinking again", async () => {
    const first = turn.blocks(
      [
        thinking("Let me see."),
        text("Reading."),
        call({ name: "read", args: { path: "ä.txt" } }),
        call({ name: "read", args: { path: "b" } }),
      ],
      { deltaChars: 4 },
    );
    await using gateway = await startGateway(one, { script: [first, turn.text("Both read.")] });
    const round = await door.round(gateway, { text: "go", tools: true, thinking: true }, mode);
    expect(refusals(gateway)).toEqual([]);
    expect(round.first.calls).toEqual([
      { name: "read", arguments: { path: "ä.txt" } },
      { name: "read", arguments: { path: "b" } },
    ]);
    expect(round.first).toMatchObject({ text: "Reading.", stop: calls });
    if (!(name === "chat" && mode === "streamed")) expect(round.first.thinking).toBe("Let me see.");
    expect(round.second).toMatchObject({ text: "Both read.", stop });
    const again = gateway.server.requests[1]!;
    expect(again.view.messages.flatMap(({ results }) => results).map((result) => result.text)).toEqual([
      "done",
      "done",
    ]);
    if (dialect === "gemini") expect(again.text).toContain('"thoughtSignature":"');
    // Gemini signs calls, not thoughts, and Chat Completions has no field for an unsigned thought.
    if (ONES_THAT_SIGN.includes(dialect) && !(dialect === "gemini" && name === "chat"))
      expect(again.text).toContain("Let me see.");
  });

  it("an answer by a schema", async () => {
    const script = [dialect === "anthropic" || dialect === "bedrock" ? answerCall : turn.text(ANSWER)];
    await using gateway = await startGateway(one, { script });
    const read = await door.ask(gateway, { text: "who?", schema: true }, mode);
    expect(JSON.parse(read.text)).toEqual(JSON.parse(ANSWER));
    expect(read).toMatchObject({ calls: [], stop });
    expect(refusals(gateway)).toEqual([]);
  });

  it("an answer that was cut off", async () => {
    await using gateway = await startGateway(one, { script: [turn.text("half an ans", { stop: "length" })] });
    expect(await door.ask(gateway, { text: "hi" }, mode)).toMatchObject({ text: "half an ans", stop: length });
  });

  it("errors before the first byte, with status and time to wait", async () => {
    await using gateway = await startGateway(one, {
      script: [turn.error(429, { retryAfter: 7 }), turn.error(400, { message: "too strange" }), turn.error(401)],
    });
    const limited = failure(await door.ask(gateway, { text: "hi" }, mode).catch((reason: unknown) => reason));
    expect(limited).toBeInstanceOf(name === "messages" ? Anthropic.RateLimitError : OpenAI.RateLimitError);
    if (dialect !== "gemini") expect(limited.headers?.get("retry-after")).toBe("7");
    const invalid = failure(await door.ask(gateway, { text: "hi" }, mode).catch((reason: unknown) => reason));
    expect(invalid).toBeInstanceOf(name === "messages" ? Anthropic.BadRequestError : OpenAI.BadRequestError);
    expect(invalid.message).toContain("too strange");
    const credential = failure(await door.ask(gateway, { text: "hi" }, mode).catch((reason: unknown) => reason));
    // The client's own key was valid.
    expect(credential.status).toBe(502);
    expect(credential.headers?.get("x-should-retry")).toBe("false");
  });
});

const ONES_THAT_SIGN: readonly string[] = ["anthropic", "bedrock", "responses", "gemini"];
const answerCall = turn.calls([{ name: "structured_output", args: JSON.parse(ANSWER) as object }]);

const STREAMED = FRONT_DOORS.flatMap((door) => PROVIDERS.map((one) => [door.name, one.dialect, door, one] as const));

describe.each(STREAMED)("AU-05 %s client before %s", (name, _dialect, door, one) => {
  it("an error in the middle of the stream is the client's error", async () => {
    const fault = { kind: "cut" as const, at: { events: 5 } };
    const script = [turn.withFault(fault, turn.text("a text that will not arrive whole at all", { deltaChars: 4 }))];
    await using gateway = await startGateway(one, { script });
    const answered = door.ask(gateway, { text: "hi" }, "streamed");
    if (name === "responses") expect(await answered).toMatchObject({ stop: "failed" });
    else await expect(answered).rejects.toThrow();
  });

  it("a client that leaves ends the request behind it", async () => {
    const held = gate();
    const script = [
      turn.text("some words that come slowly", {
        deltaChars: 4,
        beforeEvent: (at) => (at > 5 ? held.wait() : undefined),
      }),
    ];
    await using gateway = await startGateway(one, { script });
    await leaveEarly(name, gateway);
    const request = await gateway.server.waitForRequest(0);
    await request.finished;
    held.open();
    expect(request.closedEarly).toBe(true);
  });
});

/** Reads the first event of a stream, and leaves. */
async function leaveEarly(name: FrontDoor["name"], { openai, anthropic }: Gateway): Promise<void> {
  const messages = [{ role: "user" as const, content: "hi" }];
  const body = { model: "any", stream: true as const };
  const stream =
    name === "chat"
      ? await openai.chat.completions.create({ ...body, messages })
      : name === "messages"
        ? await anthropic.messages.create({ ...body, messages, max_tokens: 100 })
        : await openai.responses.create({ ...body, input: "hi" });
  for await (const _ of stream) break;
}

describe("AU-05 what a provider cannot express", () => {
  const cell = (door: string, dialect: string): [FrontDoor, DialectCase] => [
    FRONT_DOORS.find(({ name }) => name === door)!,
    PROVIDERS.find((one) => one.dialect === dialect)!,
  ];

  it("stop sequences are refused by their name before Responses", async () => {
    const [door, one] = cell("chat", "responses");
    await using gateway = await startGateway(one, { script: [] });
    const refused = failure(
      await door.ask(gateway, { text: "hi", stop: "END" }, "whole").catch((reason: unknown) => reason),
    );
    expect(refused.status).toBe(400);
    expect(refused).toMatchObject({ param: "stop", type: "invalid_request_error" });
    expect(gateway.server.requests).toEqual([]);
  });

  it("a budget for thinking becomes an effort, and the header says so", async () => {
    const [door, one] = cell("messages", "responses");
    await using gateway = await startGateway(one, { script: [turn.text("ok")] });
    await door.ask(gateway, { text: "hi", thinking: true }, "whole");
    expect(gateway.dropped).toBe("thinking_budget");
    expect(gateway.server.requests[0]!.body.reasoning).toMatchObject({ effort: "low" });
  });
});
