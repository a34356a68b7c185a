import { describe, expect, it } from "vitest";
import { contextFor, run } from "../../../../test/edit/harness.ts";
import { ShownFiles } from "../../../files/edit/shown-files.ts";
import { MemoryEnvironment } from "../../../world/env/memory.ts";
import { hashlineEditTool } from "./index.ts";

const SIX = "one\ntwo\nthree\nfour\nfive\nsix\n";

/** `¶f` stands for the header of the file with its tag. */
async function edit(input: string, content = SIX) {
  const env = new MemoryEnvironment({ files: { f: content, g: "G1\nG2\n" } });
  const shownFiles = new ShownFiles();
  const tags = { f: shownFiles.record(env.resolve("f"), content), g: shownFiles.record(env.resolve("g"), "G1\nG2\n") };
  const text = input.replaceAll("¶f", `¶f#${tags.f}`).replaceAll("¶g", `¶g#${tags.g}`).replaceAll("TAG", tags.f);
  const result = await run(hashlineEditTool, { input: text }, contextFor(env, { shownFiles }));
  return { ...result, f: await env.readFile("f"), g: await env.readFile("g") };
}

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join("");

const operations: readonly (readonly [string, string, string])[] = [
  ["replace one line", "¶f\nreplace 2..2:\n+TWO", lines("one", "TWO", "three", "four", "five", "six")],
  ["replace by more", "¶f\nreplace 2..3:\n+a\n+b\n+c", lines("one", "a", "b", "c", "four", "five", "six")],
  ["replace by fewer", "¶f\nreplace 2..5:\n+a", lines("one", "a", "six")],
  ["replace everything", "¶f\nreplace 1..6:\n+a", lines("a")],
  ["delete a range", "¶f\ndelete 2..5", lines("one", "six")],
  ["delete the last line", "¶f\ndelete 6..6", lines("one", "two", "three", "four", "five")],
  ["delete everything", "¶f\ndelete 1..6", ""],
  ["insert before", "¶f\ninsert before 2:\n+x", lines("one", "x", "two", "three", "four", "five", "six")],
  ["insert before the first", "¶f\ninsert before 1:\n+x", lines("x", "one", "two", "three", "four", "five", "six")],
  ["insert after", "¶f\ninsert after 2:\n+x", lines("one", "two", "x", "three", "four", "five", "six")],
  ["insert after the last", "¶f\ninsert after 6:\n+x", lines("one", "two", "three", "four", "five", "six", "x")],
  ["insert head", "¶f\ninsert head:\n+x\n+y", lines("x", "y", "one", "two", "three", "four", "five", "six")],
  ["insert tail", "¶f\ninsert tail:\n+x", lines("one", "two", "three", "four", "five", "six", "x")],
  ["a lone + is an empty line", "¶f\nreplace 2..2:\n+", lines("one", "", "three", "four", "five", "six")],
  ["++ and +- are literal", "¶f\nreplace 2..2:\n++a\n+-b", lines("one", "+a", "-b", "three", "four", "five", "six")],
  [
    "text that looks like an operation",
    "¶f\nreplace 2..2:\n+delete 1..2",
    lines("one", "delete 1..2", "three", "four", "five", "six"),
  ],
  ["blanks at both ends of a row", "¶f\nreplace 2..2:\n+  a  ", lines("one", "  a  ", "three", "four", "five", "six")],
  [
    "numbers mean the original text throughout",
    "¶f\ninsert head:\n+x\n+y\ndelete 2\nreplace 5..5:\n+FIVE",
    lines("x", "y", "one", "three", "four", "FIVE", "six"),
  ],
  ["operations in any order", "¶f\ndelete 6\nreplace 1..1:\n+ONE", lines("ONE", "two", "three", "four", "five")],
  [
    "insert around a replaced line",
    "¶f\ninsert before 2:\n+a\nreplace 2..2:\n+b\ninsert after 2:\n+c",
    lines("one", "a", "b", "c", "three", "four", "five", "six"),
  ],
  ["two sections of one file are one edit", "¶f\ndelete 1\n¶f\ndelete 6", lines("two", "three", "four", "five")],
];

const lenient: readonly (readonly [string, string, string])[] = [
  ["replace N:", "¶f\nreplace 2:\n+x", lines("one", "x", "three", "four", "five", "six")],
  ["delete N", "¶f\ndelete 2", lines("one", "three", "four", "five", "six")],
  ["replace without colon", "¶f\nreplace 2..3\n+x", lines("one", "x", "four", "five", "six")],
  ["insert without colon", "¶f\ninsert after 1\n+x", lines("one", "x", "two", "three", "four", "five", "six")],
  ["range with a hyphen", "¶f\nreplace 2-3:\n+x", lines("one", "x", "four", "five", "six")],
  ["range with an ellipsis", "¶f\nreplace 2…3:\n+x", lines("one", "x", "four", "five", "six")],
  ["range with a blank", "¶f\ndelete 2 3", lines("one", "four", "five", "six")],
  ["an envelope", "*** Begin Patch\n¶f\ndelete 2\n*** End Patch", lines("one", "three", "four", "five", "six")],
  [
    "Abort ends the input, what stands above counts",
    "¶f\ndelete 2\n*** Abort\nnonsense",
    lines("one", "three", "four", "five", "six"),
  ],
  [
    "words of apply_patch in the header",
    "¶*** Update File: f#TAG ***\ndelete 2",
    lines("one", "three", "four", "five", "six"),
  ],
  ["blank lines between operations", "\n¶f\n\ndelete 2\n\ndelete 4\n", lines("one", "three", "five", "six")],
  ["CRLF input", "¶f\r\nreplace 2..2:\r\n+x\r\n", lines("one", "x", "three", "four", "five", "six")],
  ["upper-case verbs", "¶f\nDELETE 2", lines("one", "three", "four", "five", "six")],
  ["a blank line after the last row", "¶f\nreplace 2..2:\n+x\n\n", lines("one", "x", "three", "four", "five", "six")],
];

