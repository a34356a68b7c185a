// GitLab: projects, files, issues, merge requests, commits and releases.

import type { JsonValue } from "@lathe/llm";
import { itemsAt, numberAt, textAt } from "./answer-fields.ts";
import { commitText, fileListText, knownThreadText, releaseText } from "./git-pages.ts";
import type { AskHost } from "./github-threads.ts";
import { gitlabIssue, gitlabMergeRequest, gitlabProject } from "./gitlab-threads.ts";
import { factLines, ifAnswered, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const WEB = "https://gitlab.com";
const API = `${WEB}/api/v4`;

export const gitlab: Site = {
  name: "gitlab",
  api: [WEB],
  read(url, ask) {
    if (url.hostname !== "gitlab.com") return undefined;
    const parts = partsOf(url);
    const dash = parts.indexOf("-");
    const repo = parts.slice(0, dash < 0 ? parts.length : dash).join("/");
    if (!repo.includes("/")) return undefined;
    const api: AskHost = (path) => ask.json(`${API}${path}`);
    return dash < 0 ? readProject(repo, api, ask) : readPart(repo, parts.slice(dash + 1), api, ask);
  },
};

function readPart(
  repo: string,
  [kind, first = "", ...rest]: readonly string[],
  api: AskHost,
  ask: SiteClient,
): Promise<string | undefined> | undefined {
  const project = gitlabProject(repo);
  const number = /^\d+$/.test(first) ? Number(first) : undefined;
  if (kind === "blob" || kind === "raw")
    return rest.length === 0 ? undefined : readFile(repo, first, rest.join("/"), ask);
  if (kind === "tree") return readTree(repo, first, rest.join("/"), api);
  if (kind === "commit") return readCommit(repo, first, api);
  if (kind === "releases" && first !== "") return api(`${project}/releases/${first}`).then((one) => release(repo, one));
  if (number === undefined) return undefined;
  const wanted = { repo, number, comments: true };
  if (kind === "issues" || kind === "work_items") return gitlabIssue(api, wanted).then(knownThreadText);
  return kind === "merge_requests" ? gitlabMergeRequest(api, wanted).then(knownThreadText) : undefined;
}

async function readProject(repo: string, api: AskHost, ask: SiteClient): Promise<string> {
  const about = await api(`${gitlabProject(repo)}?license=true`);
  const branch = textAt(about, "default_branch");
  const readme = textAt(about, "readme_url").split(`/-/blob/${branch}/`)[1];
  return paragraphs(
    `# ${requiredText(about, "path_with_namespace")}`,
    textAt(about, "description"),
    factLines({
      License: textAt(about, "license", "name"),
      Stars: numberAt(about, "star_count"),
      Forks: numberAt(about, "forks_count"),
      "Open issues": numberAt(about, "open_issues_count"),
      Branch: branch,
      Topics: itemsAt(about, "topics").join(", "),
      Active: textAt(about, "last_activity_at"),
    }),
    section("## Readme", readme && (await ifAnswered(readFile(repo, branch, readme, ask)))),
  );
}

/** `path`: still encoded, as in the address; the API requires its slashes to be encoded, too. */
function readFile(repo: string, ref: string, path: string, ask: SiteClient): Promise<string> {
  const file = path.replaceAll("/", "%2F");
  return ask.text(`${API}${gitlabProject(repo)}/repository/files/${file}/raw?ref=${ref}`);
}

async function readTree(repo: string, ref: string, path: string, api: AskHost): Promise<string> {
  const query = `ref=${ref}&path=${path.replaceAll("/", "%2F")}&per_page=100`;
  const entries = itemsAt(await api(`${gitlabProject(repo)}/repository/tree?${query}`));
  return fileListText(
    `${repo}/${path} at ${ref}`,
    entries.map((entry) => {
      const isFolder = textAt(entry, "type") === "tree";
      return {
        name: requiredText(entry, "name"),
        isFolder,
        url: `${WEB}/${repo}/-/${isFolder ? "tree" : "blob"}/${ref}/${textAt(entry, "path")}`,
      };
    }),
  );
}

async function readCommit(repo: string, sha: string, api: AskHost): Promise<string> {
  const path = `${gitlabProject(repo)}/repository/commits/${sha}`;
  const [commit, files] = await Promise.all([api(path), api(`${path}/diff?per_page=100`)]);
  return commitText({
    repo,
    sha: requiredText(commit, "id"),
    author: textAt(commit, "author_name"),
    date: textAt(commit, "authored_date"),
    message: textAt(commit, "message"),
    files: itemsAt(files).map((file) => {
      const patch = textAt(file, "diff");
      const count = (sign: RegExp): number => (patch.match(sign) ?? []).length;
      return { path: textAt(file, "new_path"), added: count(/^\+/gm), removed: count(/^-/gm), patch };
    }),
  });
}

const release = (repo: string, value: JsonValue): string =>
  releaseText("#", {
    repo,
    name: textAt(value, "name"),
    tag: requiredText(value, "tag_name"),
    author: textAt(value, "author", "username"),
    date: textAt(value, "released_at"),
    notes: textAt(value, "description"),
    assets: itemsAt(value, "assets", "links").map((link) => textAt(link, "url")),
  });
