import { describe, expect, it } from "vitest";
import { expand, splitArguments } from "./expansion.ts";

describe("arguments of a command", () => {
  it.each([
    ["a b", ["a", "b"]],
    ['"a b" c', ["a b", "c"]],
    ["'a \"b' c", ['a "b', "c"]],
    ['pre"fix and"post', ["prefix andpost"]],
    ['"not closed c', ["not closed c"]],
    ["back\\slash \\n", ["back\\slash", "\\n"]],
    ['"" x', ["", "x"]],
    ["  a\n\tb  ", ["a", "b"]],
    ["", []],
  ])("EX-06 %j is split into words, and quotes keep blanks together", (typed, words) => {
    expect(splitArguments(typed)).toEqual(words);
  });
});

describe("the text of a command", () => {
  it.each([
    ["1=$1 rest=$@[2]", '"a b" c', "1=a b rest=c"],
    ["$2 $1 $3.", "a b", "b a ."],
    ["$12 and $1", "a", " and a"],
    ["$@[2:2]", "a b c d", "b c"],
    ["$@[0]", "a b", "a b"],
    ["$@[9]!", "a b", "!"],
    ["[$@]", '"a b" c', "[a b c]"],
    ["[$ARGUMENTS]", '"a b"  c', '["a b"  c]'],
    ["{{args}} {{ arguments }} {{ARGUMENTS}}", "x y", "x y x y x y"],
    ["no place", "a b", "no place\n\na b"],
    ["no place", "", "no place"],
    ["$1 only", "a b", "a only"],
    ["costs $0 and $x", "a", "costs $0 and $x\n\na"],
    ["$1", "$2 $1", "$2"],
    ["$ARGUMENTS", "$& $1 $$ {{args}}", "$& $1 $$ {{args}}"],
  ])("EX-06 %j with %j", (text, typed, expanded) => {
    expect(expand(text, typed)).toBe(expanded);
  });
});
