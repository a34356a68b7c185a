// Builtins that assign variables, evaluate their words or change how the rest of the text is parsed. Bash evaluates
// more in them than their words show, so each has a list of forms that are known to run nothing; any other form is in
// doubt.

import type { ShellContext } from "../../contract/shell.ts";
import { listOf, readOptions } from "./options.ts";
import type { ShellWord } from "./shell-words.ts";
import { judgeTest } from "./test-words.ts";
import { isExported, isHarmlessAssignment, sensitiveName, strangeVariable } from "./variables.ts";

export interface BuiltinVerdict {
  readonly doubt?: string | undefined;
  readonly isHarmless: boolean;
  /** See ShellPart. */
  readonly strange?: string | undefined;
}

const HARMLESS: BuiltinVerdict = { isHarmless: true };

const inDoubt = (doubt: string): BuiltinVerdict => ({ doubt, isHarmless: false });

type Judge = (operands: readonly ShellWord[], program: string, context: ShellContext) => BuiltinVerdict | undefined;

const JUDGES: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(["declare", "typeset", "local", "readonly", "export"].map((name) => [name, judgeDeclaration])),
  ...Object.fromEntries(["mapfile", "readarray"].map((name) => [name, optionsThenNames("-t -d: -n: -O: -s: -u:")])),
  // What they run, or the program that a name stands for, is in their words.
  ...Object.fromEntries(
    ["let", "bind", "complete", "compgen", "compopt", "fc"].map((name) => [
      name,
      () => inDoubt(`${name} evaluates its words`),
    ]),
  ),
  read: optionsThenNames("-ers -a: -d: -i: -n: -N: -p: -t: -u:"),
  unset: optionsThenNames("-vf"),
  getopts: (operands, _, context) => (operands[0]?.isKnown ? judgeNames(operands.slice(1, 2), context) : unknownName()),
  wait: only(/^(?:-[nf]+|%?\w+|\$!)$/, "wait assigns a variable"),
  history: only(/^\d+$/, "history evaluates its words"),
  jobs: only(/^(?:-[lnprs]+|%\S+)$/, "jobs may run its words"),
  hash: only(/^(?:-[rl]+)$/, "hash changes which program runs"),
  printf: judgePrintf,
  test: judgeTest,
  "[": judgeTest,
  set: judgeSet,
  // With `dotglob`, a `*` would match hidden files.
  shopt: only(
    /^(?:-[suqp]+|nullglob|globstar|failglob|nocaseglob|inherit_errexit)$/,
    "shopt changes how the rest is read",
  ),
};

/** The verdict on builtins that do more than their words show; undefined for every other program. */
export function judgeBuiltin(
  words: readonly ShellWord[],
  program: string,
  context: ShellContext,
): BuiltinVerdict | undefined {
  return Object.hasOwn(JUDGES, program) ? (JUDGES[program] as Judge)(words.slice(1), program, context) : undefined;
}

/** Every word must match. */
function only(permitted: RegExp, doubt: string): Judge {
  return (operands) => (operands.every(({ value }) => permitted.test(value)) ? HARMLESS : inDoubt(doubt));
}

/** These options, followed by names of variables. */
function optionsThenNames(options: string): Judge {
  const list = listOf(options);
  return (operands, _, context) => {
    const read = readOptions(operands, list);
    if ("refused" in read) return unknownName();
    const arrays = read.options.flatMap(({ name, value }) => (name === "-a" && value ? [value] : []));
    return judgeNames([...arrays, ...read.operands], context);
  };
}

function unknownName(): BuiltinVerdict {
  return inDoubt("it assigns a variable that is not known");
}

/** Plain names: bash evaluates a subscript even where only a name is expected (`unset 'a[$(id)]'` runs id). */
function judgeNames(names: readonly ShellWord[], context: ShellContext): BuiltinVerdict {
  for (const { value, isKnown } of names) {
    if (!isKnown || !/^\w+$/.test(value)) return unknownName();
    const doubt = sensitiveName(value);
    if (doubt) return inDoubt(doubt);
  }
  const exported = names.find(({ value }) => isExported(value, context));
  return exported ? { isHarmless: false, strange: strangeVariable(exported.value) } : HARMLESS;
}

/**
 * Flags and names, or `NAME=value` with a value that cannot be parsed as elements of an array: those are expanded
 * again, even if they were quoted.
 */
function judgeDeclaration(operands: readonly ShellWord[], program: string, context: ShellContext): BuiltinVerdict {
  const flags = operands.filter(({ value }) => /^[-+]/.test(value));
  if (!flags.every(({ value, isKnown }) => isKnown && /^-[aArxgpnF]+$/.test(value)))
    return inDoubt(`${program} evaluates its words`);
  const letters = flags.map(({ value }) => value.slice(1)).join("");
  const isScalar = program === "export" && !/[aA]/.test(letters);
  // The shell continues, so later assignments to the name in another text would have no effect.
  if (program === "readonly" || (letters.includes("r") && program !== "local"))
    return inDoubt(`${program} prevents later assignments`);
  // Under -n, a name is a reference to the variable that its value names.
  if (letters.includes("n") && program !== "export") return unknownName();
  const exports = program === "export" || letters.includes("x");
  let steering: string | undefined;
  for (const word of operands.filter((operand) => !flags.includes(operand))) {
    const [, name = "", value] = /^([^=]*?)(?:\+?=(.*))?$/s.exec(word.value) ?? [];
    if (!/^\w+$/.test(name)) return unknownName();
    const isHarmless = isHarmlessAssignment(name, word.isKnown ? value : undefined);
    const doubt = isHarmless ? undefined : sensitiveName(name);
    if (doubt) return inDoubt(doubt);
    if (value === undefined && !word.isKnown) return unknownName();
    if (value !== undefined && !isScalar && (!word.isKnown || value.includes("(")))
      return inDoubt(`${program} evaluates what it assigns`);
    // A bare name is exported with its value, even one that the same text has assigned.
    if (!isHarmless && (exports || (value !== undefined && isExported(name, context)))) steering ??= name;
  }
  return steering === undefined ? HARMLESS : { isHarmless: false, strange: strangeVariable(steering) };
}

/** `-v` assigns a variable, and so does `%n` in the format. */
function judgePrintf(operands: readonly ShellWord[]): BuiltinVerdict | undefined {
  const hasDashes = operands[0]?.isKnown && operands[0].value === "--";
  const [format, ...values] = hasDashes ? operands.slice(1) : operands;
  if (!format) return undefined;
  if (!format.isKnown)
    return values.length === 0 && !format.isSplit
      ? HARMLESS
      : inDoubt("the format of printf is not known before it runs");
  if (!hasDashes && /^-./.test(format.value))
    return format.value.startsWith("-v") ? inDoubt("printf assigns a variable") : undefined;
  return /%[^A-Za-z%(]*[hjlLqtz]*n/.test(format.value.replaceAll("%%", ""))
    ? inDoubt("printf assigns a variable")
    : HARMLESS;
}

const SETTING = /^(?:[-+][euxovfC]+|pipefail|errexit|nounset|xtrace|noglob|noclobber)$/;

function judgeSet(operands: readonly ShellWord[]): BuiltinVerdict {
  const dashes = operands.findIndex(({ value, isKnown }) => isKnown && value === "--");
  const settings = dashes < 0 ? operands : operands.slice(0, dashes);
  return settings.every(({ value, isKnown }) => isKnown && SETTING.test(value))
    ? HARMLESS
    : inDoubt("set changes how the rest is read");
}
