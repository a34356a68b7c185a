import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";
import { parseMarkdown } from "./frontmatter.ts";
import { simpleEntries } from "./simple-yaml.ts";

describe("frontmatter", () => {
  it("G-94 is the YAML between two lines of dashes; the body is what follows, trimmed", () => {
    const text =
      '---\r\ndescription: "a: b"\r\nglobs: [\'*.ts\', "*.js"]\r\nalwaysApply: true\r\n---\r\n\r\nThe body.\r\n---\r\nmore\r\n';
    expect(parseMarkdown(text)).toEqual({
      frontmatter: { description: "a: b", globs: ["*.ts", "*.js"], alwaysApply: true },
      body: "The body.\r\n---\r\nmore",
    });
  });

  it.each([
    ["a file without any", "# Title\n\n---\n\nA rule.", "# Title\n\n---\n\nA rule."],
    ["one that is never closed", "---\ndescription: x\n", "---\ndescription: x"],
    ["dashes that are not at the very beginning", "\n---\na: b\n---\nx", "---\na: b\n---\nx"],
  ])("G-94 %s is all body", (_what, text, body) => {
    expect(parseMarkdown(text)).toEqual({ frontmatter: {}, body });
  });

  it("G-94 an empty one has no metadata", () => {
    expect(parseMarkdown("---\n---\nbody")).toEqual({ frontmatter: {}, body: "body" });
    expect(parseMarkdown("\uFEFF---\n# only a comment\n---\nbody")).toEqual({ frontmatter: {}, body: "body" });
  });

  it("G-94 broken YAML is read line by line: the description stays, nothing becomes true by accident", () => {
    const { frontmatter, body, problem } = parseMarkdown(
      "---\ndescription: x\nalwaysApply: true\n\tglobs: [a\nsome-key: no\n---\nText.",
    );
    expect(frontmatter).toEqual({ description: "x", alwaysApply: "true" });
    expect(body).toBe("Text.");
    expect(problem?.line).toBe(4);
    expect(problem?.message).toMatch(/^the frontmatter is not valid YAML: .+; only its plain lines are used$/);
  });

  it("G-94 a list in its place is named, and the body stays", () => {
    expect(parseMarkdown("---\n- a\n---\nText.")).toMatchObject({
      frontmatter: {},
      body: "Text.",
      problem: { line: 2 },
    });
  });

  it("a pattern with a star needs no quotes, as other agents write it", () => {
    expect(parseMarkdown("---\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nText.")).toEqual({
      frontmatter: { globs: "*.ts,*.tsx", alwaysApply: false },
      body: "Text.",
    });
  });
});

describe("the short way through simple frontmatter", () => {
  it("is taken for what people write", () => {
    expect(
      simpleEntries(
        "name: pdf\ndescription: Reads PDF files, fills in forms (v2)\n\n# note\nquiet: true\nglob: '*.ts'",
      ),
    ).toEqual({
      name: "pdf",
      description: "Reads PDF files, fills in forms (v2)",
      quiet: true,
      glob: "*.ts",
    });
    expect(simpleEntries("tools: [a, b]")).toBeUndefined();
    expect(simpleEntries("description: >\n  folded")).toBeUndefined();
  });

  it("gives what the YAML library gives, whenever it gives anything", () => {
    const word = fc.constantFrom(
      "a",
      "name",
      "true",
      "null",
      "yes",
      "12",
      "1e3",
      "0x1",
      "~",
      "-",
      "?",
      ":",
      "#",
      "'",
      '"',
      "[",
      "]",
      "{",
      "}",
      ",",
      "&x",
      "*x",
      "!t",
      "|",
      ">",
      "%",
      "@",
      "`",
      " ",
      "  ",
      "\\t",
      "\t",
      "é",
      "a:b",
      "http://x",
      "\\n",
    );
    const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
    const entry = fc
      .tuple(
        fc.constantFrom("name", "a-b", "_x", "on", "Null", "k k", "1"),
        fc.constantFrom(": ", ":", ":  ", " : "),
        line,
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, line), { maxLength: 4 }), (lines) => {
        const text = lines.join("\n");
        const simple = simpleEntries(text);
        if (simple === undefined || Object.keys(simple).length === 0) return;
        const read = readYaml(text);
        expect(isProblem(read) ? read.message : read.value).toEqual(simple);
      }),
      { numRuns: process.env["LATHE_LONG"] ? 20_000 : 2_000 },
    );
  });
});
