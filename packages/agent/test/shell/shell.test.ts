import { describe, expect, it } from "vitest";
import { analyseShell } from "../../src/policy/shell/analyse.ts";
import { patternWords } from "../../src/policy/shell/match.ts";
import { type VerdictOptions, verdictOf } from "../../src/policy/shell/verdict.ts";
import { everyday } from "./everyday-cases.ts";
import { printedWords } from "./printed-words.ts";
import { ruleCases } from "./rule-cases.ts";
import { smuggling, smugglingRules } from "./smuggling-cases.ts";

/** A project without file names that steer commands. */
const context = {
  cwd: "/srv/project",
  home: "/home/u",
  plainNames: new Set(["/srv/project"]),
  plainFound: { has: () => true },
};

interface Rules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

async function judge(command: string, { allow = [], ask = [], deny = [] }: Rules, options?: VerdictOptions) {
  const split = (patterns: readonly string[]) => patterns.map(patternWords);
  return verdictOf(
    await analyseShell(command, context),
    { allow: split(allow), ask: split(ask), deny: split(deny) },
    options,
  );
}

/** As in everyday work: harmless commands and writes need no rule. */
const open: VerdictOptions = { harmless: true, write: () => "allow" };

describe("shell verdicts", () => {
  it("there are enough cases of each kind, and none twice", () => {
    const commands = [...everyday, ...smuggling.map(({ command, allow }) => `${command} ${allow}`)];
    expect(new Set(commands).size).toBe(commands.length);
    expect(everyday.length).toBeGreaterThanOrEqual(100);
    expect(smuggling.length).toBeGreaterThanOrEqual(100);
    expect(everyday.length + smuggling.length + ruleCases.length).toBeGreaterThanOrEqual(300);
  });

  it.each(everyday)("needs no question: %s", async (command) => {
    const { verdict, reason, parts } = await judge(command, {}, open);
    const asked = parts.filter((part) => part.verdict !== "allow").map((part) => `${part.part.text}: ${part.reason}`);
    expect({ verdict, reason, asked }).toEqual({ verdict: "allow", reason: undefined, asked: [] });
  });

  it.each(smuggling)("does not slip through: $command", async ({ command, allow = [] }) => {
    const { verdict } = await judge(command, { allow: [...smugglingRules, ...allow] }, open);
    expect(verdict).not.toBe("allow");
  });

  it.each(printedWords)("needs a question: %s", async (command) => {
    expect((await judge(command, {}, open)).verdict).toBe("ask");
  });

  it.each(ruleCases)(
    "$verdict: $command (allow $allow, ask $ask, deny $deny)",
    async ({ command, verdict, ...rules }) => {
      const judged = await judge(command, rules);
      expect({ command, verdict: judged.verdict }).toEqual({ command, verdict });
    },
  );
});