const refused: readonly (readonly [string, string, string])[] = [
  ["no header", "replace 1..1:\n+x", 'must begin with "¶PATH#TAG"'],
  ["empty input", "", 'must begin with "¶PATH#TAG"'],
  ["no tag", "¶h\ndelete 1", "tag of h is missing"],
  ["a tag that is not hex", "¶h#XYZW\ndelete 1", "not four hex digits"],
  ["a section without operation", "¶f\n", "the section has no operation"],
  ["a - row", "¶f\nreplace 2..2:\n-two\n+x", "write +-text"],
  ["an @@ header", "¶f\n@@ -1,2 +1,2 @@\n+x", '"@@" headers are not supported'],
  ["a range without verb", "¶f\n2..3:\n+x", "has no verb"],
  ["a number without verb", "¶f\n2\n+x", "has no verb"],
  ["a file marker of apply_patch", "¶f\ndelete 2\n*** Update File: g", "belongs to another patch language"],
  ["rows under delete", "¶f\ndelete 2\n+x", "takes no body rows"],
  ["delete with colon", "¶f\ndelete 2..3:\n+x", "takes no body and no colon"],
  [
    "an empty replace",
    "¶f\nreplace 2..3:\ndelete 5",
    "needs at least one +text row below it. To remove lines, use `delete`",
  ],
  ["an empty insert", "¶f\ninsert after 2:", "needs at least one +text row"],
  ["a reversed range", "¶f\ndelete 4..2", "the range 4..2 ends before it starts"],
  ["overlapping ranges", "¶f\nreplace 2..4:\n+x\ndelete 4", "line 4 is already the target"],
  ["the same range twice", "¶f\nreplace 2..2:\n+x\nreplace 2..2:\n+y", "already the target of the operation on line 2"],
  ["two inserts at one anchor", "¶f\ninsert after 2:\n+x\ninsert after 2:\n+y", "already the target"],
  ["a line beyond the end", "¶f\ndelete 7", "Line 7 does not exist (file has 6 lines)"],
  ["line zero", "¶f\ndelete 0", "Line 0 does not exist"],
  ["a row without operation", "¶f\nsome text", "has no operation above it"],
  ["rows with copied line numbers", "¶f\nreplace 2..2:\n2:two", "a line number copied from a read"],
  ["a row of the same text", "¶f\nreplace 2..2:\n+two", "changes nothing"],
  ["a missing file", "¶h#0000\ndelete 1", "h does not exist"],
  ["a block in a file of no known language", "¶f\ndelete block 2", "does not select a block"],
  ["a placeholder", "¶f\nreplace 2..2:\n+// ... rest of the code", "would replace real code"],
];

describe("T-EDIT-2 hashline", () => {
  for (const [name, input, wanted] of [...operations, ...lenient]) {
    it(`T-EDIT-2 ${name}`, async () => {
      const result = await edit(input);
      expect(result.f, result.text).toBe(wanted);
      expect(result.failed).toBe(false);
    });
  }

  for (const [name, input, message] of refused) {
    it(`T-EDIT-2 refuses ${name}`, async () => {
      const result = await edit(input);
      expect(result.text).toContain(message);
      expect(result.failed).toBe(true);
      expect(result.f).toBe(SIX);
    });
  }

  it("T-EDIT-2 rows without + are taken as text, with a warning", async () => {
    const result = await edit("¶f\nreplace 2..3:\nalpha\n\n  beta");
    expect(result.f).toBe(lines("one", "alpha", "", "  beta", "four", "five", "six"));
    expect(result.text).toContain("Warnings:\nSome body rows had no leading +");
  });

  it("T-EDIT-2 several files in one input, all or nothing", async () => {
    const both = await edit("¶f\ndelete 1\n¶g\nreplace 1..1:\n+X");
    expect([both.f, both.g]).toEqual([lines("two", "three", "four", "five", "six"), "X\nG2\n"]);
    expect(both.details["perFileResults"]).toHaveLength(2);
    const none = await edit("¶f\ndelete 1\n¶g\ndelete 9");
    expect([none.f, none.g]).toEqual([SIX, "G1\nG2\n"]);
  });

  it("T-EDIT-2 the result carries the new tag and the new numbers", async () => {
    const result = await edit("¶f\nreplace 2..2:\n+TWO\n+AND");
    const tag = new ShownFiles().record("f", result.f);
    expect(result.text).toBe(`¶f#${tag}\n 1:one\n-two\n+2:TWO\n+3:AND\n 4:three\n 5:four\n 6:five`);
    expect(result.details).toMatchObject({ filePath: "f", op: "update", firstChangedLine: 2, added: 2, removed: 1 });
  });

  it("T-EDIT-2 a file without final line break keeps it that way", async () => {
    expect((await edit("¶f\ninsert tail:\n+c", "a\nb")).f).toBe("a\nb\nc");
    expect((await edit("¶f\ndelete 2", "a\nb")).f).toBe("a");
    expect((await edit("¶f\ninsert head:\n+x", "")).f).toBe("x\n");
  });
});
