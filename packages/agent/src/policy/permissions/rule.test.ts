// Rules as users and other agents write them.

import { describe, expect, it } from "vitest";
import { readRule } from "./rule.ts";

describe("a rule", () => {
  it.each([
    ["shell(git log *)", "shell(git log *)"],
    [" shell ( git log * ) ", "shell(git log *)"],
    ["shell", "shell"],
    ["shell(*)", "shell"],
    ["write(src/**)", "write(src/**)"],
    ["read(~/notes/**)", "read(~/notes/**)"],
    ["network(*.example.com)", "network(*.example.com)"],
    ["web_fetch", "web_fetch"],
    ["mcp__db__query", "mcp__db__query"],
    ["mcp__db__*", "mcp__db__*"],
    ["mcp__db__read_*", "mcp__db__read_*"],
    ["mcp__db", "mcp__db__*"],
    ["Bash", "shell"],
    ["Bash(git log:*)", "shell(git log *)"],
    ["Bash(npm run build)", "shell(npm run build)"],
    ["Read(//etc/hosts)", "read(/etc/hosts)"],
    ["Read(/src/**)", "read(src/**)"],
    ["Edit(./docs/**)", "write(docs/**)"],
    ["Write(**/*.md)", "write(**/*.md)"],
    ["WebFetch(domain:example.com)", "network(example.com)"],
  ])("LS-10 %s means %s", (written, text) => {
    expect(readRule(written)).toMatchObject({ text });
  });

  it.each([
    ["", "is empty"],
    ["shell(git log", 'has no ")" at its end'],
    ["git log *", "is not a rule"],
    ["shell()", "nothing between its parentheses"],
    ["shell(* log)", "must begin with the name of a program"],
    ["write(../x)", "must not contain .."],
    ["write(!x)", "cannot exclude with !"],
    ["network(http://x)", "must name a host"],
  ])("LS-10 %s is refused: %s", (written, problem) => {
    const read = readRule(written);
    expect("problem" in read && read.problem).toContain(problem);
  });
});
