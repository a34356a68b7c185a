// History in images: what is printed can be read again, letter by letter.

import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { serialize } from "../../src/context/compaction/serialize.ts";
import { type Archive, type ArchiveInput, archive } from "../../src/context/compaction/snapcompact/archive.ts";
import { type CellStyle, cellsOf } from "../../src/context/compaction/snapcompact/cells.ts";
import { CHARACTERS } from "../../src/context/compaction/snapcompact/font.ts";
import { printable } from "../../src/context/compaction/snapcompact/printable.ts";
import { decodePng, readFrame, readText } from "./read-frame.ts";
import { lorem, seeing } from "./support.ts";

const ASCII = CHARACTERS.filter((character) => character !== "\n").join("");

/** Every letter in every position of a row, in text of people, models and tools. */
function conversation(rounds: number): Message[] {
  return Array.from({ length: rounds }, (_, n): Message[] => {
    const shifted = `${ASCII.slice(n % 95)}${ASCII.slice(0, n % 95)}`;
    return [
      Message.user(`Question ${n}: what is ${shifted}? Tell me. Now!`),
      {
        role: "assistant",
        content: [
          { kind: "text", text: `Answer ${n}. It is ${shifted}\n\n  and more.` },
          {
            kind: "tool_call",
            toolCall: {
              id: `c${n}`,
              name: "bash",
              arguments: { command: `echo ${n}`, long: "x".repeat(3000) },
              type: "function",
            },
          },
        ],
      },
      Message.toolResult({ toolCallId: `c${n}`, content: `${shifted}\n${lorem(2000)}`, isError: n % 7 === 3 }),
    ];
  }).flat();
}

const EASY: Omit<ArchiveInput, "messages"> = {
  tokens: 1_000_000,
  previous: undefined,
  earlier: undefined,
  model: seeing("anthropic-messages"),
  room: 1_000_000,
};

function made(input: Partial<ArchiveInput> & Pick<ArchiveInput, "messages">): Archive {
  const result = archive({ ...EASY, ...input });
  if ("problem" in result) throw new Error(result.problem);
  return result;
}

const bytesOf = ({ history }: Archive): Uint8Array[] => history.frames.map(({ data }) => data!);
const VENDORS = [
  ["anthropic-messages", "plain", undefined, 1],
  ["google-generative-ai", "plain", undefined, 6],
  ["openai-responses", "stretched", "original", 1],
] as const;

describe.each(VENDORS)("CO-08 for %s (%s cells)", (api, cell, detail, inks) => {
  const messages = conversation(12);
  const result = made({ messages, model: seeing(api) });
  const frames = bytesOf(result).map((bytes) => readFrame(bytes, cell));

  it("a glyph matcher reads every letter of the serialized conversation, across pictures", () => {
    const read = frames
      .flat()
      .map(({ character }) => character)
      .join("");
    const printed = printable(serialize(messages, Number.POSITIVE_INFINITY)).text.trimEnd();
    const right = Array.from(printed, (character, at) => Number(character === read[at])).reduce(
      (sum, hit) => sum + hit,
    );
    expect(right / printed.length).toBe(1);
    // The last image is filled up with white.
    expect(read.slice(printed.length).trim()).toBe("");
    expect(bytesOf(result).length).toBeGreaterThan(1);
  });

  it("the frames are squares that the vendor does not shrink, and say how closely to look", () => {
    for (const { data, ...frame } of result.history.frames) {
      expect(frame).toEqual({ mediaType: "image/png", ...(detail === undefined ? {} : { detail }) });
      expect(decodePng(data!).side).toBeLessThanOrEqual(1088);
    }
  });

  it("output of tools is grey, and what was said has colours as the vendor's models like them", () => {
    const letters = frames.flat();
    const text = letters.map(({ character }) => character).join("");
    const coloursOf = (from: number, to: number): Set<string | undefined> =>
      new Set(letters.slice(from, to).flatMap(({ colour }) => (colour === undefined ? [] : [colour])));
    const output = text.indexOf("[Result]:");
    // A pixel that is only partly covered is lighter than its ink.
    const full = cell === "plain" ? "120,120,120" : /^(120|1\d\d|2\d\d),\1,\1$/;
    for (const colour of coloursOf(output, text.indexOf("[User]: Question 1"))) expect(colour).toMatch(full);
    const said = new Set([
      ...coloursOf(0, output),
      ...coloursOf(text.indexOf("[User]: Question 1"), text.indexOf("[Result]:", output + 1)),
    ]);
    if (cell === "plain") expect(said.size).toBe(inks);
    expect(said).not.toContain("120,120,120");
  });

  it("the same history gives the same bytes", () => {
    expect(bytesOf(made({ messages: conversation(12), model: seeing(api) }))).toEqual(bytesOf(result));
  });
});

