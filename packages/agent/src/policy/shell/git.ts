// git: its options before the subcommand are skipped, so that `git -C dir log` counts as `git log`, and programs that
// it runs are found.

import type { ShellWord } from "./shell-words.ts";
import type { Unwrapped } from "./unwrapped.ts";

// Settings that affect texts and colours and run nothing.
export const SAFE_KEYS =
  /^(?:user\.(?:name|email)|color\..+|column\..+|advice\..+|core\.(?:quotepath|abbrev|autocrlf|safecrlf|ignorecase)|init\.defaultbranch|log\.(?:date|decorate)|diff\.(?:renames|renamelimit|algorithm|context|mnemonicprefix|noprefix)|status\.(?!submodulesummary$).+|commit\.gpgsign|tag\.gpgsign|pull\.(?:rebase|ff)|merge\.(?:ff|conflictstyle)|push\.default|rebase\.(?:autosquash|autostash)|fetch\.prune|gc\.auto|protocol\.version)$/i;

/** Skips options before the subcommand, and looks into subcommands that run commands. */
export function gitInner(words: readonly ShellWord[]): Unwrapped {
  let at = 1;
  let path = "";
  let isUnknown = false;
  for (; at < words.length; at++) {
    const { value, isKnown, mayBeOption } = words[at] as ShellWord;
    if (!mayBeOption) break;
    if (!isKnown) return { doubt: "an option of git is not known before it runs" };
    if (value === "-C") {
      const directory = words[++at];
      path = join(path, directory?.value ?? "");
      if (directory?.isSplit) return { doubt: "an option of git is not known before it runs" };
      isUnknown ||= !directory?.isKnown;
    } else if (value === "-c") {
      const setting = words[++at];
      const key = setting?.value.split("=")[0] ?? "";
      if (!setting?.isKnown || !SAFE_KEYS.test(key)) return { doubt: `git -c ${key} may run a command` };
    } else if (
      !/^(?:-p|-P|--paginate|--no-pager|--no-optional-locks|--literal-pathspecs|--no-replace-objects|--version|--help|-v|-h)$/.test(
        value,
      )
    ) {
      return { doubt: `git ${value} is not understood` };
    } else if (/^(?:--version|--help|-v|-h)$/.test(value)) return undefined;
  }
  if (at > 1) {
    const inner = [words[0] as ShellWord, ...words.slice(at)];
    const directory = path === "" && !isUnknown ? {} : { directory: { path: isUnknown ? undefined : path } };
    return inner.length === 1 ? undefined : { name: "git", inner: { words: inner }, ...directory };
  }
  return runBySubcommand(words);
}

function join(from: string, path: string): string {
  return path.startsWith("/") || from === "" ? path : `${from}/${path}`;
}

function runBySubcommand(words: readonly ShellWord[]): Unwrapped {
  const subcommand = words[1]?.value;
  const rest = words.slice(2);
  const doubt = (what: string) => ({ doubt: `git ${subcommand} ${what} runs a command` });
  if (subcommand === "bisect" && rest[0]?.value === "run")
    return rest.length === 1
      ? undefined
      : { name: "git bisect run", inner: { words: rest.slice(1), at: 3 }, isJudged: true };
  if (subcommand === "submodule" && rest.some(({ value }) => value === "foreach")) return doubt("foreach");
  if (subcommand === "rebase" && rest.some(({ value }) => /^(?:-\w*x|--ex)/.test(value))) return doubt("--exec");
  if (subcommand === "filter-branch") return doubt("");
  return undefined;
}
