// Compares the lists of options with the programs themselves: what their help says an option takes, and that no
// abbreviation of an option is accepted, because GNU programs take any unique beginning of one.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { harmlessOf } from "../../src/policy/shell/harmless.ts";
import { HARMLESS } from "../../src/policy/shell/harmless-programs.ts";
import { listOf } from "../../src/policy/shell/options.ts";
import { knownWord } from "../../src/policy/shell/shell-words.ts";
import { FORMS } from "../../src/policy/shell/wrapper-forms.ts";
import { unwrap } from "../../src/policy/shell/wrappers.ts";

type Takes = "none" | "required" | "optional";

/** The long options in the program's help. Empty if the program is missing or has no such help. */
const helps = new Map<string, ReadonlyMap<string, Takes>>();
function helpOf(program: string): ReadonlyMap<string, Takes> {
  const known = helps.get(program);
  if (known !== undefined) return known;
  // One program under two names, which takes a second to start; and one that takes as long and lists no options.
  if (program === "pip3") return helpOf("pip");
  if (program === "npm") return new Map();
  const { stdout } = spawnSync(program, ["--help"], { encoding: "utf8", timeout: 60_000, input: "" });
  const found = new Map<string, Takes>();
  for (const line of (stdout ?? "").split("\n").filter((text) => /^\s{1,8}-/.test(text))) {
    // The options come first; their description follows after two blanks. `-c  --format` has two blanks as well.
    const [first = "", second = ""] = line.trim().split(/\s{2,}/);
    const text = /^-\S$/.test(first) && second.startsWith("--") ? second : first;
    for (const [, name = "", value = ""] of text.matchAll(/(--[a-z][\w-]*)(\[=|=|\s<|\s[A-Z]{3,})?/g))
      found.set(name, value === "" ? "none" : value === "[=" ? "optional" : "required");
  }
  helps.set(program, found);
  return found;
}

const listed = Object.entries(HARMLESS).filter(([name, { options }]) => options !== "*" && !Object.hasOwn(FORMS, name));
const wrappers = Object.entries(FORMS).filter(
  ([name]) => !/^(?:sudo|doas|ssh|npx|bunx|uvx|chroot|runuser)$/.test(name),
);
/** Listed twice, or a flag in some versions and with a value in others. */
const EITHER_WAY = new Set([
  "du --time",
  "sort --check",
  "cp --update",
  "mv --update",
  "jq --arg",
  "jq --argjson",
  "dpkg --listfiles",
  "dpkg --search",
]);

function isHarmless(program: string, words: readonly string[]): boolean {
  const found = harmlessOf([program, ...words].map(knownWord), program);
  return found !== undefined && !("refused" in found);
}

describe("closed lists of options", () => {
  it("an option takes what the help of the program says", () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const [program, { options }] of [...listed, ...wrappers]) {
      const help = helpOf(program);
      for (const [name, form] of listOf(options).forms) {
        const takes = help.get(name);
        if (takes === undefined || EITHER_WAY.has(`${program} ${name}`)) continue;
        compared++;
        if (form.value !== takes) wrong.push(`${program} ${name}: the list says ${form.value}, the help ${takes}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  });

  it("no beginning of an option stands for it, in no program and no wrapper", () => {
    const understood: string[] = [];
    let tried = 0;
    for (const [program, { options }] of [...listed, ...wrappers]) {
      const { forms } = listOf(options);
      const isWrapper = Object.hasOwn(FORMS, program);
      for (const name of new Set([...forms.keys(), ...helpOf(program).keys()])) {
        if (!name.startsWith("--")) continue;
        for (let length = 3; length <= name.length; length++) {
          const beginning = name.slice(0, length);
          if (forms.has(beginning) || /^--(?:help|version)$/.test(beginning)) continue;
          for (const word of [beginning, `${beginning}=x`]) {
            tried++;
            const wrapped = isWrapper ? unwrap([program, word, "ls"].map(knownWord), program) : undefined;
            const passes = isWrapper ? !(wrapped && "doubt" in wrapped) : isHarmless(program, [word]);
            if (passes) understood.push(`${program} ${word}`);
          }
        }
      }
    }
    expect(understood).toEqual([]);
    expect(tried).toBeGreaterThan(5000);
  });
});
