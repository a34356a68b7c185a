// Parses unified diffs, as git and other tools write them, file by file. The lines of a hunk are counted by its header,
// so text inside a hunk that looks like a header stays text.

import { type FileDiff, hunkLines, withCounts } from "./file-diff.ts";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const GIT = /^diff --git (?:"?a\/(.*?)"?) (?:"?b\/(.*?)"?)$/;

interface Draft {
  path: string;
  status: FileDiff["status"];
  oldPath: string | undefined;
  hunks: ReturnType<typeof hunkLines>[];
}

export function parseUnified(text: string): FileDiff[] {
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  const drafts: Draft[] = [];
  let current: Draft | undefined;
  const begin = (path: string): Draft => {
    const draft: Draft = { path, status: "changed", oldPath: undefined, hunks: [] };
    drafts.push(draft);
    return draft;
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const git = GIT.exec(line);
    const hunk = HUNK.exec(line);
    if (git !== null) current = begin(git[2] ?? "");
    else if (hunk !== null) {
      current ??= begin("");
      const [, oldStart, oldCount = "1", newStart, newCount = "1"] = hunk;
      const size = hunkSize(lines, index + 1, Number(oldCount), Number(newCount));
      current.hunks.push(hunkLines(Number(oldStart), Number(newStart), lines.slice(index + 1, index + 1 + size)));
      index += size;
    } else if (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ")) {
      current = current === undefined || current.hunks.length > 0 ? begin("") : current;
      nameDraft(current, pathOf(line), pathOf(lines[index + 1] ?? ""));
      index++;
    } else if (current !== undefined) header(current, line);
  }
  return drafts.map(({ oldPath, ...draft }) => withCounts({ ...draft, ...(oldPath === undefined ? {} : { oldPath }) }));
}

/** How many lines belong to a hunk with this many old and new lines. */
function hunkSize(lines: readonly string[], start: number, oldCount: number, newCount: number): number {
  let old = oldCount;
  let fresh = newCount;
  let at = start;
  while (at < lines.length && (old > 0 || fresh > 0)) {
    const sign = lines[at]?.[0] ?? " ";
    if (sign !== "+" && sign !== "\\") old--;
    if (sign !== "-" && sign !== "\\") fresh--;
    at++;
  }
  return at - start + (lines[at]?.startsWith("\\") ? 1 : 0);
}

const pathOf = (line: string): string => line.slice(4).replace(/\t.*$/, "");

function nameDraft(draft: Draft, before: string, after: string): void {
  if (before === "/dev/null") draft.status = "new";
  if (after === "/dev/null") draft.status = "deleted";
  draft.path = (after === "/dev/null" ? before : after).replace(/^[ab]\//, "");
}

function header(draft: Draft, line: string): void {
  if (line.startsWith("new file mode")) draft.status = "new";
  else if (line.startsWith("deleted file mode")) draft.status = "deleted";
  else if (line.startsWith("Binary files ") || line === "GIT binary patch") draft.status = "binary";
  else if (line.startsWith("rename from ")) {
    draft.status = "renamed";
    draft.oldPath = line.slice("rename from ".length);
  } else if (line.startsWith("rename to ")) draft.path = line.slice("rename to ".length);
}
