// Commits, releases and folders as text, for any git host.

import { ToolFailure } from "../../../contract/tool.ts";
import { type ChangedFile, type GitThread, threadText } from "./git-thread.ts";
import { bullets, factLines, paragraphs, section } from "./page-text.ts";

export interface GitCommit {
  readonly repo: string;
  readonly sha: string;
  readonly author: string;
  readonly date: string;
  readonly message: string;
  readonly files: readonly (ChangedFile & { readonly patch: string })[];
}

export function commitText({ repo, sha, author, date, message, files }: GitCommit): string {
  const list = files.map(({ path, added, removed }) => `${path} +${added} -${removed}`);
  const patches = files.filter(({ patch }) => patch !== "").map(({ path, patch }) => `--- ${path}\n${patch.trimEnd()}`);
  return paragraphs(
    `# Commit ${repo}@${sha}`,
    factLines({ Author: author, Date: date }),
    message,
    section(`## Files (${files.length})`, bullets(list)),
    patches.length === 0 ? "" : `## Diff\n\n\`\`\`diff\n${patches.join("\n")}\n\`\`\``,
  );
}

export interface GitRelease {
  readonly repo: string;
  readonly name: string;
  readonly tag: string;
  readonly author: string;
  readonly date: string;
  readonly notes: string;
  readonly assets: readonly string[];
}

export function releaseText(heading: string, { repo, name, tag, author, date, notes, assets }: GitRelease): string {
  return paragraphs(
    `${heading} ${repo} ${tag}${name === "" || name === tag ? "" : `: ${name}`}`,
    factLines({ Author: author, Published: date }),
    notes,
    section(`${heading}# Files`, bullets(assets)),
  );
}

export interface GitEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly size?: number | undefined;
  readonly url: string;
}

export function fileListText(title: string, entries: readonly GitEntry[]): string {
  if (entries.length === 0) throw new ToolFailure("The answer lists no files.");
  const lines = entries.map(({ name, isFolder, size, url }) => {
    const bytes = isFolder || size === undefined ? "" : `, ${size} bytes`;
    return `[${name}${isFolder ? "/" : ""}](${url})${bytes}`;
  });
  return paragraphs(`# ${title}`, bullets(lines));
}

/** An answer without a title is something else. */
export function knownThreadText(thread: GitThread): string {
  if (thread.title === "") throw new ToolFailure("The answer has no title.");
  return threadText(thread);
}
