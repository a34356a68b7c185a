// Commands that start a program which their words name: through an option (`tar --to-command`), as a setting that a
// later command obeys (`git config core.pager`), or because that is what the program is for (`tmux`). Only a rule that
// names every word of such a command allows it. unnamed-files.ts has those that take such words from a file.

import type { ShellDanger } from "../../contract/shell.ts";
import { SAFE_KEYS } from "./git.ts";
import { abbreviated, COMPILER } from "./option-names.ts";
import type { ShellWord } from "./shell-words.ts";
import { sensitiveName } from "./variables.ts";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Programs that run the program or the text in their words. Those that we look into are in wrappers.ts. */
const LAUNCHERS = setOf(
  "arch at batch bwrap cgexec chpst concurrently crontab cross-env dbus-launch dbus-run-session direnv dotenv dotenvx dumb-init expect fakechroot fakeroot faketime firejail gdb gosu heaptrack hyperfine lldb ltrace machinectl newgrp nix-shell nodemon nsenter numactl perf pkexec prlimit proot reflex rlwrap rr runcon screen setarch lima linux32 linux64 setpriv sg ssh-agent start-stop-daemon su-exec systemd-nspawn systemd-run tini tmux unshare valgrind watchexec wsl xcrun xvfb-run",
);

/** Options and operands with which a program starts another one or loads code. Long options may be abbreviated. */
const OPTIONS: readonly (readonly [program: RegExp, option: Pick<RegExp, "test">])[] = [
  [/^(?:bsd|g)?tar$/, /^(?:-\w*[IF]|--to-c|--checkpoint-|--use-c|--info-s|--new-v|--rsh|--rmt)/],
  [/^rsync$/, /^(?:-\w*[eM]|--rs|--remote-|--daemon|--config)/],
  [/^s(?:cp|ftp)$/, /^-\w*[oSFD]/],
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^--?(?:scr|shell|node-[og]|python$|python=|userc|globalc|git$|git=|config\.|init-m|ed|vi)/,
  ],
  [/^g?make$/, /^(?:-\w*[fE]|--f|--mak|--ev|\.?SHELL|MAKEFLAGS)/],
  [/^just$/, /^(?:-[fc]|--justfile|--shell|--command|--set)/],
  [/^task$/, /^(?:-t|--taskfile)/],
  [/^go$/, /^--?(?:exec|toolexec|vettool|overlay|extld|ldflags.*-extld)/],
  [/^cargo$/, abbreviated("config")],
  [
    COMPILER,
    /^(?:--?wrapper|-B|--pref|--?specs|-f(?:pass-)?plugin|-fuse-ld=.*\/|--ld-path|-load|-Xclang|-Wl,.*-plugin)/,
  ],
  [/^(?:ld(?:\.\w+)?|ar|nm|ranlib)$/, /^--?plugin/],
  [/^curl$/, abbreviated("engine")],
  [/^wget$/, abbreviated("use-askpass")],
  [/^zip$/, /^(?:-\w*T|--unz|--te)/],
  [/^helm$/, /^--post-r/],
  // A configuration as text may name any folder and program.
  [/^jest$/, /^(?:--?c[a-z]*=?)?\{/],
  [/^gpg2?$/, abbreviated("agent-program", "dirmngr-program", "pinentry-program", "exec-path", "photo-viewer")],
  [/^openssl$/, /^--?(?:engine|provider)/],
  [/^mvnw?$/, /(?:^|:)(?:exec|antrun|groovy|gmaven\w*)(?:-maven-plugin)?:/],
  [/^gradlew?$/, /^(?:-[DP].*(?:jvmargs|javaagent)|-\w*I|--init-s)/],
  [/^pip[\d.]*$/, /^--pytho?n?(?:$|=)/],
  [/^split$/, /^--fi/],
  [/^sort$/, /^--co/],
  [/^rg$/, /^--(?:pre(?:$|=)|hostname-bin)/],
  [/^man$/, /^(?:-\w*[PH]|--pa|--html|--br)/],
  [/^less$/, /^(?:-\w*k|--lesskey|\+)/],
];

const GIT_OPTIONS: readonly (readonly [subcommand: RegExp, option: RegExp])[] = [
  [/^(?:push|fetch|pull|clone|ls-remote|archive|send-pack|fetch-pack)$/, /^--(?:rece|exe|upl)/],
  [/^clone$/, /^(?:-[uc]|--conf|--templ)/],
  [/^init$/, /^--templ/],
  [/^grep$/, /^(?:-O|--op)/],
  [/^(?:difftool|mergetool)$/, /^(?:-\w*x|--ext|-t|--tool)/],
  [/^send-email$/, /-cmd|^--smtp-server/],
  [/^rebase$/, /^(?:-\w*x|--ex)/],
];

/** Subcommands that install programs, or change a setting which later commands of the same program obey. */
const SETTINGS: readonly (readonly [program: RegExp, words: RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun)$/, /^(?:(?:config|c) (?:set|edit|delete|--?\w)|set |pkg (?:set|fix))/],
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^(?:global |(?:i|in|install|add|link|ln|up|update|upgrade|un|uninstall|remove|rm) (?:.* )?(?:-\w*g|--global|--location=global)\b)/,
  ],
  [/^go$/, /^env .*-[wu]\b/],
  [/^pip[\d.]*$/, /^config (?:set|edit|unset)/],
  [/^(?:gh|glab)$/, /^(?:alias (?:set|import)|config set|extension |ext )/],
  [/^(?:composer|poetry|conda|bundle)$/, /^config /],
];