it.each<[CellStyle, number]>([
  ["plain", 3],
  ["stretched", 1.5],
])("any two letters of %s cells differ by the ink of %d pixels at least", (style, least) => {
  const { coverage, full } = cellsOf(style);
  const alike: string[] = [];
  for (const [a, first] of coverage.entries()) {
    for (const [b, second] of coverage.entries()) {
      const difference = first.reduce((sum, value, at) => sum + Math.abs(value - second[at]!), 0);
      if (a < b && difference < least * full) alike.push(`${CHARACTERS[a]} ${CHARACTERS[b]}: ${difference / full}`);
    }
  }
  expect(alike).toEqual([]);
});

describe("CO-08 what is kept", () => {
  const page = (n: number): Message[] => [Message.assistant(`page ${n}. ${lorem(4500)}`)];

  it("the ninth picture takes the place of the second; the first stays for good", () => {
    let archived = made({ messages: page(0) });
    for (let n = 1; n < 8; n++) archived = made({ messages: page(n), earlier: archived.history });
    expect(archived.history.frames).toHaveLength(8);
    const before = bytesOf(archived);
    const after = made({ messages: page(8), earlier: archived.history });
    expect(bytesOf(after).slice(0, 7)).toEqual([before[0], ...before.slice(2)]);
    expect(readText(bytesOf(after)[7]!, "plain")).toContain("page 8.");
    expect(after.history.dropped).toBe(1);
    expect(after.guide).toContain("1 more between the first and the second");
  });

  it("a history of more than eight pictures keeps its beginning and its end", () => {
    const messages = Array.from({ length: 20 }, (_, n) => page(n)).flat();
    const { history } = made({ messages });
    expect(history.frames).toHaveLength(8);
    expect(readText(history.frames[0]!.data!, "plain")).toContain("page 0.");
    const last = history.frames.slice(-2).map(({ data }) => readText(data!, "plain"));
    expect(last.join("")).toContain("page 19.");
  });

  it("notes of an earlier compaction are printed first", () => {
    const { history } = made({ messages: page(1), previous: "## Goal\nShip it." });
    expect(readText(history.frames[0]!.data!, "plain")).toMatch(
      /^\[Summary of earlier history\]: ## Goal\nShip it\.\n\[Assis/,
    );
  });
});

describe("what cannot be printed", () => {
  it.each([
    ["naïve façade “quoted” … – done", 'naive facade "quoted" ... - done'],
    ["a\tb  c \r\n\r\n   d", "a b c\nd"],
    ["└── src → dist ✓", "+-- src -> dist [ok]"],
    ["\u001b[31mred\u001b[0m\u200b", "[31mred[0m"],
    ["ok 中 🎉", "ok <4E2D> <1F389>"],
    ["½ ﬁne", "<00BD> fine"],
  ])("%j is printed as %j", (text, expected) => {
    expect(printable(text).text).toBe(expected);
  });

  it.each([
    ["a model without eyes", { model: { ...seeing(), supportsVision: false } }, /cannot read pictures/],
    ["a model that nobody knows", { model: undefined }, /cannot read pictures/],
    ["a small window", { room: 2000 }, /too small/],
    ["hardly anything to print", { tokens: 100 }, /more room/],
    ["another script", { messages: [Message.user("こんにちは世界".repeat(100))] }, /cannot be printed/],
  ])("%s: pictures are refused with the reason", (_name, input, problem) => {
    expect(archive({ ...EASY, messages: conversation(1), ...input })).toEqual({
      problem: expect.stringMatching(problem),
    });
  });
});
