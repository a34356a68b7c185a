// Which settings of a repository make git start a program or open a connection. They lie in the repository's own files, so whoever
// made the folder wrote them: git is harmless there only when each setting is known to start nothing.

/** Settings that start nothing, `section.key` without the subsection. Any other one is a question. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|safecrlf|symlinks|longpaths|quotepath|abbrev|sparsecheckout|sparsecheckoutcone|untrackedcache|commentchar|compression|bigfilethreshold|packedgitlimit|sharedrepository|preloadindex|checkstat|trustctime|fscache|whitespace|multipackindex|commitgraph)|remote\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|gh-resolved|skipdefaultupdate|followremotehead|pushdefault)|branch\.(?!sort$).+|user\.(?:name|email|signingkey|useconfigonly)|author\..+|committer\..+|submodule\.(?:active|url|branch|ignore|fetchrecursesubmodules)|extensions\.(?:worktreeconfig|preciousobjects|noop|refstorage|relativeworktrees)|init\.defaultbranch|pull\..+|push\..+|fetch\..+|merge\.(?:ff|conflictstyle|renamelimit|stat|log)|rebase\..+|commit\.(?:gpgsign|verbose|cleanup|status)|tag\.gpgsign|color\..+|column\..+|advice\..+|gc\..+|pack\..+|maintenance\..+|receive\..+|transfer\..+|index\.(?:version|skiphash|sparse|recordendofindexentries|recordoffsettable)|feature\..+|status\.(?:short|branch|showstash|showuntrackedfiles|relativepaths|aheadbehind|renames|renamelimit|displaycommentprefix)|log\.(?:abbrevcommit|date|decorate|initialdecorationset|excludedecoration|diffmerges|follow|graphcolors|showroot|mailmap)|blame\.(?:blankboundary|coloring|date|showemail|showroot|markunblamablelines|markignoredlines)|format\.signoff|diff\.(?:renames|renamelimit|algorithm|context|interhunkcontext|mnemonicprefix|noprefix|colormoved|ignoresubmodules|wserrorhighlight|indentheuristic)|rerere\..+|versionsort\..+|worktree\..+|lfs\.(?:url|repositoryformatversion|locksverify|access)|gui\..+|vscode\..+|github\..+|safe\..+|http\.(?:postbuffer|version|lowspeedlimit|lowspeedtime))$/;

/** Settings that start nothing with such a value. A quote, a backslash or a comment in it is none of them. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  "core.fsmonitor": /^false$/,
  "submodule.update": /^(?:checkout|rebase|merge|none)$/,
  // A format of its own may check signatures, which starts gpg; so may an order.
  "format.pretty": /^[a-z]+$/,
  "branch.sort": /^-?(?!signature)[a-z]+(?::[a-z]+)?$/,
  "tag.sort": /^-?(?!signature)[a-z]+(?::[a-z]+)?$/,
  "blame.ignorerevsfile": /^[\w.-]+$/,
  // The index is read by its length.
  "extensions.objectformat": /^sha1$/,
};

/**
 * The first setting in a text of git's settings that may start a program; undefined when there is none. Lines are read one by one:
 * what spans several, or is written in a way that git and we might read differently, is a setting that is not understood.
 * `isTrusted`: the user trusts the repository, but what lies in the project can be edited without a question.
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

/** No file of the project decides what it does, where edits need no question. Folders of hooks are protected. */
function isOutsideProject(setting: string, value: string): boolean {
  if (setting === "core.hookspath") return true;
  const words = value.split(/[\s;|&"'()<>=!]+/).filter((word) => word !== "");
  if (/^include(?:if)?\.path$/.test(setting)) return /^[~/]/.test(words[0] ?? "");
  const isFile = (word: string, at: number): boolean =>
    /^(?![~/]).*\//.test(word) || (at > 0 && /^\w[\w-]*\.\w+$/.test(word));
  return !words.some(isFile);
}

const SECTION = /^\[([A-Za-z\d.-]+)(?:[ \t]+("(?:[^"\\]|\\.)*"))?\][ \t]*/;

/** A line that goes on in the next one, or holds control characters. */
function isOdd(line: string): boolean {
  return line.endsWith("\\") || /[^\t\P{Cc}]/u.test(line);
}

function isHarmless(setting: string, value: string, isSub: boolean): boolean {
  // Newer versions let an alias stand for a subcommand that is about to go.
  if (setting.startsWith("alias.")) return !isSub && setting !== "alias.whatchanged" && !/^[\s"'\\]*!/.test(value);
  return HARMLESS.test(setting) || HARMLESS_VALUES[setting]?.test(value) === true;
}
