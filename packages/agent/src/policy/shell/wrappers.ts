// Programs that run another program: we judge what they run instead of them. wrapper-forms.ts says how to skip the
// options of each.

import type { FoundFiles } from "../../contract/shell.ts";
import { endOfExec, findFiles } from "./found-files.ts";
import { gitInner } from "./git.ts";
import { listedFiles } from "./listed-files.ts";
import { listOf, type OptionList, type ReadOption, readOptions } from "./options.ts";
import { fedWord, knownWord, type ShellWord, unknownWord } from "./shell-words.ts";
import type { Dialect } from "./syntax.ts";
import type { Unwrapped, Wrapped } from "./unwrapped.ts";
import { FORMS, type Form, PAIRED, PAIRS, RUN_AFTER_DASHES } from "./wrapper-forms.ts";

export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash"]);

export function isWrapper(program: string): boolean {
  return Object.hasOwn(FORMS, program) || SHELLS.has(program);
}

/** zsh, ksh and fish have additional expansions that run commands. */
export function isReadable(shell: string): boolean {
  return /^(?:bash|rbash|sh|dash|ash)$/.test(shell);
}

export function dialectOf(shell: string): Dialect {
  return /bash$/.test(shell) ? "bash" : "posix";
}

/** What `words` would run besides their own program, whose name is known. */
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
    case "alias":
      return words.length === 1 ? undefined : { doubt: "what alias runs cannot be told" };
    case "parallel":
    case "coproc":
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
  }
  if (Object.hasOwn(RUN_AFTER_DASHES, program)) return unwrapAfterDashes(words, program);
  const pair = PAIRED.has(program) && words[1]?.isKnown ? `${program} ${words[1].value}` : "";
  if (Object.hasOwn(PAIRS, pair)) return unwrapForm(words, 2, pair, PAIRS[pair] as Form);
  return Object.hasOwn(FORMS, program) ? unwrapForm(words, 1, program, FORMS[program] as Form) : undefined;
}

const appendedBy = ({ appendsTo }: Form): ShellWord[] => (appendsTo === undefined ? [] : [knownWord(appendsTo)]);

function unwrapForm(words: readonly ShellWord[], from: number, name: string, form: Form): Unwrapped {
  if (name === "command" && /^-p?[vV]/.test(words[from]?.value ?? "")) return undefined;
  // `env -` is short for `env -i`.
  const isEmptied = name === "env" && words[from]?.value === "-";
  const given = words.slice(isEmptied ? from + 1 : from);
  const list = listOf(form.options);
  const read = readLeading(given, list, name);
  if ("doubt" in read) return read;
  let at = words.length - read.rest.length;
  const operands = words.slice(at, at + (form.operands ?? 0));
  if (operands.some(({ isSplit }) => isSplit)) return { doubt: `an operand of ${name} is not known before it runs` };
  at += operands.length;
  const assignments = name === "env" ? removedVariables(read.options, isEmptied) : [];
  while (form.takesAssignments && words[at]?.value.includes("=")) assignments.push(words[at++] as ShellWord);
  if (assignments.some(({ isSplit }) => isSplit)) return { doubt: `what ${name} sets is not known before it runs` };
  const rest = words.slice(at);
  const makes = form.makesFile ? operands.filter(({ value }) => !/^\d+$/.test(value)) : appendedBy(form);
  if (rest.length === 0) return makes.length > 0 ? { doubt: `${name} makes a file` } : undefined;
  const directory = read.options.filter((option) => form.directory?.includes(option.name)).at(-1)?.value;
  const shared = {
    name,
    assignments,
    isElsewhere: form.isElsewhere ?? false,
    makes,
    ...(directory && { directory: { path: directory.isKnown ? directory.value : undefined } }),
    ...(form.isAway && { directory: { path: undefined } }),
  };
  if (!form.joins) return { ...shared, inner: { words: rest, at } };
  const joined = scriptOf(rest, name, "posix");
  return "doubt" in joined ? joined : { ...joined, ...shared };
}

/** For a program, removing a variable is equivalent to emptying it. */
function removedVariables(options: readonly ReadOption[], isEmptied: boolean): ShellWord[] {
  const removed = options.flatMap(({ name, value }) =>
    value && /^(?:-u|--unset)$/.test(name) ? { ...value, value: `${value.value}=` } : [],
  );
  const areAll = isEmptied || options.some(({ name }) => /^(?:-i|--ignore-environment)$/.test(name));
  return areAll ? [knownWord("CI="), ...removed] : removed;
}

/** The options before the first word that is not one. */
function readLeading(
  words: readonly ShellWord[],
  list: OptionList,
  name: string,
): { readonly options: readonly ReadOption[]; readonly rest: readonly ShellWord[] } | { readonly doubt: string } {
  const options: ReadOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const { value, isKnown, mayBeOption } = words[at] as ShellWord;
    if (!mayBeOption || value === "-") return { options, rest: words.slice(at) };
    if (!isKnown) return { doubt: `an option of ${name} is not known before it runs` };
    if (value === "--") return { options, rest: words.slice(at + 1) };
    // An option takes at most the next word.
    const alone = readOptions(words.slice(at, at + 1), list);
    const read = "refused" in alone ? readOptions(words.slice(at, at + 2), list) : alone;
    if ("refused" in read) return { doubt: `${name} ${value} is not understood` };
    if (read !== alone) at++;
    options.push(...read.options);
  }
  return { options, rest: [] };
}

/** The words joined into a text for a shell. */
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
    if (value.startsWith("-") && /[iO]/.test(value)) return { doubt: `${program} ${value} is not analysed` };
    if (/o$/.test(value) && !words[++at]?.isKnown)
      return { doubt: `an option of ${program} is not known before it runs` };
  }
  const script = words[at];
  if (!isCommand) return undefined;
  if (!script?.isKnown) return { doubt: `what ${program} -c runs is not known before it runs` };
  if (!isReadable(program)) return { doubt: `${program} is not analysed` };
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

