// The request for a search on a GitHub host: the same one that `gh api -X GET /search/… -f q=… -F per_page=…` sends.

import { ToolFailure } from "@lathe/agent";
import type { GithubArgs } from "@lathe/agent/tools";

const DEFAULT_LIMIT = 10;
const MOST = 50;
/** Matches queries that name a repository or owner themselves. */
const SCOPED = /(?:^|\s)-?(?:repo|org|user|owner):\S/i;

export const isScoped = (query: string | undefined): boolean => SCOPED.test(query ?? "");

type SearchOp = Extract<GithubArgs["op"], `search_${string}`>;

const PATHS: Readonly<Record<SearchOp, string>> = {
  search_issues: "/search/issues",
  search_prs: "/search/issues",
  search_code: "/search/code",
  search_commits: "/search/commits",
  search_repos: "/search/repositories",
};

export const isSearch = (op: GithubArgs["op"]): op is SearchOp => op in PATHS;

export interface SearchRequest {
  readonly path: string;
  readonly query: string;
  readonly limit: number;
}

/** `repo`: the repository to search, unless the query names one. */
export function searchRequest(
  args: GithubArgs & { op: SearchOp },
  repo: string | undefined,
  now: number,
): SearchRequest {
  const { op, query = "" } = args;
  if (op === "search_code" && query.trim() === "") throw new ToolFailure("search_code needs `query`.");
  const where = op === "search_repos" || isScoped(query) ? undefined : repo;
  const words = [
    query.trim(),
    dateQualifier(args, now),
    where === undefined ? "" : `repo:${where}`,
    op === "search_issues" ? "is:issue" : op === "search_prs" ? "is:pr" : "",
  ];
  const whole = words.filter((word) => word !== "").join(" ");
  const limit = limitOf("limit", args.limit, DEFAULT_LIMIT, MOST);
  return { path: `${PATHS[op]}?per_page=${limit}&q=${escapeQuery(whole)}`, query: whole, limit };
}

/** Escapes text the way gh does. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");

export function limitOf(name: string, wanted: number | undefined, usual: number, most: number): number {
  if (wanted === undefined) return usual;
  if (!Number.isFinite(wanted) || wanted < 1) throw new ToolFailure(`\`${name}\` must be at least 1.`);
  return Math.min(Math.floor(wanted), most);
}

function dateQualifier({ op, since, until, dateField = "created" }: GithubArgs, now: number): string {
  if (since === undefined && until === undefined) return "";
  if (op === "search_code") throw new ToolFailure("search_code takes no dates: leave out `since` and `until`.");
  const field =
    op === "search_commits"
      ? "committer-date"
      : op === "search_repos" && dateField === "updated"
        ? "pushed"
        : dateField;
  const [from, to] = [since && dateOf("since", since, now), until && dateOf("until", until, now)];
  if (from && to) return `${field}:${from}..${to}`;
  return from ? `${field}:>=${from}` : `${field}:<=${to}`;
}

const DURATION = /^(\d{1,5})\s*(h|d|w|mo|y)$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

function dateOf(name: string, text: string, now: number): string {
  const [, count = "", unit = ""] = DURATION.exec(text.trim()) ?? [];
  if (unit !== "") return dateBefore(Number(count), unit.toLowerCase(), now);
  if ((DATE.test(text.trim()) || TIME.test(text.trim())) && !Number.isNaN(Date.parse(text))) return text.trim();
  throw new ToolFailure(
    `\`${name}\` is not a date: "${text}". Use 12h, 3d, 2w, 2mo, 1y, YYYY-MM-DD, or a date with time such as 2026-01-31T08:00:00Z.`,
  );
}

function dateBefore(count: number, unit: string, now: number): string {
  const at = new Date(now);
  if (unit === "h") at.setUTCHours(at.getUTCHours() - count);
  if (unit === "d") at.setUTCDate(at.getUTCDate() - count);
  if (unit === "w") at.setUTCDate(at.getUTCDate() - 7 * count);
  const months = unit === "mo" ? count : unit === "y" ? 12 * count : 0;
  if (months > 0) backMonths(at, months);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1) throw new ToolFailure("That is too long ago.");
  const iso = at.toISOString();
  return unit === "h" ? `${iso.slice(0, 19)}Z` : iso.slice(0, 10);
}

/** A shorter month may lack the day: then its last day counts. */
function backMonths(at: Date, months: number): void {
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() - months);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last));
}
