import { beforeAll, describe, expect, it } from "vitest";
import { CodeHighlighter, highlight } from "./highlight.ts";
import { languageOf, loadLanguage } from "./languages.ts";

const coloured = (code: string, word: string): string[] =>
  highlight(code, word).map((spans) =>
    spans.map(({ text, style }) => `${text}<${String(style?.color).replace("syntax", "")}>`).join(""),
  );

describe("code in colours", () => {
  beforeAll(async () => {
    await Promise.all(["typescript", "python", "xml"].map(loadLanguage));
  });

  it("words have the colours of the theme's syntax tokens, and all of the text is there", () => {
    expect(coloured('const a = f("x", 1); // c', "ts")).toEqual([
      'const<Keyword> a = <mdCodeBlock>f<Function>(<mdCodeBlock>"x"<String>, <mdCodeBlock>1<Number>); <mdCodeBlock>// c<Comment>',
    ]);
    const code = ["if (a < b && c > d) {", "", "  return `a $", "{b + 1}`;", "}"].join("\n");
    expect(highlight(code, "ts").map((spans) => spans.map(({ text }) => text).join(""))).toEqual(code.split("\n"));
  });

  it("comments, texts and scripts over several lines keep their colour", () => {
    expect(coloured("a\n/* one\ntwo */ b", "ts")).toEqual([
      "a<mdCodeBlock>",
      "/* one<Comment>",
      "two */<Comment> b<mdCodeBlock>",
    ]);
    expect(coloured('x = """one\ntwo\n"""', "py").slice(1)).toEqual(["two<String>", '"""<String>']);
    expect(coloured("<script>\nconst a = 1;\n</script>", "html")[1]).toContain("const<Keyword>");
  });

  it("a comment of a thousand lines stays a comment, and what follows it is code again", () => {
    const lines = coloured(`/*\n${"text\n".repeat(1_000)}*/\nconst a;`, "ts");
    expect(lines[900]).toBe("text<Comment>");
    expect(lines.at(-1)).toContain("const<Keyword>");
  });

  it("code of many thousand lines loses its colours instead of keeping everybody waiting", () => {
    const lines = highlight("const a = 1;\n".repeat(6_000), "ts");
    expect(lines[2_000]?.length).toBeGreaterThan(1);
    expect(lines[5_000]).toHaveLength(1);
    // Lines of an open comment are read again and again, which uses up the limit sooner.
    const commented = highlight(`/*\n${"some words of a comment\n".repeat(5_000)}`, "ts");
    expect(commented[200]?.[0]?.style?.color).toBe("syntaxComment");
    expect(commented[4_900]?.[0]?.style?.color).toBe("mdCodeBlock");
  });

  it("a line's colours depend only on the lines before it", () => {
    const code = "const a = `one\ntwo three`;\nfunction f() { return /x/; }\n/* open";
    const all = highlight(code, "ts");
    for (let count = 1; count <= 4; count++) {
      expect(highlight(code.split("\n").slice(0, count).join("\n"), "ts")).toEqual(all.slice(0, count));
    }
  });

  it("languages nobody knows are plain, and one that is not loaded yet is plain until it is", async () => {
    expect(coloured("const a", "klingon")).toEqual(["const a<mdCodeBlock>"]);
    expect([languageOf("TSX"), languageOf("constructor"), languageOf("")]).toEqual([
      "typescript",
      undefined,
      undefined,
    ]);
    const lua = new CodeHighlighter("lua");
    expect(lua.isPending).toBe(true);
    expect(lua.next("local a")).toHaveLength(1);
    await loadLanguage("lua");
    expect([lua.isPending, lua.next("local a")[0]?.style?.color]).toEqual([false, "syntaxKeyword"]);
  });
});
