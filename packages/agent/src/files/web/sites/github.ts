// GitHub: repositories, files, issues, pull requests, commits, releases and gists.

import type { JsonValue } from "@lathe/llm";
import { itemsAt, numberAt, textAt, valueAt } from "./answer-fields.ts";
import { commitText, fileListText, knownThreadText, releaseText } from "./git-pages.ts";
import { type AskHost, githubIssue, githubPullRequest } from "./github-threads.ts";
import { factLines, ifAnswered, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://api.github.com";
const RAW = "https://raw.githubusercontent.com";
const JSON_FORM = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
const RAW_FORM = { ...JSON_FORM, accept: "application/vnd.github.raw+json" };
const DIFF_FORM = { ...JSON_FORM, accept: "application/vnd.github.diff" };

export const github: Site = {
  name: "github",
  api: [API, RAW],
  read(url, ask) {
    if (url.hostname === "gist.github.com") return readGist(url, ask);
    if (!/^(?:www\.)?github\.com$/.test(url.hostname)) return undefined;
    const [owner, name, kind, ...rest] = partsOf(url);
    if (owner === undefined || name === undefined) return undefined;
    return readPart(`${owner}/${name.replace(/\.git$/, "")}`, kind, rest, ask);
  },
};

function readPart(
  repo: string,
  kind: string | undefined,
  rest: readonly string[],
  ask: SiteClient,
): Promise<string | undefined> | undefined {
  const api: AskHost = (path) => ask.json(`${API}${path}`, JSON_FORM);
  const [first = "", second = ""] = rest;
  const number = /^\d+$/.test(first) ? Number(first) : undefined;
  if (kind === undefined) return readRepo(repo, api, ask);
  if (kind === "blob" || kind === "raw") return readFile(repo, rest, ask);
  if (kind === "tree") return readTree(repo, rest, api);
  if (kind === "commit") return api(`/repos/${repo}/commits/${first}`).then((commit) => githubCommit(repo, commit));
  if (kind === "releases") return readReleases(repo, first, second, api);
  if (number === undefined) return undefined;
  const wanted = { repo, number, comments: true };
  if (kind === "issues") return githubIssue(api, wanted).then(knownThreadText);
  if (kind === "pull" && second === "files") return ask.text(`${API}/repos/${repo}/pulls/${number}`, DIFF_FORM);
  return kind === "pull" ? githubPullRequest(api, wanted).then(knownThreadText) : undefined;
}

async function readRepo(repo: string, api: AskHost, ask: SiteClient): Promise<string> {
  const [about, readme] = await Promise.all([
    api(`/repos/${repo}`),
    ifAnswered(ask.text(`${API}/repos/${repo}/readme`, RAW_FORM)),
  ]);
  return paragraphs(
    `# ${requiredText(about, "full_name")}`,
    textAt(about, "description"),
    factLines({
      Language: textAt(about, "language"),
      License: textAt(about, "license", "spdx_id"),
      Stars: numberAt(about, "stargazers_count"),
      Forks: numberAt(about, "forks_count"),
      "Open issues": numberAt(about, "open_issues_count"),
      Branch: textAt(about, "default_branch"),
      Homepage: textAt(about, "homepage"),
      Topics: itemsAt(about, "topics").join(", "),
      Pushed: textAt(about, "pushed_at"),
    }),
    section("## Readme", readme),
  );
}

/** Public files come from the host without a rate limit; others need the host that accepts the token. */
function readFile(repo: string, [ref, ...path]: readonly string[], ask: SiteClient): Promise<string> | undefined {
  if (ref === undefined || path.length === 0) return undefined;
  if (!ask.hasToken(API)) return ask.text(`${RAW}/${repo}/${ref}/${path.join("/")}`);
  return ask.text(`${API}/repos/${repo}/contents/${path.join("/")}?ref=${ref}`, RAW_FORM);
}

async function readTree(repo: string, [ref = "", ...path]: readonly string[], api: AskHost): Promise<string> {
  const folder = path.join("/");
  const answer = await api(`/repos/${repo}/contents/${folder}?ref=${ref}`);
  return fileListText(
    `${repo}/${folder} at ${ref}`,
    itemsAt(answer).map((entry) => ({
      name: requiredText(entry, "name"),
      isFolder: textAt(entry, "type") === "dir",
      size: numberAt(entry, "size"),
      url: textAt(entry, "html_url"),
    })),
  );
}

const githubCommit = (repo: string, commit: JsonValue): string =>
  commitText({
    repo,
    sha: requiredText(commit, "sha"),
    author: textAt(commit, "commit", "author", "name"),
    date: textAt(commit, "commit", "author", "date"),
    message: textAt(commit, "commit", "message"),
    files: itemsAt(commit, "files").map((file) => ({
      path: textAt(file, "filename"),
      added: numberAt(file, "additions") ?? 0,
      removed: numberAt(file, "deletions") ?? 0,
      patch: textAt(file, "patch"),
    })),
  });

async function readReleases(repo: string, what: string, tag: string, api: AskHost): Promise<string | undefined> {
  const path = `/repos/${repo}/releases`;
  if (what === "") {
    const releases = itemsAt(await api(`${path}?per_page=10`));
    return paragraphs(`# Releases of ${repo}`, ...releases.map((release) => githubRelease(repo, release, "##")));
  }
  if (what === "latest") return githubRelease(repo, await api(`${path}/latest`), "#");
  return what === "tag" ? githubRelease(repo, await api(`${path}/tags/${tag}`), "#") : undefined;
}

const githubRelease = (repo: string, release: JsonValue, heading: string): string =>
  releaseText(heading, {
    repo,
    name: textAt(release, "name"),
    tag: requiredText(release, "tag_name"),
    author: textAt(release, "author", "login"),
    date: textAt(release, "published_at"),
    notes: textAt(release, "body"),
    assets: itemsAt(release, "assets").map((asset) => textAt(asset, "browser_download_url")),
  });

async function readGist(url: URL, ask: SiteClient): Promise<string | undefined> {
  const id = partsOf(url).find((part) => /^[0-9a-f]{20,40}$/.test(part));
  if (id === undefined) return undefined;
  const gist = await ask.json(`${API}/gists/${id}`, JSON_FORM);
  const files: readonly JsonValue[] = Object.values(valueAt(gist, "files") ?? {});
  return paragraphs(
    `# Gist ${textAt(gist, "owner", "login")}/${requiredText(gist, "id")}`,
    textAt(gist, "description"),
    ...files.map((file) => section(`## ${textAt(file, "filename")}`, textAt(file, "content"))),
  );
}
