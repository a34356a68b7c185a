// An issue, pull request or merge request as text, for any git host: what `issue://`, `pr://` and the pages of git
// hosts show.

import { linesOf } from "../../target/opened.ts";

/** An issue, a pull request or a merge request. */
export interface GitThread {
  readonly kind: "Issue" | "Pull request" | "Merge request";
  /** With its owner: `owner/name`. */
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly author: string;
  readonly created: string;
  readonly updated: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly url: string;
  readonly body: string;
  readonly change?: ProposedChange | undefined;
  /** Absent if they were not requested. */
  readonly comments?: readonly GitComment[] | undefined;
}

/** Fields that only pull and merge requests have. */
export interface ProposedChange {
  readonly base: string;
  readonly head: string;
  readonly isDraft: boolean;
  readonly fileCount: number;
  readonly files: readonly ChangedFile[];
}

/** The number of lines that a change adds to and removes from a file. */
export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** A comment on it. */
export interface GitComment {
  readonly author: string;
  readonly at: string;
  readonly text: string;
  /** What else it is: the verdict of a review, or the line it refers to. */
  readonly about?: string | undefined;
}

/** Maximum number of files listed for a change; its diff lists all. */
export const MOST_FILES = 50;

/** The whole thread as Markdown. */
export function threadText(thread: GitThread): string {
  const { kind, repo, number, title, url, body, change, comments } = thread;
  return [
    `# ${kind} ${repo}#${number}: ${title}`,
    "",
    ...factsOf(thread),
    `URL: ${url}`,
    "",
    body.trim() === "" ? "(no description)" : body.trim(),
    ...(change && change.files.length > 0 ? ["", ...filesOf(change)] : []),
    ...(comments ? ["", `## Comments (${comments.length})`, ...comments.flatMap(commentLines)] : []),
  ]
    .join("\n")
    .replaceAll("\r\n", "\n");
}

function factsOf({ state, author, created, updated, labels, assignees, change }: GitThread): string[] {
  const facts: [string, string][] = [
    ["State", change?.isDraft ? `${state}, draft` : state],
    ["Author", author],
    ["Branches", change ? `${change.head} into ${change.base}` : ""],
    ["Created", created],
    ["Updated", updated],
    ["Labels", labels.join(", ")],
    ["Assignees", assignees.join(", ")],
  ];
  return facts.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]));
}

function filesOf({ files, fileCount }: ProposedChange): string[] {
  const rest = fileCount - Math.min(files.length, MOST_FILES);
  return [
    `## Files (${fileCount})`,
    ...files.slice(0, MOST_FILES).map(({ path, added, removed }) => `- ${path} +${added} -${removed}`),
    ...(rest > 0 ? [`- ${rest} more`] : []),
  ];
}

const commentLines = ({ author, at, text, about }: GitComment): string[] => [
  "",
  `### ${author}, ${at}${about === undefined ? "" : ` (${about})`}`,
  text.trim(),
];

/** One row of a list of threads. */
export const threadLine = ({ number, title, state, author, updated, labels }: GitThread): string =>
  `- #${number} ${title} (${[state, author, ...labels].filter((word) => word !== "").join(", ")}; updated ${updated})`;

/** The part of a unified diff about one file. */
export interface FileDiff extends ChangedFile {
  readonly text: string;
}

/** File by file. */
export function splitDiff(diff: string): readonly FileDiff[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git "))
    .map((text) => {
      const lines = linesOf(text);
      const hunks = lines.slice(
        Math.max(
          0,
          lines.findIndex((line) => line.startsWith("@@")),
        ),
      );
      const count = (sign: string): number =>
        lines.some((line) => line.startsWith("@@")) ? hunks.filter((line) => line.startsWith(sign)).length : 0;
      return { path: pathOf(lines), added: count("+"), removed: count("-"), text };
    });
}

/** A deleted file has its name on the other side; one without hunks only in the first line. */
function pathOf(lines: readonly string[]): string {
  const nameAfter = (start: string): string | undefined =>
    lines.find((line) => line.startsWith(start))?.slice(start.length);
  return (
    nameAfter("+++ b/") ?? nameAfter("--- a/") ?? nameAfter("rename to ") ?? lines[0]!.replace(/^diff --git .* b\//, "")
  );
}
