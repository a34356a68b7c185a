import { describe, expect, it } from "vitest";
import { helpText } from "../../cli/help.ts";
import { misspeltCommand } from "../../cli/usage-hint.ts";
import { parseArgs as parse } from "./parse.ts";

const parseArgs = (argv: readonly string[]) => parse(argv, "/home/me");

describe("arguments", () => {
  it("joins nothing and loses nothing: words stay in order beside options", () => {
    expect(parseArgs(["fix", "--model", "openai/gpt-5.2:high", "the", "bug", "@a.ts"])).toEqual({
      options: { model: "openai/gpt-5.2:high" },
      words: ["fix", "the", "bug", "@a.ts"],
    });
  });

  it.each([
    [["-p", "one", "-p", "two"], { print: ["one", "two"] }],
    [["--model=x/y"], { model: "x/y" }],
    [["-r"], { resume: true }],
    [["-r", "abc"], { resume: "abc" }],
    [["--resume", "--no-session"], { resume: true, "no-session": true }],
    [["--config", "a", "--config", "b"], { config: ["a", "b"] }],
    [["-p", "- one\n- two"], { print: ["- one\n- two"] }],
    [["-p", "---\ntitle: x\n---\ndo it"], { print: ["---\ntitle: x\n---\ndo it"] }],
    [["-p", "--help is broken, fix it"], { print: ["--help is broken, fix it"] }],
    [["-p", "--no-session"], { print: [], "no-session": true }],
    [["-pfix it"], { print: ["fix it"] }],
    [["-p", "fix", "the", "@a.ts", "bug", "-c"], { print: ["fix the bug"], continue: true }],
    [["-p", "@a.ts", "fix the bug"], { print: [] }],
    [["-p", "@a.ts", "fix", "it"], { print: ["@a.ts fix it"] }],
    [["-p", "fix", "--", "the", "bug"], { print: ["fix"] }],
    [["-cp", "now a test"], { continue: true, print: ["now a test"] }],
    [["--tools", ""], { tools: "" }],
    [["--json"], { mode: "json" }],
    [["--mode", "text", "--json"], { mode: "json" }],
    [["--record=~/run"], { record: "/home/me/run" }],
    [["--run-id=~/run"], { "run-id": "~/run" }],
  ])("reads %j", (argv, options) => {
    expect(parseArgs(argv).options).toEqual(options);
  });

  it("takes words that begin with a dash and are no options as words", () => {
    expect(parseArgs(["- one", "---", "-5 degrees", "-"]).words).toEqual(["- one", "---", "-5 degrees", "-"]);
  });

  it("takes everything after -- as words", () => {
    expect(parseArgs(["-p", "--", "--model x"])).toEqual({ options: { print: [] }, words: ["--model x"] });
    expect(parseArgs(["--", "--model", "x"])).toEqual({ options: {}, words: ["--model", "x"] });
  });

  it.each([
    [["--modle", "x"], /Unknown option --modle\. Did you mean --model\?/],
    [["--model"], /--model needs a value/],
    [["--mode", "xml"], /--mode must be one of text, json, rpc/],
    [["--no-session=1"], /takes no value/],
    [["--model x/y", "hi"], /Unknown option "--model x\/y"/],
    [["-cx"], /Unknown option -cx/],
    [["-p", ""], /--print is empty/],
    [["--run-id", "", "hi"], /--run-id is empty/],
    [["--session="], /--session is empty/],
  ])("refuses %j in one line that says what to do", (argv, message) => {
    expect(() => parseArgs(argv)).toThrow(message);
  });
});

describe("a first word that is nearly a command", () => {
  it.each([["sesions"], ["sesions", "list"], ["model"], ["confg", "get", "model"]])("%s %s is refused", (...argv) => {
    expect(misspeltCommand(argv)?.message).toMatch(/Did you mean: lathe (sessions|models|config)\?.*lathe -p/);
  });

  it.each([["test"], ["explain"], ["model", "the", "data"], ["fix the model"], ["--help"]])(
    "%s %s is not",
    (...argv) => {
      expect(misspeltCommand(argv)).toBeUndefined();
    },
  );
});

describe("help", () => {
  it("LS-01 help names every group in fewer than 130 lines", () => {
    expect(helpText().split("\n").length).toBeLessThan(130);
    expect(helpText()).toContain("--permission-mode");
  });

  it.each([40, 60, 80, 140])("no line of the help is wider than a terminal of %d columns", (columns) => {
    const lines = helpText({}, columns).split("\n");
    expect(lines.filter(({ length }) => length > columns)).toEqual([]);
    expect(lines.join(" ").replace(/\s+/g, " ")).toContain("130 interrupted.");
  });
});
