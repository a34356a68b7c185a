// How Lathe calls git to look at a repository: git starts no program that the repository's own configuration names.

/** In front of the subcommand. Without monitor, hooks, pager and signature checks; the index is not written. */
export const INERT_GIT: readonly string[] = [
  "--no-pager",
  "--no-optional-locks",
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false"].flatMap((one) => ["-c", one]),
];

/** For `git diff`. Submodules have configurations of their own, so git compares their commits and does not enter them. */
export const INERT_DIFF: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--submodule=short",
  "--ignore-submodules=dirty",
];

/**
 * Without connections. A partial clone fetches missing objects with programs that its configuration names; only new
 * versions of git know the second variable.
 */
export const NO_TRANSPORT: Readonly<Record<string, string>> = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };

/** The same for a shell. */
export const INERT_GIT_COMMAND: string = `${Object.entries(NO_TRANSPORT)
  .map(([name, value]) => `${name}=${value} `)
  .join("")}git ${INERT_GIT.join(" ")}`;

/** The arguments that list the settings for `withoutFilters`. */
export const LIST_SETTINGS: readonly string[] = ["config", "--list", "--show-scope", "-z"];

/** The options that turn off the filters of a repository. */
export interface FilterChoice {
  /** In front of the subcommand. */
  readonly options: readonly string[];
  /** Names of the filters that do not run for a comparison although the repository configures them. */
  readonly off: readonly string[];
  /** A filter that no option can turn off. Git must not look at files then. */
  readonly stuck?: string;
}

/** Scopes that only the user writes. */
const USERS = new Set(["system", "global", "command"]);
const FILTER = /^filter\.(.*)\.(clean|smudge|process|required)$/s;

/** Gives every filter setting of the repository the value that the user's own configuration has, or none. */
export function withoutFilters(listing: string): FilterChoice {
  const fields = listing.split("\0");
  const users = new Map<string, string>();
  const repositorys = new Map<string, string>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const entry = fields[i + 1] ?? "";
    const end = entry.indexOf("\n");
    const key = end < 0 ? entry : entry.slice(0, end);
    if (!FILTER.test(key)) continue;
    (USERS.has(fields[i] ?? "") ? users : repositorys).set(key, end < 0 ? "true" : entry.slice(end + 1));
  }
  const options: string[] = [];
  const off = new Set<string>();
  for (const [key, theirs] of repositorys) {
    const [, name = "", kind] = FILTER.exec(key) ?? [];
    // Git splits an option at the first `=`.
    if (name.includes("=")) return { options: [], off: [], stuck: name };
    const own = users.get(key) ?? (kind === "required" ? "false" : "");
    options.push("-c", `${key}=${own}`);
    if ((kind === "clean" || kind === "process") && own !== theirs) off.add(name);
  }
  return { options, off: [...off] };
}
