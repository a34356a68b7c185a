// Shells and interpreters that read their program from their input.

import type { ShellDanger } from "../../contract/shell.ts";
import type { RedirectEffects } from "./redirects.ts";
import { isProcessSubstitution, type ShellWord } from "./shell-words.ts";
import type { Dialect } from "./syntax.ts";
import { dialectOf, isReadable, SHELLS } from "./wrappers.ts";

const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua[\d.]*|tclsh|Rscript|osascript|pwsh|irb|ts-node|tsx)$/i;

/** Whether it runs a file named in its arguments. */
export function isInterpreter(name: string): boolean {
  return SHELLS.has(name) || INTERPRETERS.test(name) || /^(?:source|\.|make)$/.test(name);
}

/** Whether a word is code in another language, passed to its interpreter (`python3 -c`, `node -e`). */
export function isCode(words: readonly string[], at: number): boolean {
  const [program = ""] = words;
  return (
    INTERPRETERS.test(program.slice(program.lastIndexOf("/") + 1)) &&
    /^-(?:c|e|E|p|pe|ne|r|-eval|-print)$/.test(words[at - 1] ?? "") &&
    /[\s"'`()=;]/.test(words[at] ?? "")
  );
}

export type ScriptInput =
  | { readonly script: string; readonly dialect: Dialect }
  | { readonly doubt: string }
  | { readonly danger: ShellDanger };

/** What a program that reads its program from its input would run; undefined if it does not. */
export function scriptInput(
  words: readonly ShellWord[],
  name: string,
  { isPiped, effects }: { readonly isPiped: boolean; readonly effects: RedirectEffects },
): ScriptInput | undefined {
  const isShell = SHELLS.has(name);
  const isSource = name === "source" || name === ".";
  if (!isShell && !isSource && !INTERPRETERS.test(name)) return undefined;
  const first = words.find(({ value, isKnown }, index) => index > 0 && !(isKnown && /^-./.test(value)));
  if (isSource) return first && isStream(first) ? { danger: pipeDanger(name) } : undefined;
  if (first && isStream(first))
    return isProcessSubstitution(first) || isPiped ? { danger: pipeDanger(name) } : undefined;
  const isCode = words
    .slice(1)
    .some(({ value }) => /^-(?:c|e|E|m|p|pe|ne|r|-eval|-print|-version|V|v|-help|h)$/.test(value));
  const readsInput = isShell
    ? first === undefined || words.some(({ value }) => /^-\w*s/.test(value))
    : first === undefined && !isCode;
  if (!readsInput) return undefined;
  if (effects.input) {
    if (!isShell) return undefined;
    return effects.input.isKnown && isReadable(name)
      ? { script: effects.input.value, dialect: dialectOf(name) }
      : { doubt: `what ${name} runs is not known before it runs` };
  }
  return isPiped ? { danger: pipeDanger(name) } : undefined;
}

function isStream(word: ShellWord): boolean {
  return isProcessSubstitution(word) || /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/.test(word.value);
}

function pipeDanger(name: string): ShellDanger {
  return { shape: `| ${name}`, reason: "it runs what another command prints" };
}
