// Sensitive files: those that make something run later (protected-files.ts has their names), and those that hold keys. Recognised by
// their path, in any directory, whatever the case of the letters: on some file systems it makes no difference.

import { programSteeredBy } from "../shell/protected-files.ts";

const CREDENTIAL_FILES = [
  /(^|\/)\.env(\.(?!example$|sample$|template$|dist$|defaults$)[^/]*)?$/,
  /(^|\/)\.(netrc|pgpass|my\.cnf|pypirc|git-credentials|htpasswd|vault-token)$/,
  /(^|\/)\.ssh\/(?!config$|known_hosts|authorized_keys$|[^/]*\.pub$)[^/]+$/,
  /(^|\/)\.aws\/(credentials|sso\/cache\/[^/]+|cli\/cache\/[^/]+)$/,
  /(^|\/)\.kube\/config$/,
  /(^|\/)\.(bash|zsh|sh|psql|mysql|python|node_repl|irb)_history$/,
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
  /** Files that run because of what the user has set up, with what runs each. */
  readonly programs?: ReadonlyMap<string, string>;
  /** What no path tells; without it only paths are looked at. */
  readonly onDisk?: {
    /** Git would run programs because of this file: a hook, or settings of a repository. */
    steersGit(path: string): boolean;
    /** Another name of a credential file. */
    isCredentialFile(path: string): boolean;
  };
}

/** A change to this file can make something run later that the user was not asked about. */
export const isProtected = (path: string, places: SensitivePlaces): boolean => readerOf(path, places) !== undefined;

/** The same as a sentence for people; undefined for any other file. */
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

/** Pull requests are checked out below `wt` of Lathe's home, one folder for each repository: what is in them is a project like any other. */
function pathInWorktree(path: string, latheHome: string): string | undefined {
  if (!isInside(path, `${latheHome}/wt`)) return undefined;
  const [, , ...inside] = path.slice(latheHome.length + "/wt/".length).split("/");
  return `/${inside.join("/")}`;
}

/** Below Lathe's home: stored credentials, tokens of its servers, the broker's vault and what its clients keep of it. */
const OWN_CREDENTIALS = [
  "auth.json",
  "auth-broker.token",
  "auth-gateway.token",
  "broker/vault.json",
  "cache/auth-broker-snapshot.enc",
];

/** Files of Lathe itself that hold credentials. */
export const ownCredentialFiles = (latheHome: string): string[] =>
  OWN_CREDENTIALS.map((name) => `${latheHome}/${name}`);

/** This file holds credentials. */
export function isCredentialFile(path: string, { userHome, latheHome, onDisk }: SensitivePlaces): boolean {
  const folded = path.toLowerCase();
  if (CREDENTIAL_FILES.some((pattern) => pattern.test(folded))) return true;
  // A project's .npmrc is settings; the user's own holds the tokens.
  if (path === `${userHome}/.npmrc` || ownCredentialFiles(latheHome).includes(path)) return true;
  return onDisk?.isCredentialFile(path) ?? false;
}

/**
 * Texts that a folder brings (instructions, skills, commands and what they include) never carry this file to a model: it holds keys, or
 * a repository's settings, in whose addresses passwords may be. A real path.
 */
export function mayHoldSecrets(path: string, places: SensitivePlaces): boolean {
  return isCredentialFile(path, places) || /\/\.git\//i.test(path);
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
