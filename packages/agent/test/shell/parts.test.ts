import { describe, expect, it } from "vitest";
import type { ShellPart } from "../../src/contract/shell.ts";
import { analyseShell } from "../../src/policy/shell/analyse.ts";
import { covers, patternWords } from "../../src/policy/shell/match.ts";

const context = { cwd: "/srv/project", home: "/home/u" };

async function partsOf(command: string): Promise<readonly ShellPart[]> {
  const { parts, doubt } = await analyseShell(command, context);
  expect(doubt).toBeUndefined();
  return parts;
}

const programs = async (command: string) => (await partsOf(command)).map(({ words }) => words.join(" "));

describe("the parts of a shell text", () => {
  it.each<[string, string[]]>([
    ["a; b && c || d | e & f", ["a", "b", "c", "d", "e", "f"]],
    ["a $(b `c`) <(d) > >(e)", ["c", "b `c`", "d", "e", "a $(b `c`) <(d)"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["for x in $(a); do b; done", ["a", "b"]],
    ["case $(a) in x) b;; esac", ["a", "b"]],
    ["f() { a; }; f", ["a", "f"]],
    ["[[ -n $(a) ]] && echo $((1 + 2))", ["a", "echo $((1 + 2))"]],
    ["cat <<E\n$(a)\nE\n", ["a", "cat"]],
    ["sudo -u me env X=1 timeout 5 nice a b", ["a b"]],
    ["find . -exec a {} \\; -exec b {} +", ["find . -exec a {} ; -exec b {} +", "a {}", "b {}"]],
    ["bash -c 'a; b' && eval 'c d' && trap 'e' EXIT", ["a", "b", "c d", "e"]],
    ["x | xargs -n 1 a b", ["x", "a b …"]],
    ["git -C sub --no-pager log -1", ["git log -1"]],
    ["! time a", ["a"]],
    ["kubectl exec pod -- a b", ["a b"]],
  ])("every simple command is found: %s", async (command, expected) => {
    expect(await programs(command)).toEqual(expected);
  });

  it("the wrappers of a command are named, and the command as written stays with it", async () => {
    const [part] = await partsOf("sudo timeout 5 git log");
    expect(part).toMatchObject({ words: ["git", "log"], through: ["sudo", "timeout"], isElsewhere: true });
    expect(part?.outer.map(({ words, program }) => [words.join(" "), program])).toEqual([
      ["sudo timeout 5 git log", 1],
      ["timeout 5 git log", 2],
    ]);
  });

  it("a literal cd moves what follows it, a subshell or a pipe moves nothing", async () => {
    const places = async (command: string) =>
      (await partsOf(command)).filter(({ words }) => words[0] === "a").map(({ cwd }) => cwd);
    expect(await places("a; cd sub && a && cd ../other && a")).toEqual([
      "/srv/project",
      "/srv/project/sub",
      "/srv/project/other",
    ]);
    expect(await places("(cd sub); a")).toEqual(["/srv/project"]);
    expect(await places("cd sub | a; a")).toEqual(["/srv/project", "/srv/project"]);
    expect(await places("cd; a; cd /x && a")).toEqual(["/home/u", "/x"]);
    expect(await places('cd "$x" && a')).toEqual([undefined]);
    expect(await places("for x in 1 2; do cd sub; a; done; a")).toEqual([undefined, undefined]);
    expect(await places("if b; then cd sub; fi; a")).toEqual([undefined]);
    expect(await places("cd sub; cd ..; a")).toEqual([undefined]);
  });

  it("files that redirections and listed programs write and read are named", async () => {
    const [first] = await partsOf("a < in > out 2>> err 2>&1");
    expect(first).toMatchObject({ reads: ["in"], writes: ["out", "err"] });
    expect((await partsOf("a &> both"))[0]?.writes).toEqual(["both"]);
    expect((await partsOf("{ a; } > out"))[0]).toMatchObject({ words: [], writes: ["out"] });
    expect((await partsOf("cat ~/x '$y'"))[0]?.reads).toEqual(["/home/u/x", "$y"]);
    expect((await partsOf("f=.env; cat $f"))[1]?.reads).toEqual([".env"]);
    expect((await partsOf("sed -i s/a/b/ x y"))[0]?.writes).toEqual(["x", "y"]);
    expect((await partsOf("cp a/b dir"))[0]).toMatchObject({ reads: ["a/b"], writes: ["dir", "dir/b"] });
    expect((await partsOf("ls .env | xargs cat"))[1]?.reads).toEqual([".env"]);
  });

  it.each<[string, boolean]>([
    ["ls -la | grep x", true],
    ["git log -p", true],
    ["find . -name x -exec cat {} +", true],
    ["x=1; [ $x = 1 ] && cat f", true],
    ["cat a > /dev/null", true],
    ["cat a > b", false],
    ["git add a", false],
    ["mkdir a", false],
    ["cat a | tee b", false],
    ["sed -i s/a/b/ f", false],
    ["npm test", false],
    ["node a.js", false],
    ["cat $x", false],
    ["sudo ls", false],
    ["FOO=1 ls", false],
    ["find . -delete", false],
    ["python3 -c 1", false],
  ])("only what is proven to change nothing is read-only: %s is %s", async (command, expected) => {
    expect((await partsOf(command)).every(({ isReadOnly }) => isReadOnly)).toBe(expected);
  });

  it("a text that cannot be read says why, and keeps what was found before", async () => {
    const unclosed = await analyseShell("ls 'x", context);
    expect(unclosed).toEqual({ parts: [], doubt: "a quote is not closed" });
    const nested = await analyseShell("ls; bash -c 'rm (x'", context);
    expect(nested.doubt).toBe("unexpected syntax");
    expect(nested.parts.map(({ words }) => words)).toEqual([["ls"]]);
  });

  it("a pattern is words, and its stars stand for words or parts of them", () => {
    const matches = (pattern: string, words: string) =>
      covers(patternWords(pattern), { words: words.split(" "), unknown: [] });
    expect(matches("git log *", "git log")).toBe(true);
    expect(matches("git log *", "git log -3 x")).toBe(true);
    expect(matches("git log *", "git logout")).toBe(false);
    expect(matches("git * -3", "git log -3")).toBe(true);
    expect(matches("git * -3", "git log x -3")).toBe(false);
    expect(matches("npm run test:*", "npm run test:a")).toBe(true);
    expect(matches("a*b*c", "abbbc")).toBe(true);
    expect(matches("a*b*bc", "abc")).toBe(false);
    expect(patternWords("git commit -m 'a b' *")).toEqual(["git", "commit", "-m", "a b", "*"]);
  });

  it.each([
    ["nested arithmetic", `echo ${"$((".repeat(16_000)}`],
    ["nested expansions", "${a:-".repeat(9800)],
    ["a long pipe", `${"a|".repeat(24_000)}b`],
    ["a long list", `${"a;".repeat(24_000)}b`],
    ["nested wrappers", `${"sudo ".repeat(9800)}ls`],
    ["a text of a megabyte", "ls ".repeat(350_000)],
  ])("%s is bounded: it is a question with few parts", async (_, text) => {
    const { parts, doubt } = await analyseShell(text, { cwd: "/srv/project" });
    expect(parts.length).toBeLessThanOrEqual(500);
    expect(doubt ?? parts[0]?.doubt).toMatch(/nested too deeply|more than 500 commands|too long/);
  });
});
