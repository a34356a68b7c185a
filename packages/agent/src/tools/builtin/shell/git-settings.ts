// Which settings of a repository make git start a program. They lie in the repository's own files, so whoever made the folder wrote
// them: git is harmless there only when each setting is known to start nothing.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

/** Settings that start nothing, `section.key` without the subsection. Any other one is a question. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|safecrlf|symlinks|longpaths|quotepath|abbrev|sparsecheckout|sparsecheckoutcone|untrackedcache|commentchar|compression|bigfilethreshold|packedgitlimit|sharedrepository|preloadindex|checkstat|trustctime|fscache|whitespace|multipackindex|commitgraph)|remote\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|gh-resolved|promisor|partialclonefilter|skipdefaultupdate|followremotehead)|branch\..+|user\.(?:name|email|signingkey|useconfigonly)|author\..+|committer\..+|submodule\.(?:active|url|branch|ignore|fetchrecursesubmodules|recurse)|extensions\..+|init\.defaultbranch|pull\..+|push\..+|fetch\..+|merge\.(?:ff|conflictstyle|renamelimit|stat|log)|rebase\..+|commit\.(?:gpgsign|verbose|cleanup|status)|tag\.(?:gpgsign|sort)|color\..+|column\..+|advice\..+|gc\..+|pack\..+|maintenance\..+|receive\..+|transfer\..+|index\..+|feature\..+|status\..+|log\..+|blame\..+|format\.(?:pretty|signoff)|diff\.(?:renames|renamelimit|algorithm|context|interhunkcontext|mnemonicprefix|noprefix|colormoved|submodule|ignoresubmodules|wserrorhighlight|indentheuristic)|rerere\..+|versionsort\..+|worktree\..+|lfs\.(?:url|repositoryformatversion|locksverify|access)|gui\..+|vscode.*|github\..+|safe\..+|http\.(?:postbuffer|version|lowspeedlimit|lowspeedtime))$/;

/** The first setting in a text of git's settings that may start a program; undefined when there is none. */
export function programSetting(text: string): string | undefined {
  let section = "";
  // A backslash at the end continues a line.
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const [, name, rest] = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name.toLowerCase();
    const setting = (name === undefined ? line : (rest ?? "")).trim();
    if (setting === "" || /^[#;]/.test(setting)) continue;
    const [, key = "", value = ""] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(setting) ?? [];
    const full = `${section}.${key.toLowerCase()}`;
    if (key === "" || !isHarmless(full, value)) return key === "" ? setting.slice(0, 40) : full;
  }
  return undefined;
}

function isHarmless(setting: string, value: string): boolean {
  if (setting.startsWith("alias.")) return !/^["']?\s*!/.test(value);
  // As a truth value it switches on git's own.
  if (setting === "core.fsmonitor") return /^(?:true|false|)$/i.test(value);
  if (setting === "submodule.update") return !value.includes("!");
  return HARMLESS.test(setting.replace(/^(vscode|branch|submodule|remote)[.-].*\.(\w)/, "$1.$2"));
}

/** Why git is not harmless in the repository around `folder`: the setting that may start a program. */
export async function steeringSetting(folder: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const own = await gitFolder(folder, env);
  if (own === undefined) return undefined;
  const common = (await textOf(posix.join(own, "commondir"), env))?.trim();
  const shared = common === undefined ? own : posix.resolve(own, common);
  const modules = await namesIn(posix.join(shared, "modules"), env);
  const files = [
    ...new Set([own, shared].flatMap((place) => ["config", "config.worktree"].map((name) => posix.join(place, name)))),
    ...modules.map((name) => posix.join(shared, "modules", name, "config")),
  ];
  for (const file of files) {
    const found = programSetting((await textOf(file, env)) ?? "");
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether `git rebase --continue` would run commands here: they lie in a file that whoever made the folder may have written. */
export async function hasPreparedCommands(folder: string, env: ExecutionEnvironment): Promise<boolean> {
  const own = await gitFolder(folder, env);
  const steps = own === undefined ? "" : await textOf(posix.join(own, "rebase-merge/git-rebase-todo"), env);
  return /^[ \t]*(?:x|exec)[ \t]|^\[too]/m.test(steps ?? "");
}

/** The folder that git keeps for the repository `folder` lies in. */
async function gitFolder(folder: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const dotGit = posix.join(folder, ".git");
  const kind = (await env.stat(dotGit))?.kind;
  if (kind === "directory") return dotGit;
  if (kind === "file") {
    const [, path] = /^gitdir: (.+)$/m.exec((await textOf(dotGit, env)) ?? "") ?? [];
    return path === undefined ? dotGit : posix.resolve(folder, path);
  }
  const parent = posix.dirname(folder);
  return parent === folder ? undefined : gitFolder(parent, env);
}

const LARGEST = 200_000;

/** Undefined when there is no such file. One that is too large to be read here is not understood either. */
async function textOf(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const stat = await env.stat(path);
  if (stat?.kind !== "file") return undefined;
  return stat.size > LARGEST ? "[too] large = true" : env.readFile(path);
}

async function namesIn(folder: string, env: ExecutionEnvironment): Promise<readonly string[]> {
  if ((await env.stat(folder))?.kind !== "directory") return [];
  return (await env.listDirectory(folder, 1)).filter(({ isDir }) => isDir).map(({ name }) => name.replace(/\/$/, ""));
}
