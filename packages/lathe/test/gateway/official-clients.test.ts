// The table of docs/gateway-formats.md, tested with the gateway itself: the official clients of three formats in front
// of providers of six. Each cell works or is refused by name. LATHE_WRITE_DOCS=1 writes the table.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { call, gate, type ModelTurn, text, thinking, turn } from "@lathe/testkit";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADDRESS,
  ANSWER,
  type Asked,
  FRONT_DOORS,
  type FrontDoor,
  type Mode,
  PIXEL,
  type Server,
} from "../../../llm/test/serve/clients.ts";
import { startTestGateway, type TestGateway } from "./gateway-kit.ts";

const PROVIDERS = [
  ["Anthropic", "m-messages"],
  ["Bedrock", "m-bedrock"],
  ["Gemini", "m-gemini"],
  ["Responses", "m-responses"],
  ["Chat", "m-chat"],
  ["Ollama", "m-ollama"],
] as const;
type Provider = (typeof PROVIDERS)[number][0];
const IS_LONG = process.env["LATHE_LONG"] !== undefined;
const MODES: readonly Mode[] = ["streamed", "whole"];
const STOPS: Readonly<Record<FrontDoor["name"], readonly [stop: string, calls: string, length: string]>> = {
  chat: ["stop", "tool_calls", "length"],
  messages: ["end_turn", "tool_use", "max_tokens"],
  responses: ["completed", "completed", "incomplete"],
};

let test: TestGateway;
let server: Server;
beforeAll(async () => {
  test = await startTestGateway();
  const key = await test.key({ budget: { usd: 1000, period: "day" } });
  server = { openai: test.openai(key), anthropic: test.anthropic(key) };
});
afterAll(() => test.close());

interface Cell {
  readonly door: FrontDoor;
  readonly provider: Provider;
  readonly mode: Mode;
  /** Asks for the model of the provider. */
  readonly at: Server;
}

type Failure = InstanceType<typeof OpenAI.APIError>;
const failed = (asking: Promise<unknown>): Promise<Failure> =>
  asking.then(
    () => expect.unreachable("an error was expected"),
    (error: unknown) => error as Failure,
  );
const asked = ({ door, at, mode }: Cell, what: Partial<Asked> = {}) => door.ask(at, { text: "hi", ...what }, mode);
const last = () => test.upstream.requests.at(-1)!;

/** Some rows of the table: what is tried, and what becomes of it where it does not work everywhere. */
interface Row {
  readonly what: string;
  readonly elsewhere?: Readonly<Partial<Record<Provider, string>>>;
  readonly run: (cell: Cell) => Promise<void>;
}

