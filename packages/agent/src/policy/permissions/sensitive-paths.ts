// Sensitive files: those that make something run later (protected-files.ts has their names), and those that contain
// keys. Recognised by their path, in any directory, ignoring case, because some file systems do.

import { programSteeredBy } from "../shell/protected-files.ts";

/** A file with one of these endings is source code, a page or a public key, whatever its name begins with. */
const NOT_A_KEY = "pub|[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|c|h|cc|cpp|cs|md|html?";

/** Words in the names of private keys that end in `.key`; other files with that ending may be texts or data. */
const KEY_WORDS =
  "private|privkey|priv|server|client|tls|ssl|https?|ca|root|cert|host|localhost|master|signing|deploy|release|secret|gpg|pgp|ssh|rsa|ecdsa|ed25519|vpn|wireguard|com|org|net|dev|app|local|internal";

// docs/permissions.md has the same table for the user.
const CREDENTIAL_FILES = [
  /(^|\/)\.env(\.(?!example$|sample$|template$|dist$|defaults$)[^/]*)?$/,
  /(^|\/)(?!(?:[^/]*[._-])?(?:example|sample|template|dist|defaults?)\.env$)[^/]+\.env$/,
  /(^|\/)(?<!\/templates\/)(credentials|secrets)\.(json|ya?ml|toml)$/,
  /(^|\/)(client_secrets?|service[-_]?account|application_default_credentials)[^/]*\.json$/,
  /(^|\/)\.(netrc|pgpass|my\.cnf|mylogin\.cnf|pypirc|git-credentials|htpasswd|vault-token|dockercfg)$/,
  /(^|\/)\.config\/git\/credentials$/,
  /(^|\/)\.ssh\/(?!config$|known_hosts|authorized_keys$|[^/]*\.pub$)[^/]+$/,
  /(^|\/)\.aws\/(credentials|sso\/cache\/[^/]+|cli\/cache\/[^/]+)$/,
  /(^|\/)\.kube\/config$/,
  // What was typed into shells and other programs.
  /(^|\/)\.(bash|zsh|k?sh|mksh|ash|psql|mysql|mariadb|sqlite|rediscli|python|node_repl|irb)_history$/,
  /(^|\/)(\.zhistory|\.histfile|fish_history|consolehost_history\.txt)$/,
  /(^|\/)nushell\/history\.(txt|sqlite3(-wal)?)$/,
  /(^|\/)\.docker\/config\.json$/,
  /(^|\/)\.config\/(gcloud|gh|glab-cli|hub|op|doctl|heroku|sops)(\/|$)/,
  /(^|\/)\.config\/github-copilot\/(hosts|apps)\.json$/,
  /(^|\/)containers\/auth\.json$/,
  /(^|\/)\.?huggingface\/(token|stored_tokens)$/,
  /(^|\/)\.cargo\/credentials(\.toml)?$/,
  /(^|\/)\.terraform\.d\/credentials\.tfrc\.json$/,
  /(^|\/)\.(terraformrc|s3cfg|boto|databrickscfg)$/,
  /(^|\/)(\.local\/share\/opencode\/auth|oauth_creds)\.json$/,
  /(^|\/)\.(codex\/auth|claude\/\.credentials|composer\/auth|config\/composer\/auth)\.json$/,
  /(^|\/)\.gem\/credentials$/,
  /(^|\/)\.gradle\/gradle\.properties$/,
  /(^|\/)\.m2\/settings(-security)?\.xml$/,
  /(^|\/)\.config\/rclone\/rclone\.conf$/,
  /(^|\/)(\.local\/share\/(keyrings|kwalletd)|\.password-store|library\/keychains)\//,
  // Browsers: stored logins and cookies.
  /\/(\.mozilla|firefox)\/.*\/(logins\.json|key[34]\.db|cookies\.sqlite)(-wal)?$/,
  /\/(google-chrome|chrome|chromium|brave-browser|microsoft-edge)[^/]*\/(.*\/)?(login data[^/]*|cookies|web data)(-journal)?$/,
  /^\/etc\/g?shadow-?$/,
  /^\/etc\/ssl\/private\//,
  /(^|\/)ssh_host_[a-z0-9]+_key$/,
  /^\/proc\/([^/]+\/(task\/[^/]+\/)?(environ|mem)|kcore)$/,
  // Disks and memory, which contain every file and every process.
  /^\/dev\/(r?disk\d|[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|dm-\d|md\d|k?mem$|port$)[^/]*$/,
  /(^|\/)\.azure\//,
  /(^|\/)\.gnupg\//,
  new RegExp(`(^|/)id_(rsa|dsa|ecdsa|ed25519)(?![^/]*\\.(?:${NOT_A_KEY})$)[^/]*$`),
  new RegExp(`(^|/)(?:[^/]*[._-])?(?:${KEY_WORDS})(?:[._-][^/]*)?\\.key$`),
  /\.(pem|p12|pfx|ppk|jks|keystore|kdbx)$/,
];

/** Credential folders: a search inside one is a search for credentials. */
const CREDENTIAL_FOLDERS = [
  /(^|\/)\.(ssh|gnupg|aws|azure|docker|kube|password-store|mozilla)(\/|$)/,
  /(^|\/)(\.local\/share\/(keyrings|kwalletd)|library\/keychains)(\/|$)/,
  /(^|\/)\.config\/(google-chrome|chromium|bravesoftware|microsoft-edge)[^/]*(\/|$)/,
  /(^|\/)\.config(\/(gcloud|gh|git|glab-cli|hub|rclone|op|doctl|heroku|sops)(\/.*)?)?$/,
];

/** The locations of the user's own files. */
export interface SensitivePlaces {
  /** Real paths. */
  readonly userHome: string;
  readonly latheHome: string;
  /** Files that run because of the user's settings, with what runs each. */
  readonly programs?: ReadonlyMap<string, string>;
  /** Checks on the disk; without them, only paths are compared. */
  readonly onDisk?: {
    /** Git would run programs because of this file: a hook, or settings of a repository. */
    steersGit(path: string): boolean;
    /** Whether it is another name of a credential file. */
    isCredentialFile(path: string): boolean;
  };
}

/** Changing this file can make something run later that the user was not asked about. */
export const isProtected = (path: string, places: SensitivePlaces): boolean => readerOf(path, places) !== undefined;

/** The same as a sentence for the user; undefined for any other file. */
export function protectionOf(path: string, places: SensitivePlaces): string | undefined {
  const reader = readerOf(path, places);
  return reader && `A change to ${path} can make programs run later: ${reader} reads it.`;
}

function readerOf(path: string, { userHome, latheHome, programs, onDisk }: SensitivePlaces): string | undefined {
  const inWorktree = pathInWorktree(path, latheHome);
  if (isInside(path, latheHome) && inWorktree === undefined) return "Lathe";
  const steered = programSteeredBy(inWorktree ?? path, userHome);
  return programs?.get(path) ?? steered ?? (onDisk?.steersGit(path) ? "git" : undefined);
}

/**
 * Pull requests are checked out in `wt` below Lathe's home, one folder per repository: their content is an ordinary
 * project.
 */
function pathInWorktree(path: string, latheHome: string): string | undefined {
  if (!isInside(path, `${latheHome}/wt`)) return undefined;
  const [, , ...inside] = path.slice(latheHome.length + "/wt/".length).split("/");
  return `/${inside.join("/")}`;
}

/**
 * Below Lathe's home: stored credentials, tokens of its servers, the broker's vault and its clients' copy, and settings
 * in which users write keys literally. In a project, settings with these names are ordinary files.
 */
const OWN_CREDENTIALS = [
  "auth.json",
  "models.yml",
  "models.json",
  "mcp.json",
  "oauth.yml",
  "auth-broker.token",
  "auth-gateway.token",
  "broker/vault.json",
  "cache/auth-broker-snapshot.enc",
];

/**
 * Folders below Lathe's home that keep texts of all projects: sessions, earlier contents of files, which may be those of
 * a `.env`, and what servers store. The product's own addresses (`artifact://` and others) do not go through paths.
 */
const OWN_RECORDS = [
  "blobs",
  "sessions",
  "locks",
  "terminal-sessions",
  "doors",
  "patches",
  "broker",
  "serve",
  "gateway",
  "coordinator",
  "extension-storage",
];

/** Empty if Lathe's home is not known. */
export const ownRecords = (latheHome: string): string[] =>
  /^\/*$/.test(latheHome) ? [] : OWN_RECORDS.map((name) => `${latheHome}/${name}`);

/** Tokens, and every prompt that the user typed. */
const OWN_FILE = /^(?:auth[^/]*|history\.db[^/]*)$/;

function isOwnRecord(path: string, latheHome: string): boolean {
  if (/^\/*$/.test(latheHome) || !path.startsWith(`${latheHome}/`)) return false;
  return (
    OWN_FILE.test(path.slice(latheHome.length + 1)) ||
    ownRecords(latheHome).some((folder) => path.startsWith(`${folder}/`))
  );
}

/** Files of Lathe itself that hold credentials. */
export const ownCredentialFiles = (latheHome: string): string[] =>
  OWN_CREDENTIALS.map((name) => `${latheHome}/${name}`);

/** Whether this file contains credentials. */
export function isCredentialFile(path: string, { userHome, latheHome, onDisk }: SensitivePlaces): boolean {
  const folded = path.toLowerCase();
  if (CREDENTIAL_FILES.some((pattern) => pattern.test(folded))) return true;
  // A project's .npmrc contains settings; the user's own contains tokens.
  if (path === `${userHome}/.npmrc` || path === `${userHome}/.yarnrc.yml`) return true;
  if (ownCredentialFiles(latheHome).includes(path)) return true;
  if (isOwnRecord(path, latheHome)) return true;
  return onDisk?.isCredentialFile(path) ?? false;
}

/**
 * Texts that come with a folder (instructions, skills, commands and what they include) never pass this file to a model:
 * it contains keys, or a repository's settings, whose addresses may contain passwords. Takes a real path.
 */
export function mayHoldSecrets(path: string, places: SensitivePlaces): boolean {
  return isCredentialFile(path, places) || /\/\.git\//i.test(path);
}

/**
 * The search is for credentials: it begins in a credential folder, or its filter names such files. Other searches skip
 * them.
 */
export function searchesCredentials(root: string, filter: string | undefined, places: SensitivePlaces): boolean {
  const folded = root.toLowerCase();
  if (root === places.latheHome || CREDENTIAL_FOLDERS.some((pattern) => pattern.test(folded))) return true;
  if (ownRecords(places.latheHome).includes(root)) return true;
  return filter !== undefined && !filter.startsWith("!") && isCredentialFile(`${root}/${filter}`, places);
}

/** Whether the path is the directory itself or inside it. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
