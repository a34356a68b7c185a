// What redirections read and write.

import type { ShellDanger } from "../../contract/shell.ts";
import { protectedPath } from "./protected-paths.ts";
import { isProcessSubstitution, type ShellWord } from "./shell-words.ts";

export interface RedirectEffects {
  readonly writes: string[];
  readonly reads: string[];
  /** The file to read is unknown until the command runs. */
  readsUnknown: boolean;
  /** The input is a file or a text. */
  hasInput: boolean;
  /** The text of a here-document or here-string. */
  input?: ShellWord | undefined;
  doubt?: string | undefined;
  danger?: ShellDanger | undefined;
}

export interface SeenRedirect {
  readonly operator: string;
  readonly target: ShellWord | undefined;
  readonly body: ShellWord | undefined;
}

export function noEffects(): RedirectEffects {
  return { writes: [], reads: [], readsUnknown: false, hasInput: false };
}

export function effectsOf(
  redirects: readonly SeenRedirect[],
  cwd: string | undefined,
  home: string | undefined,
): RedirectEffects {
  const effects = noEffects();
  for (const { operator, target, body } of redirects) {
    if (operator.startsWith("<") && operator !== "<>" && operator !== "<&") effects.hasInput = true;
    if (body || operator === "<<<") effects.input = body ?? target;
    else if (target && !isDescriptor(operator, target)) touch(effects, operator, target, cwd, home);
  }
  return effects;
}

/** `2>&1`, `<&-`. */
function isDescriptor(operator: string, { value, isKnown }: ShellWord): boolean {
  return (operator === ">&" || operator === "<&") && isKnown && /^(?:\d+-?|-)$/.test(value);
}

function touch(
  effects: RedirectEffects,
  operator: string,
  target: ShellWord,
  cwd: string | undefined,
  home: string | undefined,
): void {
  if (isProcessSubstitution(target)) return;
  const paths = target.isKnown ? [target.value] : target.paths?.filter((path) => !/[*?[\]{}]/.test(path));
  const isRead = operator === "<";
  if (isRead && !target.isKnown) effects.reads.push(...(target.paths?.filter((path) => !paths?.includes(path)) ?? []));
  if (!paths || paths.length === 0 || operator === "<&") {
    if (isRead) effects.readsUnknown ||= target.paths === undefined;
    else effects.doubt ??= "it writes to a file that is not known before it runs";
    return;
  }
  for (const path of paths) {
    if (/^\/+dev\/+(?:tcp|udp)\//.test(path)) effects.doubt ??= "it opens a connection";
    else if (isRead) effects.reads.push(path);
    else writeTo(effects, path, protectedPath(path, cwd, home));
  }
}

function writeTo(effects: RedirectEffects, path: string, protectedFile: string | undefined): void {
  if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(path)) return;
  effects.writes.push(path);
  if (/^\/+dev\//.test(path)) effects.danger ??= { shape: `> ${path}`, reason: "it writes to a device" };
  else if (protectedFile) effects.danger ??= { shape: `> ${path}`, reason: `it changes ${protectedFile}` };
}
