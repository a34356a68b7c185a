// Builtins that assign variables or change how the rest of the text is read.

import { optionList, readOptions } from "./options.ts";
import type { ShellWord } from "./shell-words.ts";
import { isHarmlessName, sensitiveName } from "./variables.ts";

export interface BuiltinVerdict {
  readonly doubt?: string | undefined;
  readonly isHarmless: boolean;
}

const ASSIGNING = new Set([
  "export",
  "declare",
  "typeset",
  "local",
  "readonly",
  "mapfile",
  "readarray",
  "unset",
  "getopts",
]);

// Bash evaluates a subscript, also where only a name is expected: `unset 'a[$(id)]'` runs id.
const EVALUATED = /^[A-Za-z_]\w*\[/;

/** What is said of builtins that assign; undefined for every other program. */
export function judgeBuiltin(words: readonly ShellWord[], program: string): BuiltinVerdict | undefined {
  const operands = words.slice(1);
  if (program === "let") return { doubt: "let evaluates its words", isHarmless: false };
  if (program === "test" || program === "[") return judgeTest(operands);
  if (program === "printf" && operands[0]?.mayBeOption && operands[0].value !== "--")
    return judgeNames(operands.slice(1, 2), operands[0].value === "-v");
  if (program === "set") return { isHarmless: operands.every(isHarmlessSetting) };
  if (program === "shopt") return judgeShopt(operands);
  if (program === "read") return judgeRead(operands);
  if (!ASSIGNING.has(program)) return undefined;
  const names = operands.filter(({ mayBeOption, isKnown }) => !(mayBeOption && isKnown));
  const isPlain =
    program !== "declare" && program !== "typeset" && program !== "local"
      ? operands.every(({ value, mayBeOption }) => !mayBeOption || !/[nC]/.test(value) || program === "export")
      : operands.every(({ value, mayBeOption }) => !mayBeOption || /^-[aArxgp]+$/.test(value));
  const judged = judgeNames(names, isPlain);
  const isExported = program === "export" || operands.some(({ value }) => /^-\w*x/.test(value));
  const isTight = names.every(({ value }) => !value.includes("=") || isHarmlessName(value.split("=")[0] as string));
  return { ...judged, isHarmless: judged.isHarmless && (!isExported || isTight) };
}

const READ_OPTIONS = optionList("-ers -a: -d: -i: -n: -N: -p: -t: -u:");

function judgeRead(operands: readonly ShellWord[]): BuiltinVerdict {
  const read = readOptions(operands, READ_OPTIONS);
  if (!read) return { doubt: "it assigns a variable that is not known", isHarmless: false };
  const arrays = read.options.flatMap(({ name, value }) => (name === "-a" && value ? [value] : []));
  return judgeNames([...arrays, ...read.operands], true);
}

function judgeNames(names: readonly ShellWord[], isPlain: boolean): BuiltinVerdict {
  for (const word of names) {
    const name = /^[^=+]*/.exec(word.value)?.[0] ?? "";
    const isNamed = word.isKnown || (word.value.includes("=") && !/[$`]/.test(name));
    if (!isNamed || EVALUATED.test(word.value))
      return { doubt: "it assigns a variable that is not known", isHarmless: false };
    const doubt = sensitiveName(name);
    if (doubt) return { doubt, isHarmless: false };
  }
  return { isHarmless: isPlain };
}

/** `test -v` evaluates subscripts, and a word that splits may become `-v …`. */
function judgeTest(operands: readonly ShellWord[]): BuiltinVerdict {
  const isHidden = operands.some(
    ({ isSplit, isKnown, value, paths }) => isSplit && !isKnown && !paths && !/^(?:\$[?#$!]|\$\{#\w+\})$/.test(value),
  );
  const isEvaluated = operands.some(
    ({ value }, index) => /^-[vR]$/.test(operands[index - 1]?.value ?? "") && !/^\w+$/.test(value),
  );
  return isHidden || isEvaluated
    ? { doubt: "a test of words that are not known before it runs", isHarmless: false }
    : { isHarmless: true };
}

function isHarmlessSetting({ value, isKnown }: ShellWord): boolean {
  return isKnown && /^(?:[-+][euxovfC]+|pipefail|errexit|nounset|xtrace|noglob|noclobber)$/.test(value);
}

function judgeShopt(operands: readonly ShellWord[]): BuiltinVerdict {
  const isPlain = operands.every(
    ({ value, isKnown }) =>
      isKnown && /^(?:-[suqp]+|nullglob|globstar|dotglob|failglob|nocaseglob|inherit_errexit)$/.test(value),
  );
  return isPlain ? { isHarmless: true } : { doubt: "shopt changes how the rest is read", isHarmless: false };
}
