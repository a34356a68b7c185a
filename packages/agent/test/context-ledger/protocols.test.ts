// For every protocol, the ledger's owners add up to the request that arrives at the server.

import { call, text, thinking, turn } from "@lathe/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextLedger, OwnerKind } from "../../src/context/ledger/types.ts";
import { tool } from "../support/session.ts";
import { ledgered, PROTOCOLS } from "./protocols.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The image with this many bytes added after its end, which readers ignore. */
const picture = (bytes: number): Uint8Array => Buffer.concat([PNG, Buffer.alloc(bytes, 7)]);

const WORDS = ["lathe", "naïve", "日本語", "😀 pair", '"quoted"', "back\\slash", "tab\tnew\nline"];
const words = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, index) => WORDS[(index * 7 + seed) % WORDS.length]).join(" ");

interface Round {
  readonly say: number;
  readonly think: number;
  readonly calls: readonly { readonly args: number; readonly result: number; readonly picture: number }[];
}

const round: fc.Arbitrary<Round> = fc.record({
  say: fc.nat(400),
  think: fc.nat(400),
  calls: fc.array(fc.record({ args: fc.nat(300), result: fc.nat(3000), picture: fc.nat(30_000) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

const conversation = fc.record({
  prompt: fc.integer({ min: 100, max: 2000 }),
  picture: fc.nat(40_000),
  rounds: fc.array(round, { minLength: 2, maxLength: 4 }),
});

const work = tool("work", (args) => {
  const { result = 0, picture: bytes = 0 } = args as { result?: number; picture?: number };
  const words_ = words(result, 3) || "nothing";
  if (bytes < 100) return words_;
  return {
    content: [
      { kind: "text", text: words_ },
      { kind: "image", image: { data: picture(bytes), mediaType: "image/png" } },
    ],
  };
});

const other = tool("other", () => "never", {
  description: words(300, 1),
  schema: { type: "object", properties: { a: { type: "string", description: words(100, 2) } }, required: ["a"] },
});

function script(rounds: readonly Round[]) {
  return rounds.map(({ say, think, calls }, index) =>
    turn.blocks([
      ...(think > 0 ? [thinking(words(think, index))] : []),
      ...(say > 0 ? [text(words(say, index))] : []),
      ...calls.map(({ args, ...rest }, at) =>
        call({ name: "work", id: `call_${index}_${at}`, args: { note: words(args, at), ...rest } }),
      ),
    ]),
  );
}

const sums = ({ owners }: ContextLedger): { bytes: number; tokens: number } => ({
  bytes: owners.reduce((sum, { bytes }) => sum + bytes, 0),
  tokens: owners.reduce((sum, { tokens }) => sum + tokens, 0),
});

describe.each(PROTOCOLS)("the ledger over $provider", (protocol) => {
  it("sums to the bytes that arrive, with pictures, calls, thinking and a compaction", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async ({ prompt, picture: attached, rounds }) => {
        const l = await ledgered(
          protocol,
          [...script(rounds), turn.text("done"), ...script(rounds), turn.text("done again")],
          [work, other],
          {
            surroundings: () => ({ environment: words(200, 5), projectDocs: words(500, 6) }),
            config: { reasoningEffort: "high", retry: { maxRetries: 0 } },
          },
        );
        const image = { kind: "image" as const, image: { data: picture(attached), mediaType: "image/png" } };
        await l.session.submit([{ kind: "text", text: words(prompt, 0) }, image]);
        const { journal } = l.session;
        const entries = [...journal.entryIds()].map((id) => journal.entry(id));
        const asked = entries.find((entry) => entry.type === "message" && entry.message.role === "user")!;
        await l.session.compact({
          reason: "manual",
          summary: words(600, 4),
          firstKeptEntryId: entries.at(-1)!.id,
          keep: [asked.id],
        });
        await l.session.submit("again");
        await l.close();
        expect(l.server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
        expect(l.server.requests).toHaveLength(l.ledgers.length);
        expect(l.ledgers).toHaveLength(2 * (rounds.length + 1));
        for (const [index, ledger] of l.ledgers.entries()) {
          const body = l.server.requests[index]!.rawBody.length;
          expect(Math.abs(ledger.bytes - body) / body, `request ${index}: ${ledger.bytes} of ${body}`).toBeLessThan(
            0.01,
          );
          expect(sums(ledger)).toEqual({ bytes: ledger.bytes, tokens: ledger.tokens });
          // Braces, roles, parameters: no content may be hidden among them.
          const framing = ledger.owners.find(({ kind }) => kind === "framing")?.bytes ?? 0;
          expect(framing, `request ${index}`).toBeLessThan(600 + 60 * ledger.owners.length);
        }
      }),
      { numRuns: process.env["LATHE_LONG"] ? 30 : 1 },
    );
  });

  it("gives each owner the bytes of what it put in, whoever else shares its message", async () => {
    const plain = (word: string, times: number): string => `${word}+`.repeat(times);
    const shot = tool("shot", () => ({
      content: [
        { kind: "text", text: plain("result", 600) },
        { kind: "image", image: { data: picture(30_000), mediaType: "image/png" } },
      ],
    }));
    const l = await ledgered(
      protocol,
      [
        turn.blocks([
          thinking(plain("thought", 300)),
          text(plain("answer", 400)),
          call({ name: "shot", id: "call_1", args: { note: plain("argument", 200) } }),
        ]),
        turn.text("done"),
      ],
      [shot, tool("other", () => "never", { description: plain("schema", 500) })],
      {
        surroundings: () => ({
          environment: plain("surroundings", 300),
          projectDocs: `# AGENTS.md\n\n${plain("rule", 700)}\n\n# deep/CLAUDE.md\n\n${plain("custom", 300)}`,
          instructionFiles: ["AGENTS.md", "deep/CLAUDE.md"],
        }),
        userInstructions: plain("wish", 250),
        config: { reasoningEffort: "high", retry: { maxRetries: 0 } },
      },
    );
    await l.session.submit(plain("request", 500));
    await l.close();
    const { owners } = l.ledgers.at(-1)!;
    const body = l.server.requests.at(-1)!.text;
    const bytesOf = (kind: OwnerKind, name?: string): number =>
      owners.reduce((sum, o) => sum + (o.kind === kind && (name === undefined || o.name === name) ? o.bytes : 0), 0);
    /** Its bytes in the body that arrived. */
    const arrived = (word: string): number => (body.split(`${word}+`).length - 1) * (word.length + 1);
    const shares: [string, number][] = [
      ["request", bytesOf("user")],
      ["answer", bytesOf("answer")],
      ["argument", bytesOf("call", "shot")],
      ["result", bytesOf("result", "shot")],
      ["schema", bytesOf("tool", "other")],
      ["surroundings", bytesOf("environment")],
      ["rule", bytesOf("instructions", "AGENTS.md")],
      ["custom", bytesOf("instructions", "deep/CLAUDE.md")],
      ["wish", bytesOf("prompt", "user instructions")],
    ];
    for (const [word, bytes] of shares) {
      expect(arrived(word), word).toBeGreaterThan(1000);
      expect(bytes, word).toBeGreaterThan(arrived(word) * 0.97);
      expect(bytes, word).toBeLessThan(arrived(word) * 1.03 + 250);
    }
    // Some vendors accept no thinking back, and others sign it at length.
    expect(bytesOf("thinking") > 0).toBe(arrived("thought") > 0);
    expect(bytesOf("thinking")).toBeGreaterThanOrEqual(arrived("thought") * 0.97);
    expect(bytesOf("media")).toBeGreaterThan(40_000);
    expect(bytesOf("media")).toBeLessThan(41_500);
    const [image] = owners.filter(({ kind }) => kind === "media");
    expect(image!.tokens).toBeLessThan(2000);
  });
});
