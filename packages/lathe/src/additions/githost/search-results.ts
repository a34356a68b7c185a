// Search results as text, one item each, with the facts that distinguish them.

import { isTrueAt, itemsAt, numberAt, textAt, valueAt } from "@lathe/agent/files";
import type { GithubArgs } from "@lathe/agent/tools";
import type { JsonValue } from "@lathe/llm";

const TITLES: Readonly<Record<string, string>> = {
  search_issues: "issues",
  search_prs: "pull requests",
  search_code: "code",
  search_commits: "commits",
  search_repos: "repositories",
};

const LINES: Readonly<Record<string, (item: JsonValue) => readonly string[]>> = {
  search_issues: threadLines,
  search_prs: threadLines,
  search_code: codeLines,
  search_commits: commitLines,
  search_repos: repoLines,
};

export function searchText(op: GithubArgs["op"], query: string, found: JsonValue): string {
  const items = itemsAt(found, "items");
  const total = numberAt(found, "total_count") ?? items.length;
  const results = total === 1 ? "result" : "results";
  const count = total > items.length ? `${items.length} of ${total} ${results}` : `${items.length} ${results}`;
  const cut = isTrueAt(found, "incomplete_results") ? " (the host gave up early: there may be more)" : "";
  const lines = items.flatMap((item) => LINES[op]?.(item) ?? []);
  return [`# ${TITLES[op]}: ${query}`, `${count}${cut}`, "", ...(lines.length === 0 ? ["Nothing found."] : lines)].join(
    "\n",
  );
}

const facts = (...words: readonly (string | undefined)[]): string => words.filter((word) => word).join(", ");
const firstLine = (text: string): string => text.trim().split("\n")[0]?.trim() ?? "";
/** The repository in `https://api.github.com/repos/owner/name`. */
const repoIn = (address: string): string => /\/repos\/([^/]+\/[^/]+)/.exec(address)?.[1] ?? "";

function threadLines(item: JsonValue): readonly string[] {
  const isMerged = textAt(item, "pull_request", "merged_at") !== "";
  const labels = itemsAt(item, "labels").map((label) => textAt(label, "name"));
  return [
    `- ${repoIn(textAt(item, "repository_url"))}#${numberAt(item, "number")} ${textAt(item, "title")}`,
    `  ${facts(isMerged ? "merged" : textAt(item, "state"), isTrueAt(item, "draft") ? "draft" : "", `by ${textAt(item, "user", "login")}`, ...labels)}`,
    `  created ${textAt(item, "created_at")}, updated ${textAt(item, "updated_at")}`,
    `  ${textAt(item, "html_url")}`,
  ];
}

function codeLines(item: JsonValue): readonly string[] {
  const commit = /[?&]ref=([0-9a-f]{7,40})/.exec(textAt(item, "url"))?.[1]?.slice(0, 9);
  const fragment = firstLine(textAt(item, "text_matches", 0, "fragment")).replace(/\s+/g, " ");
  return [
    `- ${textAt(item, "path")} (${facts(textAt(item, "repository", "full_name"), commit)})`,
    ...(fragment === "" ? [] : [`  ${fragment}`]),
    `  ${textAt(item, "html_url")}`,
  ];
}

function commitLines(item: JsonValue): readonly string[] {
  const author = textAt(item, "author", "login") || textAt(item, "commit", "author", "name");
  return [
    `- ${textAt(item, "sha").slice(0, 9)} ${firstLine(textAt(item, "commit", "message"))}`,
    `  ${facts(textAt(item, "repository", "full_name"), author, textAt(item, "commit", "committer", "date"))}`,
    `  ${textAt(item, "html_url")}`,
  ];
}

function repoLines(item: JsonValue): readonly string[] {
  const about = firstLine(textAt(item, "description"));
  const count = (name: string, word: string): string => `${numberAt(item, name) ?? 0} ${word}`;
  return [
    `- ${textAt(item, "full_name")}${about === "" ? "" : `: ${about}`}`,
    `  ${facts(textAt(item, "language"), count("stargazers_count", "stars"), count("forks_count", "forks"), count("open_issues_count", "open issues"), ...kindOf(item))}, updated ${textAt(item, "updated_at")}`,
    `  ${textAt(item, "html_url")}`,
  ];
}

const kindOf = (repo: JsonValue): readonly string[] => [
  textAt(repo, "visibility") || (isTrueAt(repo, "private") ? "private" : "public"),
  ...(isTrueAt(repo, "archived") ? ["archived"] : []),
  ...(isTrueAt(repo, "fork") ? ["fork"] : []),
];

/** Facts of one repository; GitLab has the same ones under other names. */
export function repoText(repo: JsonValue, branch: string | undefined): string {
  const name = textAt(repo, "full_name") || textAt(repo, "path_with_namespace");
  const rights = valueAt(repo, "permissions");
  const right = ["admin", "maintain", "push", "triage", "pull"].find((one) => isTrueAt(rights, one)) ?? "";
  const rows: [string, string][] = [
    ["URL", textAt(repo, "html_url") || textAt(repo, "web_url")],
    ["Default branch", textAt(repo, "default_branch")],
    ["Branch", branch ?? ""],
    ["Visibility", facts(...kindOf(repo))],
    ["Permission", right],
    ["Language", textAt(repo, "language")],
    ["Stars", String(numberAt(repo, "stargazers_count") ?? numberAt(repo, "star_count") ?? 0)],
    ["Forks", String(numberAt(repo, "forks_count") ?? 0)],
    ["Updated", textAt(repo, "updated_at") || textAt(repo, "last_activity_at")],
    ["Homepage", textAt(repo, "homepage")],
    [
      "Topics",
      itemsAt(repo, "topics")
        .filter((topic) => typeof topic === "string")
        .join(", "),
    ],
  ];
  const about = textAt(repo, "description").trim();
  return [
    `# ${name}`,
    ...(about === "" ? [] : ["", about]),
    "",
    ...rows.flatMap(([key, value]) => (value === "" ? [] : [`${key}: ${value}`])),
  ].join("\n");
}
