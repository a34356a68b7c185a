// The git hosts that this user has, and the repository that an address names. Only these hosts get requests: adding a
// remote to the repository does not add its host.

export interface GitHost {
  /** The name in addresses, such as github.com. */
  readonly name: string;
  readonly kind: "github" | "gitlab";
  /** Base address of the REST API, without a slash at the end. */
  readonly api: string;
  /** Base address of the web pages, without a slash at the end. */
  readonly web: string;
}

export interface RepoRef {
  readonly host: GitHost;
  /** `owner/name`. On GitLab, the owner may have several parts. */
  readonly path: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The public hosts, those that the user's variables name, and those that `gh` is logged in to. The API addresses come
 * from the variables that CI runners set.
 */
export function knownHosts(variables: Variables, loggedIn: readonly string[]): readonly GitHost[] {
  const hubServer = serverName(variables["GITHUB_SERVER_URL"]) ?? "github.com";
  const labServer = serverName(variables["CI_SERVER_URL"]) ?? "gitlab.com";
  const hubs = [variables["GH_HOST"], hubServer, "github.com", ...loggedIn].map((name) =>
    githubHost(name, name === hubServer ? variables["GITHUB_API_URL"] : undefined),
  );
  const labs = [variables["GITLAB_HOST"], labServer, "gitlab.com"].map((name) =>
    gitlabHost(name, name === labServer ? variables["CI_API_V4_URL"] : undefined),
  );
  const hosts = [...hubs, ...labs].filter((host) => host !== undefined);
  return hosts.filter((host, at) => hosts.findIndex(({ name }) => name === host.name) === at);
}

function githubHost(named: string | undefined, api: string | undefined): GitHost | undefined {
  const name = serverName(named);
  if (name === undefined) return undefined;
  const isHosted = name === "github.com" || name.endsWith(".ghe.com");
  const usual = isHosted ? `https://api.${name}` : `https://${name}/api/v3`;
  return { name, kind: "github", api: withoutSlash(api) ?? usual, web: `https://${name}` };
}

function gitlabHost(named: string | undefined, api: string | undefined): GitHost | undefined {
  const name = serverName(named);
  if (name === undefined) return undefined;
  return { name, kind: "gitlab", api: withoutSlash(api) ?? `https://${name}/api/v4`, web: `https://${name}` };
}

const withoutSlash = (address: string | undefined): string | undefined => address?.replace(/\/+$/, "") || undefined;

/** The host with its port. Some variables hold a name, others an address. */
function serverName(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = text.includes("://") ? text : `https://${text}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/**
 * The repository of an address that git clones from: `git@host:owner/name.git`, `ssh://…`, `https://…`. Undefined for a
 * path or another host.
 */
export function repoOfRemote(address: string, hosts: readonly GitHost[]): RepoRef | undefined {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(address);
  const url = URL.canParse(address) && /^(?:https?|ssh|git):/.test(address) ? new URL(address) : undefined;
  const [name, path] = url ? [url.protocol === "ssh:" ? url.hostname : url.host, url.pathname] : [scp?.[1], scp?.[2]];
  if (name === undefined || path === undefined) return undefined;
  return repoAt(name.toLowerCase().replace(/^ssh\.(?=github\.com$)/, ""), path, hosts);
}

function repoAt(name: string, path: string, hosts: readonly GitHost[]): RepoRef | undefined {
  const host = hosts.find((one) => one.name === name);
  const inside = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  return host && isRepoPath(inside, host) ? { host, path: inside } : undefined;
}

const isRepoPath = (path: string, { kind }: GitHost): boolean =>
  (kind === "github" ? /^[\w.-]+\/[\w.-]+$/ : /^[\w.-]+(?:\/[\w.-]+)+$/).test(path) &&
  !/(^|\/)\.{1,2}(\/|$)/.test(path);

/** The repository that a text names: `owner/name`, `host/owner/name`, or the address of one of its pages. */
export function repoOfText(text: string, hosts: readonly GitHost[], usual: GitHost): RepoRef | undefined {
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? repoOfPage(new URL(text), hosts)?.repo : undefined;
  const [first = "", ...rest] = text.split("/");
  const named = hosts.find(({ name }) => name === first.toLowerCase());
  if (named && rest.length >= 2) return repoAt(named.name, rest.join("/"), hosts);
  return repoAt(usual.name, text, hosts);
}

/** The repository of a page on a known host; `rest` is the part of the path after it. */
export function repoOfPage(
  { host: name, pathname }: URL,
  hosts: readonly GitHost[],
): { readonly repo: RepoRef; readonly rest: readonly string[] } | undefined {
  const host = hosts.find((one) => one.name === name.toLowerCase());
  if (!host) return undefined;
  const parts = pathname.split("/").filter((part) => part !== "");
  const end = host.kind === "github" ? 2 : parts.indexOf("-") < 0 ? parts.length : parts.indexOf("-");
  const repo = repoAt(host.name, parts.slice(0, end).join("/"), hosts);
  return repo && { repo, rest: parts.slice(host.kind === "github" ? end : end + 1) };
}