const ROWS: readonly Row[] = [
  {
    what: "Text, system prompt, token counts",
    run: async (cell) => {
      test.upstream.push(turn.text("Grüße 🎉 — done", { usage: { input: 11, output: 7 }, deltaChars: 3 }));
      const stop = STOPS[cell.door.name][0];
      const answer = { text: "Grüße 🎉 — done", thinking: "", calls: [], stop, usage: { input: 11, output: 7 } };
      expect(await asked(cell, { system: "Be brief." })).toEqual(answer);
      expect(last().text).toContain("Be brief.");
    },
  },
  {
    what: "Tools, parallel calls and their results",
    run: async (cell) => {
      const calls = ["ä.txt", "b"].map((path) => call({ name: "read", args: { path } }));
      test.upstream.push(turn.blocks([text("Reading."), ...calls], { deltaChars: 4 }), turn.text("Both read."));
      const { first, second } = await cell.door.round(cell.at, { text: "go", tools: true }, cell.mode);
      expect(first.calls.map((one) => one.arguments)).toEqual([{ path: "ä.txt" }, { path: "b" }]);
      expect(first).toMatchObject({ text: "Reading.", stop: STOPS[cell.door.name][1] });
      expect(second.text).toBe("Both read.");
      expect(last().view.messages.flatMap(({ results }) => results)).toHaveLength(2);
    },
  },
  {
    what: "Thinking that the client can read",
    run: async (cell) => {
      test.upstream.push(turn.blocks([thinking("Let me see."), text("Seen.")], { deltaChars: 4 }));
      const read = await asked(cell, { thinking: true });
      expect(read.text).toBe("Seen.");
      // Its own helper keeps only the last piece of a field that it does not know.
      if (!(cell.door.name === "chat" && cell.mode === "streamed")) expect(read.thinking).toBe("Let me see.");
    },
  },
  {
    what: "Thinking, sent back to the model with the results of calls",
    elsewhere: {
      Gemini: "works for signed calls",
      Chat: "not needed by these vendors",
      Ollama: "not needed by these vendors",
    },
    run: async (cell) => {
      const blocks = [thinking("Let me see."), call({ name: "read", args: { path: "a" } })];
      test.upstream.push(turn.blocks(blocks, { deltaChars: 4 }), turn.text("Read."));
      await cell.door.round(cell.at, { text: "go", tools: true, thinking: true }, cell.mode);
      const sign: Partial<Record<Provider, string>> = { Gemini: '"thoughtSignature":"', Chat: "go", Ollama: "go" };
      expect(last().text).toContain(sign[cell.provider] ?? "Let me see.");
    },
  },
  {
    what: "Images as data",
    run: async (cell) => {
      test.upstream.push(turn.text("A dot."));
      await asked(cell, { image: "bytes" });
      expect(last().text).toContain(PIXEL);
    },
  },
  {
    what: "Images by URL",
    elsewhere: { Bedrock: "refused: `image_url`", Ollama: "refused: `image_url`" },
    run: async (cell) => {
      if (cell.provider === "Bedrock" || cell.provider === "Ollama") {
        const error = await failed(asked(cell, { image: "address" }));
        expect([error.status, error.message]).toEqual([400, expect.stringContaining("image_url")]);
        return;
      }
      test.upstream.push(turn.text("A dot."));
      await asked(cell, { image: "address" });
      expect(last().text).toContain(ADDRESS);
    },
  },
  {
    what: "An answer that follows a JSON Schema",
    run: async (cell) => {
      const isCall = cell.provider === "Anthropic" || cell.provider === "Bedrock";
      const forced = turn.calls([{ name: "structured_output", args: JSON.parse(ANSWER) as object }]);
      test.upstream.push(isCall ? forced : turn.text(ANSWER));
      const read = await asked(cell, { schema: true });
      expect([JSON.parse(read.text), read.calls, read.stop]).toEqual([
        JSON.parse(ANSWER),
        [],
        STOPS[cell.door.name][0],
      ]);
    },
  },
  {
    what: "An answer that was cut off at its maximum length",
    run: async (cell) => {
      test.upstream.push(turn.text("half an ans", { stop: "length" }));
      expect(await asked(cell)).toMatchObject({ text: "half an ans", stop: STOPS[cell.door.name][2] });
    },
  },
  {
    what: "Errors: a bad request, an overloaded provider",
    run: async (cell) => {
      const errors: ModelTurn[] = [turn.error(400, { message: "too strange" }), turn.error(503)];
      test.upstream.push(...errors);
      const invalid = await failed(asked(cell));
      expect([invalid.status, invalid.message]).toEqual([400, expect.stringContaining("too strange")]);
      const overloaded = await failed(asked(cell));
      expect(overloaded.status).toBe(cell.door.name === "messages" ? 529 : 503);
      expect(overloaded.headers?.get("x-should-retry")).toBe("true");
    },
  },
  {
    what: "An error in the middle of an answer",
    run: async (cell) => {
      const fault = { kind: "cut" as const, at: { events: 5 } };
      test.upstream.push(turn.withFault(fault, turn.text("a text that will not arrive whole", { deltaChars: 4 })));
      const answered = asked(cell);
      if (cell.door.name === "responses" && cell.mode === "streamed")
        expect(await answered).toMatchObject({ stop: "failed" });
      else await expect(answered).rejects.toThrow();
    },
  },
  {
    what: "A client that disconnects: the request to the provider ends",
    run: async (cell) => {
      const held = gate();
      test.upstream.push(
        turn.text("some words that come slowly", {
          deltaChars: 4,
          beforeEvent: (at) => (at > 5 ? held.wait() : undefined),
        }),
      );
      const leaving = new AbortController();
      const answered = asked(cell, { signal: leaving.signal }).catch(() => "left");
      await held.reached;
      leaving.abort();
      expect(await answered).toBe("left");
      await last().finished;
      held.open();
      expect(last().closedEarly).toBe(true);
    },
  },
];

const DOORS = { chat: "OpenAI's Chat Completions", responses: "OpenAI's Responses", messages: "Anthropic's Messages" };
/** The gate runs each row before each provider once, with another client and way each time; the long run all six ways. */
const CELLS = ROWS.flatMap((row, nth) =>
  PROVIDERS.flatMap(([provider, model], column) =>
    FRONT_DOORS.flatMap((door, at) =>
      MODES.filter((_, way) => IS_LONG || at * 2 + way === (nth + column) % 6).map(
        (mode) => [row.what, door.name, provider, mode, { row, door, provider, mode, model }] as const,
      ),
    ),
  ),
);

describe("AU-05 the table of clients, by the gateway itself", () => {
  it.each(CELLS)("AU-05 %s: %s before %s, %s", async (_what, _door, _provider, _mode, { row, model, ...cell }) => {
    await row.run({ ...cell, at: { ...server, model } });
    expect(test.upstream.remaining).toBe(0);
    expect(test.upstream.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });

  it("AU-05 docs/gateway-formats.md has the table", () => {
    const page = fileURLToPath(new URL("../../../../docs/gateway-formats.md", import.meta.url));
    const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
    const table = [
      line(["what was asked for", ...PROVIDERS.map(([provider]) => provider)]),
      `|${"---|".repeat(PROVIDERS.length + 1)}`,
      ...ROWS.map(({ what, elsewhere }) =>
        line([what, ...PROVIDERS.map(([provider]) => elsewhere?.[provider] ?? "works")]),
      ),
    ].join("\n");
    const found = readFileSync(page, "utf8");
    const written = found.replace(
      /(<!-- clients -->)[\s\S]*(<!-- \/clients -->)/,
      (_, open: string, close: string) => `${open}\n\n${table}\n\n${close}`,
    );
    if (process.env["LATHE_WRITE_DOCS"]) writeFileSync(page, written);
    expect(found).toContain("<!-- clients -->");
    expect(found).toBe(process.env["LATHE_WRITE_DOCS"] ? found : written);
    for (const door of FRONT_DOORS) expect(found).toContain(DOORS[door.name]);
  });
});
