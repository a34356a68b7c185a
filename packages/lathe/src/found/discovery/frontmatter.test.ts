import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";
import { parseMarkdown, readPlainEntries } from "./frontmatter.ts";

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

  it("G-94 what is read without the YAML reader is what that reader gives", () => {
    const word = fc.constantFrom(
      ...[
        "name",
        "description",
        "true",
        "Null",
        "yes",
        "a-b",
        "x1",
        "1e3",
        "0x1f",
        "-",
        "---",
        "...",
        "é",
        "日本，",
        "🙂",
      ],
      ...[
        ": ",
        ":",
        " #",
        "#",
        " ",
        "  ",
        "\t",
        '"',
        "'",
        "\\",
        "*",
        "&",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        ",",
        "[",
        "]",
        "{",
        "}",
        "?",
      ],
      ...["\u00a0", "\u0085", "\u2028", "\ufeff", "\u2003", "\r", "~", "<<", "__proto__"],
    );
    const loose = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
    const key = fc.constantFrom("name", "description", "alwaysApply", "disable-model-invocation", "true", "a_b");
    const value = fc.oneof(fc.constantFrom("true", "false", "Use it, then stop", '"a: b"', "'it #1'", "null"), loose);
    const entry = fc.tuple(key, fc.constantFrom(": ", ":  ", ":"), value).map((parts) => parts.join(""));
    const line = fc.oneof({ arbitrary: entry, weight: 4 }, loose, fc.constant(""));
    const text = fc.tuple(fc.array(line, { maxLength: 4 }), fc.constantFrom("\n", "\r\n"));
    let plain = 0;
    fc.assert(
      fc.property(text, ([lines, end]) => {
        const yaml = lines.join(end);
        const entries = readPlainEntries(yaml);
        if (entries === undefined) return;
        plain++;
        const read = readYaml(yaml);
        expect(isProblem(read) ? read : (read.value ?? {})).toEqual(entries);
      }),
      { numRuns: process.env["LATHE_LONG"] ? 100_000 : 5_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it.each([
    ["name: pdf\ndescription: Use this when there is a PDF — or a scan; see https://example.com/a#b"],
    ["description: \"a: b\"\nalwaysApply: true\n\nglobs: '**/*.ts'"],
  ])("G-94 the usual frontmatter does not need the YAML reader: %j", (yaml) => {
    expect(readPlainEntries(yaml)).toBeDefined();
  });
});
