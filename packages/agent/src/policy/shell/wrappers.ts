// Programs that run another program: what they run is judged, not they. Data first: how each one's options are passed over.

import { findFiles } from "./found-files.ts";
import { gitInner } from "./git.ts";
import { type Found, knownWord, type ShellWord, unknownWord } from "./shell-words.ts";
import type { Dialect } from "./syntax.ts";
import type { Unwrapped, Wrapped } from "./unwrapped.ts";

interface Form {
  /** Short options that take a value. */
  readonly valued?: string;
  /** Long options that take the next word. */
  readonly long?: string;
  /** Words between the options and the program. */
  readonly operands?: number;
  readonly takesAssignments?: boolean;
  /** Options with which it does not run the program that follows, or not as written. */
  readonly refused?: RegExp;
  readonly otherDirectory?: RegExp;
  readonly isElsewhere?: boolean;
  /** It hands the words to a shell, joined. */
  readonly joins?: boolean;
}

const FORMS: Readonly<Record<string, Form>> = {
  sudo: {
    valued: "ugpChrTtUDR",
    long: "user group prompt close-from host chdir role type other-user chroot command-timeout",
    takesAssignments: true,
    refused: /^(?:-\w*[eis]\w*|--edit|--login|--shell)$/,
    otherDirectory: /^(?:-\w*[DRi]|--ch)/,
    isElsewhere: true,
  },
  doas: { valued: "uC", refused: /^-s/, isElsewhere: true },
  env: {
    valued: "uCa",
    long: "unset chdir argv0",
    takesAssignments: true,
    refused: /^(?:-\w*[SP]|--split)/,
    otherDirectory: /^(?:-\w*C|--ch)/,
  },
  timeout: { valued: "ks", long: "kill-after signal", operands: 1 },
  gtimeout: { valued: "ks", long: "kill-after signal", operands: 1 },
  nohup: {},
  setsid: {},
  nice: { valued: "n", long: "adjustment" },
  ionice: { valued: "cn", long: "class classdata", refused: /^-\w*[pPu]/ },
  stdbuf: { valued: "ioe", long: "input output error" },
  chrt: { operands: 1, refused: /^(?:-\w*[pTPD]|--)/ },
  taskset: { operands: 1, refused: /^(?:-\w*p|--pid)/ },
  unbuffer: {},
  caffeinate: { valued: "tw" },
  flock: { valued: "wE", long: "timeout wait conflict-exit-code", operands: 1, refused: /^(?:-c|--command)/ },
  // Its own `time` bash reads as a reserved word; this is the program.
  time: { valued: "f", long: "format", refused: /^(?:-\w*[oa]|--output|--append)/ },
  command: { refused: /^-\w*[vV]/ },
  builtin: {},
  exec: { valued: "a" },
  busybox: { refused: /^-/ },
  watch: { valued: "n", long: "interval", joins: true },
  ssh: {
    valued: "BbcDEeIilmOpQRSWwLJ",
    operands: 1,
    refused: /^-\w*[oFN]/,
    otherDirectory: /^/,
    isElsewhere: true,
    joins: true,
  },
  chroot: { operands: 1, otherDirectory: /^/, isElsewhere: true },
  runuser: { valued: "ugG", refused: /^(?:-\w*[cls]|--[cls])/, isElsewhere: true },
  npx: { valued: "pw", long: "package workspace", refused: /^(?:-c|--call)/, isElsewhere: true },
  bunx: { valued: "p", long: "package", isElsewhere: true },
  uvx: { long: "from with python", isElsewhere: true },
};

/** Two words that together are a wrapper. */
const PAIRS: Readonly<Record<string, Form>> = {
  "docker exec": CONTAINER(),
  "podman exec": CONTAINER(),
  "npm exec": { valued: "pw", long: "package workspace", refused: /^(?:-c|--call)/, isElsewhere: true },
  "npm x": { valued: "pw", long: "package workspace", refused: /^(?:-c|--call)/, isElsewhere: true },
  "pnpm exec": { refused: /^(?:-c|--shell-mode)/, isElsewhere: true },
  "pnpm dlx": { long: "package", refused: /^(?:-c|--shell-mode)/, isElsewhere: true },
  "yarn exec": { isElsewhere: true },
  "yarn dlx": { valued: "p", long: "package", isElsewhere: true },
  "bun x": { isElsewhere: true },
  "uv run": { long: "with python package extra group", isElsewhere: true },
  "poetry run": { isElsewhere: true },
  "pipenv run": { isElsewhere: true },
  "bundle exec": { isElsewhere: true },
};

function CONTAINER(): Form {
  return {
    valued: "uwe",
    long: "user workdir env env-file detach-keys",
    operands: 1,
    otherDirectory: /^/,
    isElsewhere: true,
  };
}

export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash"]);

export function isWrapper(program: string): boolean {
  return Object.hasOwn(FORMS, program) || SHELLS.has(program);
}

/** zsh, ksh and fish have expansions of their own that run commands. */
export function isReadable(shell: string): boolean {
  return /^(?:bash|rbash|sh|dash|ash)$/.test(shell);
}

