// Commands that read or write files which their words do not name: a file lists them or contains further options, or
// an archive or a patch says what is written. Whoever may edit that file decides what the command does.

import type { ShellDanger } from "../../contract/shell.ts";
import { abbreviated, COMPILER } from "./option-names.ts";
import type { ShellWord } from "./shell-words.ts";

type Option = Pick<RegExp, "test">;

const TAR = /^(?:(?:bsd|g|s)?tar|bsdcpio)$/;
const SEVEN = /^(?:7z[azrz]?|p7zip|7zip)$/;

const LISTS = "reads further options or names of files from a file";
const SHOWS_KEYS = "shows private keys";

/** A rule must name every word of a command with such an option. */
const OPTIONS: readonly (readonly [program: RegExp, option: Option, what: string])[] = [
  [/^curl$/, /^-[\w#:]*K/, LISTS],
  [/^curl$/, abbreviated("config"), LISTS],
  // Only letters without a value before it: `-Ofile` names a file.
  [/^wget2?$/, /^-[bcdDEFhkKmnNpqrSvVx46]*[ei]/, LISTS],
  [/^wget2?$/, abbreviated("config", "execute", "input-file"), LISTS],
  [TAR, /^-\w*T/, LISTS],
  [TAR, abbreviated("files-from"), LISTS],
  [/^rsync$/, abbreviated("files-from"), LISTS],
  [/^(?:sort|wc|du|g(?:sort|wc|du))$/, abbreviated("files0-from"), LISTS],
  [/^zip$/, /^-\w*@/, LISTS],
  [SEVEN, /^(?:-\S*)?@/, LISTS],
  [/^(?:rar|unrar)$/, /^(?:-\S*)?@/, LISTS],
  [COMPILER, /^(?:@|-Wl,.*@)/, LISTS],
  [/^(?:ld(?:\.\w+)?|ar|nm|objcopy|objdump|strip|rustc|swiftc|kotlinc?|scalac?|java\w*|jar|csc|msbuild)$/, /^@/, LISTS],
  [/^(?:tsc|vue-tsc|py\.?test|mypy|pylint)$/, /^@/, LISTS],
  [/^gpg2?$/, abbreviated("options"), LISTS],
  [/^gpg2?$/, abbreviated("export-secret-keys", "export-secret-subkeys", "export-secret-ssh-key"), SHOWS_KEYS],
];

/** Options and subcommands with which a program writes what an archive names; a rule must name them. */
const UNPACKING: readonly (readonly [program: RegExp, option: Option])[] = [
  [TAR, /^-\w*[xP]/],
  [TAR, abbreviated("extract", "get", "absolute-names")],
  [/^dpkg(?:-deb)?$/, /^(?:-\w*[xXRe]|--(?:ext|vext|raw|con))/],
];

/** The same, as the first word. */
const FIRST: readonly (readonly [program: RegExp, word: RegExp])[] = [
  [TAR, /^\w*[xP]/],
  [SEVEN, /^(?:[xe]$|-d)/i],
  [/^(?:rar|unrar)$/, /^[xe]$/i],
  [/^jar$/, /^(?:-?\w*x|--ext)/],
  [/^ar$/, /^-?\w*x/],
];

/** Programs that write what their input names, whatever their words are. */
const ALWAYS = /^(?:(?:bsd)?cpio|pax|unar|unsquashfs|cabextract|patch)$/;

export function usesUnnamedFiles(words: readonly ShellWord[], name: string): ShellDanger | undefined {
  const texts = words.map(({ value }) => value);
  const because = (reason: string, named: readonly number[]): ShellDanger => ({
    shape: name,
    reason,
    ...(named.every((at) => words[at]?.isKnown) && { named }),
  });
  const all = [...words.keys()];
  for (const [program, is, what] of OPTIONS) {
    const found = program.test(name) ? texts.find((text, at) => at > 0 && is.test(text)) : undefined;
    if (found !== undefined) return because(`${name} ${found.slice(0, 40)} ${what}`, all);
  }
  // Without a dash, the first word of tar contains options as well: `tar cTf list a.tar`.
  if (TAR.test(name) && /^\w*T/.test(texts[1] ?? "")) return because(`${name} ${texts[1]} ${LISTS}`, all);
  if (name === "git") return appliesPatch(texts) ? because(UNPACKS, [0, 1]) : undefined;
  if (ALWAYS.test(name)) return because(UNPACKS, all);
  if (/^(?:bsd)?unzip$/.test(name)) return listsOnly(texts.slice(1)) ? undefined : because(UNPACKS, all);
  if (FIRST.some(([program, is]) => program.test(name) && is.test(texts[1] ?? ""))) return because(UNPACKS, [0, 1]);
  const at = texts.findIndex(
    (text, index) => index > 0 && UNPACKING.some(([program, is]) => program.test(name) && is.test(text)),
  );
  return at > 0 ? because(UNPACKS, [0, at]) : undefined;
}

const UNPACKS = "what it writes is decided by an archive or a patch";

/** unzip only lists or tests if that is its one option: a second one may take it back. */
function listsOnly(texts: readonly string[]): boolean {
  const [option = "", ...others] = texts.filter((text) => text.startsWith("-"));
  return others.length === 0 && texts[0] === option && /^-q*[ltvzZ][12lqtvz]*$/.test(option);
}

function appliesPatch([, subcommand = "", ...texts]: readonly string[]): boolean {
  if (subcommand === "am") return texts.every((text) => !/^--(?:abort|quit|skip|show)/.test(text));
  if (subcommand !== "apply") return false;
  return (
    !texts.some((text) => /^--(?:check|stat|numstat|summary)$/.test(text)) || texts.some((text) => /^--ap/.test(text))
  );
}
