// Which settings of a repository make git start a program or open a connection. They are in the repository's own files,
// so they may come from anyone: git is harmless there only if each setting is known to start nothing.

/** Settings that start nothing, as `section.key` without the subsection. The user is asked about any other one. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|safecrlf|symlinks|longpaths|quotepath|abbrev|sparsecheckout|sparsecheckoutcone|untrackedcache|commentchar|compression|bigfilethreshold|packedgitlimit|sharedrepository|preloadindex|checkstat|trustctime|fscache|whitespace|multipackindex|commitgraph)|remote\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|gh-resolved|skipdefaultupdate|followremotehead|pushdefault)|branch\.(?!sort$).+|user\.(?:name|email|signingkey|useconfigonly)|author\..+|committer\..+|submodule\.(?:active|url|branch|ignore|fetchrecursesubmodules)|extensions\.(?:worktreeconfig|preciousobjects|noop|refstorage|relativeworktrees)|init\.defaultbranch|pull\..+|push\..+|fetch\..+|merge\.(?:ff|conflictstyle|renamelimit|stat|log)|rebase\..+|commit\.(?:gpgsign|verbose|cleanup|status)|tag\.gpgsign|color\..+|column\..+|advice\..+|gc\..+|pack\..+|maintenance\..+|receive\..+|transfer\..+|index\.(?:version|skiphash|sparse|recordendofindexentries|recordoffsettable)|feature\..+|status\.(?:short|branch|showstash|showuntrackedfiles|relativepaths|aheadbehind|renames|renamelimit|displaycommentprefix)|log\.(?:abbrevcommit|date|decorate|initialdecorationset|excludedecoration|diffmerges|follow|graphcolors|showroot|mailmap)|blame\.(?:blankboundary|coloring|date|showemail|showroot|markunblamablelines|markignoredlines)|format\.signoff|diff\.(?:renames|renamelimit|algorithm|context|interhunkcontext|mnemonicprefix|noprefix|colormoved|ignoresubmodules|wserrorhighlight|indentheuristic)|rerere\..+|versionsort\..+|worktree\..+|lfs\.(?:url|repositoryformatversion|locksverify|access)|gui\..+|vscode\..+|github\..+|safe\..+|http\.(?:postbuffer|version|lowspeedlimit|lowspeedtime))$/;

/** Settings that start nothing if they have such a value, without quotes, backslashes or comments. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  "core.fsmonitor": /^false$/,
  "submodule.update": /^(?:checkout|rebase|merge|none)$/,
  // A custom format may check signatures, which starts gpg; so may a sort order.
  "format.pretty": /^[a-z]+$/,
  "branch.sort": /^-?(?!signature)[a-z]+(?::[a-z]+)?$/,
  "tag.sort": /^-?(?!signature)[a-z]+(?::[a-z]+)?$/,
  "blame.ignorerevsfile": /^[\w.-]+$/,
  // We parse the index by the length of its hashes.
  "extensions.objectformat": /^sha1$/,
};

/**
 * The first setting in a git configuration that may start a program; undefined if there is none. We read line by line:
 * a setting that spans several lines, or that git and we might read differently, counts as not understood. `isTrusted`:
 * the user trusts the repository, but files in the project can still be edited without approval.
 */
export function programSetting(
  text: string,
  isWorkTree?: (path: string) => boolean,
  isTrusted = false,
): string | undefined {
  let section = "";
  let isSub = false;
  for (const line of text.split(/\r?\n/)) {
    let rest = line.replace(/^[ \t]+/, "");
    for (let head = SECTION.exec(rest); head; head = SECTION.exec(rest)) {
      const [all, name = "", sub] = head;
      section = name.toLowerCase().split(".")[0] as string;
      isSub = sub !== undefined || name.includes(".");
      rest = rest.slice(all.length);
    }
    if (isOdd(line) && !isTrusted) return JSON.stringify(line.slice(0, 40));
    if (rest === "" || /^[#;]/.test(rest)) continue;
    const [, key = "", value = ""] = /^([A-Za-z][A-Za-z\d-]*)[ \t]*(?:=(.*))?$/.exec(rest) ?? [];
    const setting = `${section}.${key.toLowerCase()}`;
    if ((key === "" || section === "") && !isTrusted) return JSON.stringify(rest.slice(0, 40));
    if (setting === "core.worktree" && !isSub && isWorkTree?.(value.trim())) continue;
    if (isTrusted && isOutsideProject(setting, value.trim())) continue;
    if (!isHarmless(setting, value.trim(), isSub)) return setting;
  }
  return undefined;
}

/**
 * True if no file in the project, where edits need no approval, decides what the setting does. Hook folders are
 * protected anyway.
 */
function isOutsideProject(setting: string, value: string): boolean {
  if (setting === "core.hookspath") return true;
  const words = value.split(/[\s;|&"'()<>=!]+/).filter((word) => word !== "");
  if (/^include(?:if)?\.path$/.test(setting)) return /^[~/]/.test(words[0] ?? "");
  const isFile = (word: string, at: number): boolean =>
    /^(?![~/]).*\//.test(word) || (at > 0 && /^\w[\w-]*\.\w+$/.test(word));
  return !words.some(isFile);
}

const SECTION = /^\[([A-Za-z\d.-]+)(?:[ \t]+("(?:[^"\\]|\\.)*"))?\][ \t]*/;

/** A line that continues in the next one, or contains control characters. */
function isOdd(line: string): boolean {
  return line.endsWith("\\") || /[^\t\P{Cc}]/u.test(line);
}

function isHarmless(setting: string, value: string, isSub: boolean): boolean {
  // In newer versions of git, an alias may replace a subcommand that is about to be removed.
  if (setting.startsWith("alias.")) return !isSub && setting !== "alias.whatchanged" && !/^[\s"'\\]*!/.test(value);
  return HARMLESS.test(setting) || HARMLESS_VALUES[setting]?.test(value) === true;
}