export function dialectOf(shell: string): Dialect {
  return /bash$/.test(shell) ? "bash" : "posix";
}

/** What `words` would run besides their own program. The program is known. */
export function unwrap(words: readonly ShellWord[], program: string): Unwrapped {
  if (SHELLS.has(program)) return unwrapShell(words, program);
  switch (program) {
    case "eval":
      return words.length === 1 ? undefined : scriptOf(words.slice(1), program, "bash");
    case "trap":
      return unwrapTrap(words);
    case "su":
      return { doubt: "su runs what its options say" };
    case "xargs":
      return unwrapXargs(words);
    case "parallel":
    case "coproc":
    case "alias":
    case "enable":
    case "entr":
    case "script":
      return { doubt: `what ${program} runs cannot be told` };
    case "find":
    case "fd":
    case "fdfind":
      return unwrapFind(words, program);
    case "git":
      return gitInner(words);
    case "kubectl":
      return unwrapAfterDashes(words, program);
  }
  const subcommand = words[1]?.value ?? "";
  const pair = words[1]?.isKnown ? `${program} ${subcommand}` : "";
  if (Object.hasOwn(PAIRS, pair)) return unwrapForm(words, 2, pair, PAIRS[pair] as Form);
  return Object.hasOwn(FORMS, program) ? unwrapForm(words, 1, program, FORMS[program] as Form) : undefined;
}

function unwrapForm(words: readonly ShellWord[], from: number, name: string, form: Form): Unwrapped {
  let at = from;
  let hasOtherDirectory = form.otherDirectory?.test("") ?? false;
  for (; at < words.length; at++) {
    const { value, isKnown, mayBeOption } = words[at] as ShellWord;
    if (!mayBeOption) break;
    if (!isKnown) return { doubt: `an option of ${name} is not known before it runs` };
    if (value === "--") {
      at++;
      break;
    }
    if (value === "-" && name === "env") continue;
    if (form.refused?.test(value))
      return name === "command" ? undefined : { doubt: `${name} ${value} is not looked through` };
    hasOtherDirectory ||= form.otherDirectory?.test(value) ?? false;
    const isLong = value.startsWith("--");
    const takesNext = isLong
      ? (form.long ?? "").split(" ").includes(value.slice(2))
      : new RegExp(`^-[^${form.valued || "-"}]*[${form.valued || "-"}]$`).test(value) && form.valued !== undefined;
    if (takesNext && words[++at]?.isSplit) return { doubt: `an option of ${name} is not known before it runs` };
  }
  for (let operand = 0; operand < (form.operands ?? 0); operand++, at++)
    if (words[at]?.isSplit) return { doubt: `an operand of ${name} is not known before it runs` };
  const assignments: ShellWord[] = [];
  while (form.takesAssignments && words[at]?.value.includes("=")) assignments.push(words[at++] as ShellWord);
  if (assignments.some(({ isSplit }) => isSplit)) return { doubt: `what ${name} sets is not known before it runs` };
  const rest = words.slice(at);
  if (rest.length === 0) return undefined;
  const shared = {
    name,
    assignments,
    isElsewhere: form.isElsewhere ?? false,
    ...(hasOtherDirectory && { directory: { path: undefined } }),
  };
  if (!form.joins) return { ...shared, inner: { words: rest, at } };
  const joined = scriptOf(rest, name, "posix");
  return "doubt" in joined ? joined : { ...joined, ...shared };
}

/** The words joined as a text for a shell. */
function scriptOf(words: readonly ShellWord[], name: string, dialect: Dialect): Wrapped | { doubt: string } {
  if (words.some(({ isKnown }) => !isKnown)) return { doubt: `what ${name} runs is not known before it runs` };
  return { name, inner: { script: words.map(({ value }) => value).join(" "), dialect } };
}

function unwrapShell(words: readonly ShellWord[], program: string): Unwrapped {
  let isCommand = false;
  let at = 1;
  for (; at < words.length; at++) {
    const { value, isKnown, mayBeOption } = words[at] as ShellWord;
    if (!mayBeOption && !value.startsWith("+")) break;
    if (!isKnown) return { doubt: `an option of ${program} is not known before it runs` };
    if (value === "--" || value === "-") {
      at++;
      break;
    }
    if (/^--(?:rcfile|init-file)/.test(value)) return { doubt: `${program} ${value} runs a file` };
    if (value.startsWith("--")) continue;
    isCommand ||= value.includes("c");
    // An interactive shell reads start-up files and expands aliases.
    if (value.startsWith("-") && /[iO]/.test(value)) return { doubt: `${program} ${value} is not looked through` };
    if (/o$/.test(value) && !words[++at]?.isKnown)
      return { doubt: `an option of ${program} is not known before it runs` };
  }
  const script = words[at];
  if (!isCommand) return undefined;
  if (!script?.isKnown) return { doubt: `what ${program} -c runs is not known before it runs` };
  if (!isReadable(program)) return { doubt: `${program} is not looked through` };
  return { name: program, inner: { script: script.value, dialect: dialectOf(program) } };
}

