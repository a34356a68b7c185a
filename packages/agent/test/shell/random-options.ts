// Commands of listed programs and wrappers with options, abbreviations, values and words in every position, most of them hostile.

import { existsSync } from "node:fs";
import { HARMLESS_GIT } from "../../src/policy/shell/harmless-git.ts";
import { HARMLESS } from "../../src/policy/shell/harmless-programs.ts";
import { listOf } from "../../src/policy/shell/options.ts";
import { FORMS } from "../../src/policy/shell/wrapper-forms.ts";
import { type Draw, pick } from "./random-commands.ts";

interface Subject {
  /** The program, or git and its subcommand. */
  readonly words: readonly string[];
  readonly options: string;
  readonly isWrapper: boolean;
}

/** Commands that wait, look at the whole machine, or belong to the shell. */
const LEFT_OUT =
  /^(?:sleep|wait|tail|less|more|dmesg|journalctl|top|lsof|ss|watch|sudo|doas|ssh|chroot|runuser|npx|bunx|uvx|npm|exec|builtin|command|busybox|caffeinate|unbuffer|gtimeout|dpkg|ip|chrt|ionice|taskset|cd|exit|return|break|continue|shift|umask|ulimit|help|hash|dirs|jobs|times|type|find|yes)$/;

/** Where the witness looks for programs, and the shell's own are in none of them. */
const PROGRAMS = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

function isHere(program: string): boolean {
  return PROGRAMS.some((folder) => existsSync(`${folder}/${program}`));
}

export function subjects(): readonly Subject[] {
  const programs = Object.entries(HARMLESS).map(([name, { options }]) => ({
    words: [name],
    options,
    isWrapper: false,
  }));
  const wrappers = Object.entries(FORMS).map(([name, { options }]) => ({ words: [name], options, isWrapper: true }));
  const git = Object.entries(HARMLESS_GIT).map(([name, { options }]) => ({
    words: ["git", name],
    options,
    isWrapper: false,
  }));
  return [...programs, ...wrappers, ...git].filter(
    ({ words: [name = ""] }) => /^\w/.test(name) && !LEFT_OUT.test(name) && isHere(name),
  );
}

/** What an attacker would append to an option; `@` stands for the folder that nothing may touch. */
const HOSTILE = [
  "--output=@/made",
  "-o@/made",
  "-o",
  "@/made",
  "@/secret",
  "--files0-from=@/secret",
  "--from-file=@/secret",
  "-f@/secret",
  "-f",
  "--file=@/secret",
  "--compress-program=@/run",
  "--pre=@/run",
  "--split-string=@/run",
  "--exec=@/run",
  "-S@/run",
  "-c",
  "@/run",
  "--ext-diff",
  "--textconv",
  "--open-files-in-pager=@/run",
  "-O@/run",
  "w@/made",
  "1e",
  'BEGIN{system("@/run")}',
  'BEGIN{print > "@/made"}',
  'BEGIN{while((getline l < "@/secret")>0) print l}',
  'import "secret" as s {search: "@"}; .',
  "s/a/b/w @/made",
  "NAME=@/run",
  "LD_PRELOAD=@/run",
  "@list",
  "--",
  "-",
  "+",
  "{}",
  ";",
  "HEAD",
  "new-name",
  "a.txt",
  "sub",
  "sub/b.txt",
  ".",
  "1",
  "5",
  "x",
  "/a/",
  ".",
  "1p",
  "s/a/b/",
  "{print $1}",
];

export function randomOptions(draw: Draw, all: readonly Subject[], outside: string): string {
  const { words, options, isWrapper } = pick(draw, all);
  const given: string[] = [];
  const { forms } = listOf(options === "*" ? "" : options);
  const names = [...forms.keys()];
  const count = draw(4);
  for (let at = 0; at < count; at++) {
    const name = names.length > 0 && draw(4) > 0 ? pick(draw, names) : undefined;
    if (name === undefined) given.push(pick(draw, HOSTILE));
    else given.push(...optionForm(name, draw));
  }
  const between = words[0] === "timeout" ? ["2"] : words[0] === "flock" ? ["a.txt"] : [];
  if (isWrapper && draw(4) > 0) given.push(...between, "ls", "a.txt");
  const operands = draw(3);
  for (let at = 0; at < operands; at++) given.push(pick(draw, HOSTILE.slice(-18)));
  return [...words, ...given]
    .map((word) => word.replaceAll("@/", `${outside}/`))
    .map((word) => (/^[\w./=+-]+$/.test(word) ? word : `'${word}'`))
    .join(" ");
}

function optionForm(name: string, draw: Draw): readonly string[] {
  const value = pick(draw, HOSTILE);
  if (!name.startsWith("--")) {
    const forms = [[name], [name, value], [`${name}${value}`], [`${name}o`, value]];
    return pick(draw, forms);
  }
  const short = name.slice(0, 3 + draw(name.length - 2));
  return pick(draw, [[name], [name, value], [`${name}=${value}`], [short], [`${short}=${value}`], [short, value]]);
}
