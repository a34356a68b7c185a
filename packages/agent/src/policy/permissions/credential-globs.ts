// Which sensitive files a word may refer to without naming them: through a glob, a name pattern, or a folder whose
// files are read.

import { globSource } from "../../world/env/search/gitignore.ts";
import {
  isCredentialFile,
  ownCredentialFiles,
  ownRecords,
  type SensitivePlaces,
  searchesCredentials,
} from "./sensitive-paths.ts";

/** Example files that may be in any folder, one for each kind. */
const ANYWHERE = [
  ".env",
  ".env.local",
  ".env.production",
  ".netrc",
  ".dockercfg",
  ".mylogin.cnf",
  ".bash_history",
  ".zsh_history",
  ".histfile",
  ".pgpass",
  ".my.cnf",
  ".pypirc",
  ".git-credentials",
  ".htpasswd",
  ".vault-token",
  ".terraformrc",
  ".s3cfg",
  ".boto",
  ".databrickscfg",
  "id_rsa",
  "id_ed25519",
  "key.pem",
  "prod.env",
  "server.key",
  "private.key",
  ".ssh/id_rsa",
  ".ssh/key",
  ".gnupg/secring.gpg",
  ".azure/credentials",
  ".aws/credentials",
  ".aws/sso/cache/token.json",
  ".kube/config",
  ".docker/config.json",
  ".config/gcloud/credentials.db",
  ".config/gh/hosts.yml",
  ".config/hub",
  ".config/glab-cli/config.yml",
  ".config/containers/auth.json",
  ".cache/huggingface/token",
  ".local/share/fish/fish_history",
  ".local/share/opencode/auth.json",
  ".gemini/oauth_creds.json",
  ".config/git/credentials",
  ".config/rclone/rclone.conf",
  ".cargo/credentials.toml",
  ".codex/auth.json",
  ".claude/.credentials.json",
  ".composer/auth.json",
  ".gem/credentials",
  ".m2/settings.xml",
  ".password-store/key.gpg",
  ".local/share/keyrings/login.keyring",
].map(segments);

function fixedPlaces({ userHome, latheHome }: SensitivePlaces): string[][] {
  const ofSystem = ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/proc/self/environ", "/proc/1/environ"];
  const ofMachine = [
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssl/private/x.key",
    "/dev/sda",
    "/dev/vda",
    "/dev/nvme0n1",
    "/dev/mem",
  ];
  const ofUser = [`${userHome}/.npmrc`, ...ownCredentialFiles(latheHome)];
  return [...ofSystem, ...ofMachine, ...ofUser].map(segments);
}

/** What a leading wildcard matches: shells leave hidden files out, name patterns do not. */
export type Wildcards = "as in a shell" | "hidden too";

/** Whether the path, or one that it may match, is a credential file. */
export function mayBeCredentialFile(path: string, places: SensitivePlaces, wildcards: Wildcards): boolean {
  if (isCredentialFile(path, places)) return true;
  return isGlob(path) && alternatives(path).some((glob) => mayMatch(glob, places, wildcards));
}

function mayMatch(glob: string, places: SensitivePlaces, wildcards: Wildcards): boolean {
  if (!isGlob(glob)) return isCredentialFile(glob, places);
  const parts = segments(glob);
  const fits = (names: readonly string[], from: number) =>
    names.every((name, index) => fitsName(parts[from + index] as string, name, wildcards));
  const isBelow = (folder: readonly string[]) => parts.length > folder.length && fits(folder, 0);
  if (ownRecords(places.latheHome).map(segments).some(isBelow)) return true;
  if (fixedPlaces(places).some((place) => place.length === parts.length && fits(place, 0))) return true;
  return ANYWHERE.some((names) => {
    const from = parts.length - names.length;
    // `*` alone names nothing in particular.
    if (from < 0 || parts.slice(from).every((part) => /^[*?]+$/.test(part))) return false;
    if (!fits(names.slice(0, -1), from)) return false;
    const folder = [...parts.slice(0, from), ...names.slice(0, -1)];
    return (
      fits(names, from) || (names.length > 1 && isCredentialFile(`/${[...folder, parts.at(-1)].join("/")}`, places))
    );
  });
}

/** Whether `tree` contains a credential folder or lies in one. */
export function mayHoldCredentials(tree: string, places: SensitivePlaces): boolean {
  const records = ownRecords(places.latheHome).map(segments);
  const homes = ANYWHERE.filter((names) => names.length > 1).map((names) => [
    ...segments(places.userHome),
    ...names.slice(0, -1),
  ]);
  return alternatives(tree).some((path) => {
    const parts = segments(path);
    return (
      searchesCredentials(path, undefined, places) ||
      [...fixedPlaces(places), ...records, ...homes].some((place) => overlaps(parts, place))
    );
  });
}

/** One may match the other, or be inside it. */
function overlaps(parts: readonly string[], place: readonly string[]): boolean {
  const shared = Math.min(parts.length, place.length);
  return parts.slice(0, shared).every((part, index) => fitsName(part, place[index] as string, "as in a shell"));
}

export function fitsName(glob: string, name: string, wildcards: Wildcards): boolean {
  if (!isGlob(glob)) return glob.toLowerCase() === name.toLowerCase();
  if (wildcards === "as in a shell" && name.startsWith(".") && !glob.startsWith(".")) return false;
  const short = glob.replace(/\*+/g, "*");
  // Every character except a star matches one character, with at most one backslash before it; so a pattern that is too
  // long need not be compiled.
  if (short.replaceAll("*", "").length > 2 * name.length) return false;
  return new RegExp(`^${globSource(short)}$`, "si").test(name);
}

export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text);
}

export function segments(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

/**
 * The globs that braces expand to; a bracket may match any character. If there are too many, a `*` replaces the
 * braces.
 */
export function alternatives(glob: string): readonly string[] {
  return fewAlternatives(glob) ?? [glob.replace(/\{.*\}/s, "*")];
}

/** Undefined if there are too many. */
export function fewAlternatives(glob: string): readonly string[] | undefined {
  let open = [glob.replace(/\[[!^]?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]/g, "?")];
  for (let round = 0; round < 8 && open.length <= MOST_ALTERNATIVES && open.some((text) => BRACES.test(text)); round++)
    open = open.flatMap((text) => {
      const [braces, inside = ""] = BRACES.exec(text) ?? [];
      if (braces === undefined) return [text];
      const choices = inside.includes(",") ? inside.split(",") : ["*"];
      return choices.map((choice) => text.replace(braces, () => choice));
    });
  const isLeft = open.length > MOST_ALTERNATIVES || open.some((text) => BRACES.test(text));
  return isLeft ? undefined : open.map((text) => text.replace(/[{}]/g, "*"));
}

const MOST_ALTERNATIVES = 256;
const BRACES = /\{([^{}]*)\}/;