/** Subcommands that run what their words say and that we do not look into. They may follow options, so any word counts. */
const RUNNING: readonly (readonly [program: RegExp, words: RegExp])[] = [
  [/^nvm$/, / (?:exec|run) /],
  // A formatter or configuration from a file; names such as `-f json` come with the program.
  [/^eslint(?:_d)?$/, / (?:-[fc]|--(?:fo[a-z]*|con?f?i?g?|rul[a-z]*|parser|plugin|reso[a-z-]*))[ =]?\S*[/\\]/],
  [/^nix$/, / (?:run|shell|develop|-c|--command) /],
  [/^mise$/, / (?:exec|x|en) /],
  [/^(?:kubectl|stack|cabal|opam|tox|chamber|aws-vault)$/, / exec /],
  [/^(?:flatpak|snap|doppler|op|toolbox|devbox|limactl)$/, / (?:run|shell) /],
  [/^distrobox$/, / enter /],
  [/^(?:uv|dotnet)$/, / tool (?:run|execute|exec) /],
];

/** Options of `git config` that change the project's own settings or show some. */
const CONFIG_OPTION =
  /^(?:--local|--add|--replace-all|--unset(?:-all)?|--type=\w+|--bool|--int|--path|--name-only|--null|-z|--all)$/;

export function startsProgram(words: readonly ShellWord[], name: string): ShellDanger | undefined {
  const because = (reason: string): ShellDanger => ({
    shape: name,
    reason,
    ...(words.every(({ isKnown }) => isKnown) && { named: [...words.keys()] }),
  });
  if (LAUNCHERS.has(name)) return words.length > 1 ? because(`${name} runs what its words say`) : undefined;
  const texts = words.slice(1).map(({ value }) => value);
  if (name === "git") return gitStarts(words, because);
  // After `--`, words belong to a script, as in `npm test -- -g name`; make still reads assignments there.
  const dashes = /^g?make$/.test(name) ? -1 : texts.indexOf("--");
  const option = (dashes < 0 ? texts : texts.slice(0, dashes)).find((text) =>
    OPTIONS.some(([program, is]) => program.test(name) && is.test(text)),
  );
  // Without a dash, the first word of tar contains options as well: `tar xIf sh`.
  const bundle = /^(?:bsd|g)?tar$/.test(name) && /^[A-Za-z]*[IF][A-Za-z]*$/.test(texts[0] ?? "") ? texts[0] : undefined;
  const found = option ?? bundle;
  if (found !== undefined) return because(`${name} ${found.slice(0, 40)} may start another program`);
  const variable = /^g?make$/.test(name) ? texts.find(steersMake) : undefined;
  if (variable !== undefined) return because(`make puts ${variable.slice(0, 40)} into the commands that it runs`);
  const joined = texts.join(" ");
  if (RUNNING.some(([program, is]) => program.test(name) && is.test(` ${joined} `)))
    return because(`${name} runs what its words say`);
  return SETTINGS.some(([program, is]) => program.test(name) && is.test(joined))
    ? because("it installs programs or changes settings that later commands obey")
    : undefined;
}

/** A variable that shells or linkers obey, or a value that may be a program or a text for the shell. */
function steersMake(text: string): boolean {
  const [, name, value = ""] = /^([\w.-]+)\s*(?:[:?+!]{0,3}=)(.*)$/s.exec(text) ?? [];
  if (name === undefined) return false;
  return name === "MAKE" || sensitiveName(name) !== undefined || !/^[\w.,:@%+-]*$/.test(value);
}

function gitStarts(words: readonly ShellWord[], because: (reason: string) => ShellDanger): ShellDanger | undefined {
  const [subcommand = "", ...given] = words.slice(1).map(({ value }) => value);
  if (subcommand === "config") return changesConfig(words.slice(2)) ? because(CONFIGURES) : undefined;
  const option = given.find((text) => GIT_OPTIONS.some(([of, is]) => of.test(subcommand) && is.test(text)));
  return option === undefined
    ? undefined
    : because(`git ${subcommand} ${option.slice(0, 40)} may start another program`);
}

const CONFIGURES = "settings of git can name programs that run later";

/** Whether it may change more than a setting that affects texts and colours. */
function changesConfig(words: readonly ShellWord[]): boolean {
  const operands = words.filter(({ value, mayBeOption }) => !(mayBeOption && value.startsWith("-")));
  const options = words.filter((word) => !operands.includes(word));
  const [first] = operands;
  const verb = first?.isKnown && /^(?:set|unset|get|list)$/.test(first.value) ? first.value : undefined;
  const isReading =
    verb === "get" || verb === "list" || options.some(({ value }) => /^(?:--get|--list$|-l$)/.test(value));
  if (isReading) return false;
  if (operands.length === 1 && options.length === 0) return !first?.isKnown;
  const key = verb === undefined ? first : operands[1];
  const isPlain = options.every(({ value, isKnown }) => isKnown && CONFIG_OPTION.test(value));
  return !(isPlain && key?.isKnown && SAFE_KEYS.test(key.value));
}
