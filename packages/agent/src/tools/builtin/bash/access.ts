// What a command in the lasting shell will access. The parser knows the text, but the state that earlier commands left
// in the shell may give its words another meaning, and then no part of it counts as harmless.

import type { ShellPart } from "../../../contract/shell.ts";
import type { Access, CallScope } from "../../../contract/tool.ts";
import { sensitiveName } from "../../../policy/shell/variables.ts";
import type { ShellState } from "../../../world/process/shell-state.ts";
import { commandAccess } from "../shell/access.ts";

/** Changes of the shell's state that affect what words mean. */
interface ShellChanges {
  readonly first: ShellState;
  readonly now: ShellState;
}

export async function lastingAccess(
  command: string,
  cwd: string,
  scope: Pick<CallScope, "env" | "paths" | "services">,
  changes: ShellChanges | undefined,
): Promise<Access[]> {
  const set = [...(changes?.now.variables ?? [])].filter(([, { attributes }]) => attributes.includes("x"));
  const exported = scope.env.exported && new Set([...scope.env.exported, ...set.map(([name]) => name)]);
  const access = await commandAccess(command, cwd, { ...scope, exported });
  const whole = usesOwnDescriptors(command) ?? (changes && changedMeaning(changes));
  return access.map((item) => {
    if (item.kind !== "exec" || !item.part) return item;
    const doubt = item.part.doubt ?? whole ?? (changes && findRedefinition(item.part, changes));
    return doubt === undefined
      ? item
      : { ...item, part: { ...item.part, doubt, isHarmless: false, isReadOnly: false } };
  });
}

/** We read the shell's state through our own descriptors; a command that writes there would forge it. */
function usesOwnDescriptors(command: string): string | undefined {
  const isUsed = /[<>]&\s*(?:[3-9]|\d\d|["'$\\{(`])|\/dev\/fd|\/proc\/|\bread\s.*-\w*u|\bmapfile\b|\breadarray\b/.test(
    command,
  );
  return isUsed ? "it uses a descriptor that may be the shell's own" : undefined;
}

/** Shell options that do not change how a text is read. */
const HARMLESS_OPTIONS =
  /^(?:errexit|nounset|pipefail|xtrace|verbose|errtrace|noclobber|globstar|nullglob|failglob|dotglob|inherit_errexit|lastpipe|checkwinsize|cmdhist|lithist|histappend|hashall|braceexpand)$/;

function changedMeaning({ first, now }: ShellChanges): string | undefined {
  for (const [name, { statement, attributes }] of now.variables) {
    if (first.variables.get(name)?.statement === statement) continue;
    if (name !== "OLDPWD" && sensitiveName(name) !== undefined) return `an earlier command changed ${name}`;
    if (/[inulc]/.test(attributes) && name !== "OPTIND") return `an earlier command gave ${name} a special type`;
  }
  for (const name of first.variables.keys())
    if (name !== "OLDPWD" && !now.variables.has(name) && sensitiveName(name) !== undefined)
      return `an earlier command removed ${name}`;
  const [before, after] = [first, now].map(({ options, shopts }) => new Set([...options.on, ...shopts.on]));
  for (const name of [...before!, ...after!])
    if (before!.has(name) !== after!.has(name) && !HARMLESS_OPTIONS.test(name) && name !== "expand_aliases")
      return `an earlier command switched the option ${name}`;
  for (const [signal, action] of now.traps)
    if (first.traps.get(signal) !== action) return `an earlier command set a trap for ${signal}`;
  return undefined;
}

/** A function or an alias may replace a program, a builtin or a wrapper. */
function findRedefinition({ words, outer, through }: ShellPart, { first, now }: ShellChanges): string | undefined {
  const names = [words[0], ...through, ...outer.map((form) => form.words[0])].filter((name) => name !== undefined);
  for (const name of names) {
    if (now.functions.has(name) && (!first.functions.has(name) || first.functionText !== now.functionText))
      return `${name} is a function that an earlier command defined`;
    const isExpanded = now.shopts.on.includes("expand_aliases") || now.options.on.includes("posix");
    if (isExpanded && now.aliases.has(name) && now.aliases.get(name) !== first.aliases.get(name))
      return `${name} is an alias that an earlier command defined`;
  }
  return undefined;
}
