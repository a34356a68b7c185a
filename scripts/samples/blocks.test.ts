import { describe, expect, it } from "vitest";
import { samplesOf } from "./blocks.ts";

const fence = "```";

describe("code samples of a page", () => {
  it("are found with their place, file and reason not to be run", () => {
    const page = [
      "# Page",
      `${fence}sh`,
      "one",
      fence,
      `- in a list:`,
      `  ${fence}yaml title="~/.lathe/config.yml"`,
      "  model: x",
      `  ${fence}`,
      "",
      "*Not run by our tests: it takes a day.*",
      "",
      `${fence}ts`,
      "code()",
      fence,
    ].join("\n");
    expect(samplesOf("p.md", page)).toEqual([
      { page: "p.md", line: 2, language: "sh", text: "one" },
      { page: "p.md", line: 6, language: "yaml", text: "model: x", title: "~/.lathe/config.yml" },
      { page: "p.md", line: 12, language: "ts", text: "code()", notRun: "it takes a day." },
    ]);
  });

  it.each([
    ["without a language", `${fence}\nx\n${fence}`, 'not ""'],
    ["in a language that nobody runs", `${fence}ruby\nx\n${fence}`, 'not "ruby"'],
    ["that does not end", `${fence}sh\nx`, "does not end"],
    ["with a word that means nothing", `${fence}sh norun\nx\n${fence}`, "may follow"],
  ])("a block %s is refused", (_, page, message) => {
    expect(() => samplesOf("p.md", page)).toThrow(message);
  });
});
