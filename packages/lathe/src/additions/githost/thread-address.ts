// Parses addresses of `issue://` and `pr://`: a list, one thread, or its diff.

import { ToolFailure } from "@lathe/agent";

export type ThreadScheme = "issue" | "pr";

export type ThreadAddress = {
  readonly scheme: ThreadScheme;
  /** Absent for the repository of the working folder. */
  readonly repo?: string;
} & (
  | { readonly kind: "list"; readonly filter: ListFilter }
  | { readonly kind: "thread"; readonly number: number; readonly comments: boolean }
  /** `part`: the number of a file, counted from 1; absent for the list of files. */
  | { readonly kind: "diff"; readonly number: number; readonly part?: number | "all" }
);

export interface ListFilter {
  readonly state: string;
  readonly limit: number;
  readonly author?: string | undefined;
  readonly label?: string | undefined;
}

const DEFAULT_LIMIT = 30;
const MOST = 100;
const STATES: Readonly<Record<ThreadScheme, readonly string[]>> = {
  issue: ["open", "closed", "all"],
  pr: ["open", "closed", "merged", "all"],
};

export function parseThreadAddress(url: string): ThreadAddress {
  const [, scheme = "", path = "", search = ""] = /^(issue|pr):\/\/([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  const kind = scheme.toLowerCase() as ThreadScheme;
  const query = new URLSearchParams(search);
  const parts = path.split("/").filter((part) => part !== "");
  const at = parts.findIndex((part, place) => /^\d+$/.test(part) && (place === 0 || place >= 2));
  const repo = (at < 0 ? parts : parts.slice(0, at)).join("/");
  const named = repo === "" ? {} : { repo };
  if (at < 0) {
    if (parts.length === 1) throw wrongAddress(url, kind);
    return { scheme: kind, ...named, kind: "list", filter: filterOf(kind, query) };
  }
  const number = Number(parts[at]);
  const rest = parts.slice(at + 1);
  if (rest.length === 0)
    return { scheme: kind, ...named, kind: "thread", number, comments: query.get("comments") !== "0" };
  const [word, part, ...more] = rest;
  const isPart = part === undefined || part === "all" || /^[1-9]\d*$/.test(part);
  if (kind !== "pr" || word !== "diff" || !isPart || more.length > 0) throw wrongAddress(url, kind);
  const wanted = part === undefined ? {} : { part: part === "all" ? ("all" as const) : Number(part) };
  return { scheme: kind, ...named, kind: "diff", number, ...wanted };
}

function filterOf(scheme: ThreadScheme, query: URLSearchParams): ListFilter {
  const unknown = [...query.keys()].find((key) => !["state", "limit", "author", "label"].includes(key));
  if (unknown !== undefined)
    throw new ToolFailure(`A list of ${scheme}:// takes state, limit, author and label, not "${unknown}".`);
  const state = query.get("state") ?? "open";
  if (!STATES[scheme].includes(state))
    throw new ToolFailure(`state of ${scheme}:// is one of ${STATES[scheme].join(", ")}, not "${state}".`);
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1) throw new ToolFailure("limit is a number from 1 to 100.");
  const [author, label] = [query.get("author") ?? undefined, query.get("label") ?? undefined];
  return { state, limit: Math.min(limit, MOST), author, label };
}

const wrongAddress = (url: string, scheme: ThreadScheme): ToolFailure =>
  new ToolFailure(
    scheme === "pr"
      ? `${url} is not a pull request. Use pr://12, pr://owner/name/12, pr://12/diff, pr://12/diff/1, pr://12/diff/all, or pr:// for a list.`
      : `${url} is not an issue. Use issue://12, issue://owner/name/12, or issue:// for a list.`,
  );
