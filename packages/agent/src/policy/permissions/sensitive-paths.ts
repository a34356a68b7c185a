// Sensitive files: those that make something run later, and those that hold keys. Recognised by their path, in
// any directory, whatever the case of the letters: on some file systems it makes no difference.

/** Everything below a directory of one of these names, and a file of that name. */
const CONFIGURES_PROGRAMS = [
  ".git",
  ".lathe",
  ".ssh",
  ".husky",
  ".vscode",
  ".idea",
  ".claude",
  ".codex",
  ".gemini",
  ".cursor",
  ".opencode",
  ".devcontainer",
];

const STARTUP_FILES = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".inputrc",
  ".env",
  ".envrc",
  ".gitconfig",
  ".gitmodules",
  ".mcp.json",
  ".netrc",
  ".npmrc",
  ".pythonrc",
  ".vimrc",
  ".xinitrc",
  ".xprofile",
  ".tmux.conf",
  ".direnvrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pre-commit-config.yaml",
  ".pre-commit-config.yml",
];

/** What servers run after a push, with the project's secrets. */
const CI_FILES = [
  /(^|\/)\.(github\/(workflows|actions)|circleci|buildkite|gitea\/workflows|forgejo\/workflows|woodpecker)\//,
  /(^|\/)(\.gitlab-ci|\.travis|\.drone|\.woodpecker|\.appveyor|appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild)\.ya?ml$/,
  /(^|\/)jenkinsfile$/,
  // A folder can be moved there with the files in it.
  /(^|\/)\.(github(\/(workflows|actions))?|(gitea|forgejo)(\/workflows)?|circleci|buildkite|woodpecker)$/,
];

/** Files whose name alone says nothing. */
const PROGRAM_SETTINGS = [/(^|\/)\.cargo(\/config(\.toml)?)?$/, /(^|\/)\.kube(\/config)?$/, /(^|\/)\.direnv(\/|$)/];

/** Below the home directory: where programs look for what to start. */
const HOME_CONFIGURATION = [".config", ".local/bin", ".local/share/systemd", "bin", "library/launchagents"];

const CREDENTIAL_FILES = [
  /(^|\/)\.env(\.(?!example$|sample$|template$|dist$|defaults$)[^/]*)?$/,
  /(^|\/)\.(netrc|pgpass|my\.cnf|pypirc|git-credentials|htpasswd|vault-token)$/,
  /(^|\/)\.ssh\/(?!config$|known_hosts|authorized_keys$|[^/]*\.pub$)[^/]+$/,
  /(^|\/)\.aws\/(credentials|sso\/cache\/[^/]+|cli\/cache\/[^/]+)$/,
  /(^|\/)\.kube\/config$/,
  /(^|\/)\.docker\/config\.json$/,
  /(^|\/)\.config\/(gcloud|gh|hub)(\/|$)/,
  /(^|\/)\.cargo\/credentials(\.toml)?$/,
  /(^|\/)\.terraform\.d\/credentials\.tfrc\.json$/,
  /(^|\/)\.(terraformrc|s3cfg|boto|databrickscfg)$/,
  /(^|\/)\.(codex\/auth|claude\/\.credentials|composer\/auth|config\/composer\/auth)\.json$/,
  /(^|\/)\.gem\/credentials$/,
  /(^|\/)\.m2\/settings(-security)?\.xml$/,
  /(^|\/)\.config\/rclone\/rclone\.conf$/,
  /(^|\/)(\.local\/share\/keyrings|\.password-store|library\/keychains)\//,
  // Browsers: what they log in with.
  /\/(\.mozilla|firefox)\/.*\/(logins\.json|key[34]\.db|cookies\.sqlite)(-wal)?$/,
  /\/(google-chrome|chrome|chromium|brave-browser|microsoft-edge)[^/]*\/(.*\/)?(login data[^/]*|cookies|web data)(-journal)?$/,
  /^\/etc\/g?shadow-?$/,
  /^\/proc\/[^/]+\/(task\/[^/]+\/)?environ$/,
  /(^|\/)\.azure\//,
  /(^|\/)\.gnupg\//,
  /(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|p12|pfx|jks|keystore|kdbx)$/,
];

/** Places made for credentials: a search in one is a search for them. */
const CREDENTIAL_FOLDERS = [
  /(^|\/)\.(ssh|gnupg|aws|azure|docker|kube|password-store|mozilla)(\/|$)/,
  /(^|\/)(\.local\/share\/keyrings|library\/keychains)(\/|$)/,
  /(^|\/)\.config\/(google-chrome|chromium|bravesoftware|microsoft-edge)[^/]*(\/|$)/,
  /(^|\/)\.config(\/(gcloud|gh|hub|rclone)(\/.*)?)?$/,
];

/** Where the person's own files are. */
export interface SensitivePlaces {
  /** Real paths. */
  readonly userHome: string;
  readonly latheHome: string;
  /** Files that are run by what the user has set up. */
  readonly programs?: readonly string[];
  /** What no path tells; without it only paths are looked at. */
  readonly onDisk?: {
    /** Git would run programs because of this file: a hook, or settings of a repository. */
    steersGit(path: string): boolean;
    /** Another name of a credential file. */
    isCredentialFile(path: string): boolean;
  };
}

/** A change to this file can make something run later that the user was not asked about. */
export function isProtected(path: string, { userHome, latheHome, programs, onDisk }: SensitivePlaces): boolean {
  if (programs?.includes(path)) return true;
  const folded = path.toLowerCase();
  const parts = folded.split("/");
  if (parts.some((part) => CONFIGURES_PROGRAMS.includes(part))) return true;
  if (STARTUP_FILES.includes(parts.at(-1) ?? "")) return true;
  if ([...PROGRAM_SETTINGS, ...CI_FILES].some((pattern) => pattern.test(folded))) return true;
  if (isInside(path, latheHome) || onDisk?.steersGit(path)) return true;
  const home = userHome.toLowerCase();
  return HOME_CONFIGURATION.some((name) => isInside(folded, `${home}/${name}`));
}

/** This file holds credentials. */
export function isCredentialFile(path: string, { userHome, latheHome, onDisk }: SensitivePlaces): boolean {
  const folded = path.toLowerCase();
  if (CREDENTIAL_FILES.some((pattern) => pattern.test(folded))) return true;
  // A project's .npmrc is settings; the user's own holds the tokens.
  if (path === `${latheHome}/auth.json` || path === `${userHome}/.npmrc`) return true;
  return onDisk?.isCredentialFile(path) ?? false;
}

/**
 * A search here is after credentials: it begins in a place made for them, or its filter names such files. Any other search
 * leaves them out.
 */
export function searchesCredentials(root: string, filter: string | undefined, places: SensitivePlaces): boolean {
  const folded = root.toLowerCase();
  if (root === places.latheHome || CREDENTIAL_FOLDERS.some((pattern) => pattern.test(folded))) return true;
  return filter !== undefined && !filter.startsWith("!") && isCredentialFile(`${root}/${filter}`, places);
}

/** The directory itself, or something below it. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