const XARGS =
  "-0rtxop -d: -E: -e? -I: -i? -L: -l? -n: -P: -s: --null --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --no-run-if-empty --verbose --exit --open-tty --interactive --show-limits";

function unwrapXargs(words: readonly ShellWord[]): Unwrapped {
  const read = readLeading(words.slice(1), listOf(XARGS), "xargs");
  if ("doubt" in read) return read;
  if (read.options.some(({ value }) => value && !value.isKnown))
    return { doubt: "an option of xargs is not known before it runs" };
  const last = read.options.filter(({ name }) => /^(?:-I|-i|--replace)$/.test(name)).at(-1);
  const replaced = last && (last.value?.value || "{}");
  const given = read.rest;
  const at = words.length - given.length;
  // If names are split at another character, they become other names.
  const isCut = read.options.some(({ name, value }) => /^-(?:d|-delimiter)$/.test(name) && value?.value !== "\\n");
  const fill = (text: string) => (isCut ? unknownWord(text, "") : fedWord(text));
  if (given.length === 0) return { name: "xargs", inner: { words: [knownWord("echo"), fill("…")], at } };
  const fillIn = (word: ShellWord, mark: string) => {
    if (!word.value.includes(mark)) return word;
    return word.value === mark ? fill(mark) : unknownWord(word.value, word.value.slice(0, word.value.indexOf(mark)));
  };
  const inner = replaced === undefined ? [...given, fill("…")] : given.map((word) => fillIn(word, replaced));
  return { name: "xargs", inner: { words: inner, at } };
}

/** The programs after -exec and similar options. `find` itself is judged by the list of harmless commands. */
function unwrapFind(words: readonly ShellWord[], program: string): Unwrapped {
  const starts = program === "find" ? /^-(?:exec|execdir|ok|okdir)$/ : /^(?:-[xX]|--exec|--exec-batch)$/;
  const commands: { words: ShellWord[]; at: number }[] = [];
  // What find passes on begins with a path given here.
  const lead = words.slice(1).some(({ value }, index) => index === 0 && value.startsWith("-"))
    ? "./"
    : (words[1]?.value ?? "./");
  const handOver = (value: string, isMany: boolean): ShellWord =>
    program === "find" ? foundWord(value, lead, findFiles(words), isMany) : listedWord(value, words, starts);
  let isMoved = false;
  for (let at = 1; at < words.length; at++) {
    const { value, isSplit } = words[at] as ShellWord;
    if (isSplit && program === "find" && (words[at] as ShellWord).mayBeOption)
      return { doubt: "an option of find is not known before it runs" };
    if (program !== "find" && /^(?:-x.|-X.|--exec.*=)/.test(value))
      return { doubt: `${program} ${value} is not analysed` };
    if (!starts.test(value)) continue;
    const command: ShellWord[] = [];
    const from = at + 1;
    const end = program === "find" ? endOfExec(words, from) : endAtSemicolon(words, from);
    const isMany = words[end]?.value === "+" || /^(?:-X|--exec-batch)$/.test(value);
    for (at++; at < end; at++) {
      const word = words[at] as ShellWord;
      command.push(/\{[./]*\}/.test(word.value) ? handOver(word.value, isMany) : word);
    }
    if (program !== "find" && !command.some(({ value: text }) => /\{[./]*\}/.test(text)))
      command.push(handOver("{}", isMany));
    if (command.length === 0) return { doubt: `what ${program} runs cannot be told` };
    isMoved ||= /^-(?:exec|ok)dir$/.test(value);
    commands.push({ words: command, at: from });
  }
  const [first, ...more] = commands;
  if (!first) return undefined;
  const directory = isMoved ? { directory: { path: undefined } } : {};
  return { name: program, inner: first, more: more.map((command) => command.words), isJudged: true, ...directory };
}

function endAtSemicolon(words: readonly ShellWord[], from: number): number {
  const end = words.findIndex(({ value }, at) => at >= from && value === ";");
  return end < 0 ? words.length : end;
}

/** A path that find has found: below `lead`, with one of these names. With other text around it, it is another path. */
function foundWord(value: string, lead: string, found: FoundFiles, isMany: boolean): ShellWord {
  const word = { ...unknownWord(value, value.startsWith("{") ? lead : value), isSplit: isMany || lead === "" };
  return lead === "" || value !== "{}" ? word : { ...word, found, paths: [...found.roots, ...found.names] };
}

/** A path that fd has found. Some versions print it without `./`. */
function listedWord(value: string, words: readonly ShellWord[], starts: RegExp): ShellWord {
  const end = words.findIndex((word) => starts.test(word.value));
  const found = value === "{}" ? listedFiles(words.slice(0, end), undefined) : undefined;
  return found ? { ...fedWord(value), found, paths: found.roots } : unknownWord(value, "");
}

function unwrapAfterDashes(words: readonly ShellWord[], program: string): Unwrapped {
  const verbs = RUN_AFTER_DASHES[program]?.split(" ") ?? [];
  const dashes = words.findIndex(({ value }) => value === "--");
  const verb = words.slice(1, Math.max(dashes, 0)).find(({ value }) => verbs.includes(value));
  if (verb === undefined || dashes + 1 >= words.length) return undefined;
  return {
    name: `${program} ${verb.value}`,
    inner: { words: words.slice(dashes + 1), at: dashes + 1 },
    isElsewhere: true,
    ...(program === "kubectl" && { directory: { path: undefined } }),
  };
}
