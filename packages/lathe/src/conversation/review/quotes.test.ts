import { describe, expect, it } from "vitest";
import { placeOfQuote } from "./quotes.ts";

const FILE = "function run(a) {\n  if (a) {\n    return first(a);\n  }\n  return second(a);\n}\n\nreturn second(a);\n";

describe("quotes of findings", () => {
  it.each([
    ["on its line", "  return second(a);", 5, { line: 5, quote: "return second(a);" }],
    ["without its indentation", "return second(a);", 8, { line: 8, quote: "return second(a);" }],
    ["once in the file: the line is corrected", "return first(a);", 70, { line: 3, quote: "return first(a);" }],
    ["no line named, once in the file", "return first(a);", undefined, { line: 3, quote: "return first(a);" }],
    ["twice, one of them near", "return second(a);", 10, { line: 8, quote: "return second(a);" }],
    ["as the diff shows it", "+    return first(a);", 3, { line: 3, quote: "return first(a);" }],
    ["several lines", "if (a) {\n return first(a);", 2, { line: 2, quote: "if (a) {\n    return first(a);" }],
    ["a long part of a line", "function run(a)", 1, { line: 1, quote: "function run(a) {" }],
    ["a brace where it was said to be", "}", 4, { line: 4, quote: "}" }],
  ] as const)("%s", (_, quote, line, place) => {
    expect(placeOfQuote(FILE, quote, line)).toEqual(place);
  });

  it.each([
    ["not there", "return third(a);", 5, /not in the file/],
    ["one letter differs", "return first(b);", 3, /not in the file/],
    ["twice, and none near", "return second(a);", 40, /on lines 5, 8, not on line 40/],
    ["twice, and no line named", "return second(a);", undefined, /on 2 lines/],
    ["a brace on another line", "}", 3, /not on that line/],
    ["a short part of a line", "first(a)", 3, /not in the file/],
    ["nothing", " \n", 3, /quotes nothing/],
  ] as const)("is refused: %s", (_, quote, line, problem) => {
    expect(placeOfQuote(FILE, quote, line)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