function unwrapTrap(words: readonly ShellWord[]): Unwrapped {
  const operands = words.slice(1).filter(({ value }) => value !== "--");
  const [action] = operands;
  if (!action || /^-[lp]$/.test(action.value)) return undefined;
  if (!action.isKnown) return { doubt: "what trap runs is not known before it runs" };
  return operands.length === 1 || action.value === "-" || action.value === ""
    ? undefined
    : { name: "trap", inner: { script: action.value, dialect: "bash" } };
}

function unwrapXargs(words: readonly ShellWord[]): Unwrapped {
  let replaced: string | undefined;
  let at = 1;
  for (; at < words.length; at++) {
    const { value, isKnown, mayBeOption } = words[at] as ShellWord;
    if (!mayBeOption) break;
    if (!isKnown) return { doubt: "an option of xargs is not known before it runs" };
    // What it reads there goes into the command.
    if (/^(?:-\w*a|--arg-file)/.test(value)) return { doubt: `xargs ${value} reads its words from a file` };
    if (/^-[dEILnPs]$|^--(?:delimiter|max-args|max-procs|max-chars|process-slot-var)$/.test(value)) {
      if (value === "-I") replaced = words[at + 1]?.value ?? "{}";
      if (!words[++at]?.isKnown) return { doubt: "an option of xargs is not known before it runs" };
    } else if (/^-I./.test(value)) replaced = value.slice(2);
    else if (/^-i/.test(value)) replaced = value.slice(2) || "{}";
    else if (/^--replace/.test(value)) replaced = value.slice("--replace=".length) || "{}";
    else if (!/^(?:-[0rtxo]+|-[dELlenPs].+|--[a-z-]+(?:=.*)?)$/.test(value))
      return { doubt: `xargs ${value} is not understood` };
  }
  const given = words.slice(at);
  if (given.length === 0) return { name: "xargs", inner: { words: [knownWord("echo"), unknownWord("…", "")], at } };
  const inner =
    replaced === undefined
      ? [...given, unknownWord("…", "")]
      : given.map((word) => (word.value.includes(replaced) ? replacedWord(word, replaced) : word));
  return { name: "xargs", inner: { words: inner, at } };
}

function replacedWord({ value }: ShellWord, replaced: string): ShellWord {
  return unknownWord(value, value.slice(0, value.indexOf(replaced)));
}

/** The programs behind -exec and the like. `find` itself is judged by the list of harmless commands. */
function unwrapFind(words: readonly ShellWord[], program: string): Unwrapped {
  const starts = program === "find" ? /^-(?:exec|execdir|ok|okdir)$/ : /^(?:-[xX]|--exec|--exec-batch)$/;
  const commands: { words: ShellWord[]; at: number }[] = [];
  // What find hands over begins with a path given here.
  const lead = words.slice(1).some(({ value }, index) => index === 0 && value.startsWith("-"))
    ? "./"
    : (words[1]?.value ?? "./");
  const found = findFiles(words);
  for (let at = 1; at < words.length; at++) {
    const { value, isSplit } = words[at] as ShellWord;
    if (isSplit && program === "find" && (words[at] as ShellWord).mayBeOption)
      return { doubt: "an option of find is not known before it runs" };
    if (program !== "find" && /^(?:-x.|-X.|--exec.*=)/.test(value))
      return { doubt: `${program} ${value} is not looked through` };
    if (!starts.test(value)) continue;
    const command: ShellWord[] = [];
    const from = at + 1;
    for (at++; at < words.length && !/^[;+]$/.test((words[at] as ShellWord).value); at++) {
      const word = words[at] as ShellWord;
      command.push(/\{[./]*\}/.test(word.value) ? foundWord(word.value, lead, found) : word);
    }
    if (program !== "find" && !command.some(({ value: text }) => /\{[./]*\}/.test(text)))
      command.push(unknownWord("{}", "./"));
    if (command.length === 0) return { doubt: `what ${program} runs cannot be told` };
    commands.push({ words: command, at: from });
  }
  const [first, ...more] = commands;
  if (!first) return undefined;
  return { name: program, inner: first, more: more.map((command) => command.words), isJudged: true };
}

/** A path that find has found: below `lead`, with one of these names. */
function foundWord(value: string, lead: string, found: Found): ShellWord {
  const word = { ...unknownWord(value, value.startsWith("{") ? lead : value), found };
  return lead === "" ? word : { ...word, paths: [...found.roots, ...found.names] };
}

function unwrapAfterDashes(words: readonly ShellWord[], program: string): Unwrapped {
  const dashes = words.findIndex(({ value }) => value === "--");
  if (dashes < 0 || dashes + 1 >= words.length || !words.some(({ value }) => value === "exec")) return undefined;
  return {
    name: `${program} exec`,
    inner: { words: words.slice(dashes + 1), at: dashes + 1 },
    isElsewhere: true,
    directory: { path: undefined },
  };
}
