// Finds out facts about a file that only the disk can tell: that it makes git run programs, or that it is a credential
// file under another name. Checked for each call, since both can change during a session.

import { existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isCredentialFile, isInside, ownCredentialFiles, type SensitivePlaces } from "@lathe/agent/policy";

type Homes = Pick<SensitivePlaces, "userHome" | "latheHome">;

export function onDisk(homes: Homes): NonNullable<SensitivePlaces["onDisk"]> {
  return {
    steersGit: (path) => steersGit(path, homes),
    isCredentialFile: (path) => isOtherName(path, homes),
  };
}

/**
 * Whether the path is part of a repository's own files, wherever those are, or of a folder that settings name for
 * hooks.
 */
function steersGit(path: string, { userHome }: Homes): boolean {
  const ofUser = [join(userHome, ".gitconfig"), join(userHome, ".config/git/config")];
  const isHook = (settings: readonly string[], from: string): boolean =>
    hookFolders(settings, from, userHome).some((folder) => isInside(path, folder));
  if (isHook(ofUser, userHome)) return true;
  for (let at = dirname(path); ; at = dirname(at)) {
    if (isGitDirectory(at, relative(at, path).split("/")[0] ?? "")) return true;
    if (existsSync(join(at, ".git")) && isHook([...ofUser, ...settingsOf(at)], at)) return true;
    if (at === dirname(at)) return false;
  }
}

/** Whether git would treat the directory as a repository once it contains something called `added`. */
function isGitDirectory(directory: string, added: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => name === added || existsSync(join(directory, name)));
}

function settingsOf(worktree: string): string[] {
  const gitDirectory = gitDirectoryOf(worktree);
  const shared = resolve(gitDirectory, readGitFile(join(gitDirectory, "commondir")).trim());
  return [join(shared, "config"), join(gitDirectory, "config.worktree")];
}

/** Relative folders are resolved against `from`. */
function hookFolders(settings: readonly string[], from: string, userHome: string): string[] {
  const named = settings.flatMap((file) => [
    ...readGitFile(file).matchAll(/^\s*(?:\[core\]\s*)?hookspath\s*=\s*(.+?)\s*$/gim),
  ]);
  return named.map(([, value = ""]) => {
    const plain = value.replace(/\s+[;#].*$/, "").replace(/^"(.*)"$/, "$1");
    const folder = resolve(from, plain.replace(/^~(?=\/)/, userHome));
    return existsSync(folder) ? realpathSync.native(folder) : folder;
  });
}

/** `.git` is either the directory or a file that names it. */
function gitDirectoryOf(worktree: string): string {
  const named = /^gitdir:\s*(.+)/.exec(readGitFile(join(worktree, ".git")))?.[1];
  return named === undefined ? join(worktree, ".git") : resolve(worktree, named.trim());
}

/** Empty if it is not a readable file. */
function readGitFile(file: string): string {
  try {
    return statOf(file)?.isFile() ? readFileSync(file, "utf8") : "";
  } catch {
    return ""; // we cannot read it, so git does not find hooks through it either
  }
}

/**
 * Whether the path is a hard link to one of the user's credential files, or to one in its own folder or in a folder
 * above. Nothing on the disk says which names a file has, so other folders are not searched.
 */
function isOtherName(path: string, homes: Homes): boolean {
  const stat = statOf(path);
  if (!stat?.isFile() || stat.nlink < 2) return false;
  return [...credentialFiles(homes), ...credentialsAbove(path)].some((file) => {
    const known = statOf(file);
    return known !== undefined && known.ino === stat.ino && known.dev === stat.dev;
  });
}

function credentialsAbove(path: string): string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at))
    found.push(...entriesOf(at).filter((file) => isCredentialFile(file, { userHome: "", latheHome: "" })));
  return found;
}

/**
 * Undefined if the path does not exist or cannot be checked: for example its name is too long, or we may not enter its
 * folder.
 */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const IN_HOME = [
  ".aws/credentials",
  ".bash_history",
  ".cache/huggingface/token",
  ".config/containers/auth.json",
  ".config/glab-cli/config.yml",
  ".dockercfg",
  ".gemini/oauth_creds.json",
  ".local/share/fish/fish_history",
  ".local/share/opencode/auth.json",
  ".mylogin.cnf",
  ".zsh_history",
  ".azure/msal_token_cache.json",
  ".boto",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".composer/auth.json",
  ".config/gh/hosts.yml",
  ".config/hub",
  ".config/rclone/rclone.conf",
  ".databrickscfg",
  ".docker/config.json",
  ".env",
  ".gem/credentials",
  ".git-credentials",
  ".kube/config",
  ".m2/settings.xml",
  ".my.cnf",
  ".netrc",
  ".npmrc",
  ".pgpass",
  ".pypirc",
  ".s3cfg",
  ".terraform.d/credentials.tfrc.json",
  ".vault-token",
];

const FOLDERS_IN_HOME = [".ssh", ".gnupg/private-keys-v1.d", ".local/share/keyrings"];

function credentialFiles({ userHome, latheHome }: Homes): string[] {
  const inFolders = FOLDERS_IN_HOME.flatMap((name) => entriesOf(join(userHome, name)));
  return [
    ...IN_HOME.map((name) => join(userHome, name)),
    ...inFolders,
    ...ownCredentialFiles(latheHome),
    join(latheHome, ".env"),
  ];
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return []; // the folder is missing or unreadable, so its files cannot be read through us
  }
}
