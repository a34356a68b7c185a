// Parses unified diffs as models write them: file headers, hunks whose line counts are often wrong, git's extra lines.
// Text in, files out.

import { type Change, type Hunk, type PatchOperation, PatchSyntaxError } from "./types.ts";

const noise = /^(?:diff |index |(?:old|new|deleted file|new file) mode|similarity index|Index: |={10,}|Binary files )/;
const fence = /^(?:```|~~~)\w*$/;

interface Draft {
  /** Absent if the diff creates the file. */
  readonly from?: string;
  /** Absent if the diff deletes the file. */
  readonly to?: string;
  readonly line: number;
  readonly hunks: Hunk[];
}

export function parseUnified(input: string): PatchOperation[] {
  const lines = input.split(/\r\n|\r|\n/);
  const files: Draft[] = [];
  let at = 0;
  let renameFrom: string | undefined;
  while (at < lines.length) {
    const line = lines[at] as string;
    if (isHeader(lines, at)) {
      files.push(draft(...headerPaths(line, lines[at + 1] as string), at + 1));
      at += 2;
    } else if (line.startsWith("@@")) {
      const file = files.at(-1);
      if (!file) throw new PatchSyntaxError(at + 1, 'a hunk needs "--- path" and "+++ path" above it.');
      at = readHunk(lines, at, file.hunks);
    } else if (line.startsWith("rename from ")) {
      renameFrom = line.slice(12).trim();
      at++;
    } else if (line.startsWith("rename to ")) {
      if (!(lines[at + 1] ?? "").startsWith("---") && !(lines[at + 2] ?? "").startsWith("---")) {
        files.push(draft(renameFrom, line.slice(10).trim(), at + 1));
      }
      at++;
    } else if (line.trim() === "" || noise.test(line) || fence.test(line.trim())) {
      at++;
    } else {
      throw new PatchSyntaxError(
        at + 1,
        `expected "--- path", "@@" or a line that begins with " ", "-" or "+", got ${JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line)}.`,
      );
    }
  }
  if (files.length === 0) throw new PatchSyntaxError(1, 'no file found; a diff begins with "--- path" and "+++ path".');
  return files.map(operation);
}

function draft(from: string | undefined, to: string | undefined, line: number): Draft {
  return { line, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), hunks: [] };
}

function operation({ from, to, hunks, line }: Draft): PatchOperation {
  if (from === undefined && to === undefined) throw new PatchSyntaxError(line, "both sides of the diff are /dev/null.");
  if (to === undefined) return { kind: "delete", path: from as string, hunks };
  if (from === undefined) {
    const lines = hunks.flatMap((hunk) =>
      hunk.body.filter((change) => change.kind === "+").map((change) => change.text),
    );
    return { kind: "add", path: to, lines, unterminated: hunks.at(-1)?.finalBreak === "lost" };
  }
  if (hunks.length === 0 && from === to) throw new PatchSyntaxError(line, `${to} has no hunk.`);
  return { kind: "update", path: from, hunks, ...(from === to ? {} : { moveTo: to }) };
}

/** Removes git's a/ and b/, unless both sides have the same prefix, which is then part of the path. */
function headerPaths(before: string, after: string): [string | undefined, string | undefined] {
  const [from, to] = [headerPath(before), headerPath(after)];
  const bareFrom = from?.replace(/^a\//, "");
  const bareTo = to?.replace(/^b\//, "");
  const fromGit = from !== bareFrom && (to === undefined || to !== bareTo || to === bareFrom);
  const toGit = to !== bareTo && (from === undefined || from !== bareFrom || from === bareTo);
  return [fromGit ? bareFrom : from, toGit ? bareTo : to];
}

/** The path without quotes and timestamp; undefined for /dev/null. */
function headerPath(line: string): string | undefined {
  const path = (line.slice(4).split("\t")[0] as string).trim().replace(/^"(.*)"$/, "$1");
  return path === "/dev/null" ? undefined : path;
}

function readHunk(lines: readonly string[], at: number, hunks: Hunk[]): number {
  const [, oldStart, oldCount, newCount, hint = ""] =
    /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)$/.exec(lines[at] as string) ?? [];
  const counts = oldStart === undefined ? undefined : { old: Number(oldCount ?? 1), new: Number(newCount ?? 1) };
  const end = (counts && countedEnd(lines, at + 1, counts)) ?? headerAfter(lines, at + 1);
  const body: Change[] = [];
  const ended = { old: false, new: false };
  let loose = 0;
  for (const line of lines.slice(at + 1, end)) {
    const kind = line[0];
    if (kind === "\\") {
      const last = body.at(-1)?.kind;
      if (last !== "+") ended.old = true;
      if (last !== "-") ended.new = true;
    } else if (kind === undefined) {
      body.push({ kind: " ", text: "" });
      loose++;
    } else {
      body.push({ kind: kind as Change["kind"], text: line.slice(1) });
      loose = 0;
    }
  }
  if (!body.some((change) => change.kind !== " ")) throw new PatchSyntaxError(at + 1, "the hunk changes nothing.");
  const pure = !body.some((change) => change.kind !== "+");
  hunks.push({
    hints: hint.trim() === "" ? [] : [hint.trimEnd()],
    body,
    atEnd: ended.old,
    looseTail: loose,
    ...(oldStart === undefined ? {} : { oldLine: pure ? Number(oldStart) : Math.max(0, Number(oldStart) - 1) }),
    ...(ended.old === ended.new ? {} : { finalBreak: ended.new ? "lost" : "gained" }),
  });
  return end;
}

/** The end of the hunk by the counts in its header; undefined if they are wrong, as they often are. */
function countedEnd(
  lines: readonly string[],
  from: number,
  counts: { readonly old: number; readonly new: number },
): number | undefined {
  let [old, now] = [0, 0];
  let index = from;
  for (; index < lines.length && (old < counts.old || now < counts.new); index++) {
    const kind = (lines[index] as string)[0] ?? " ";
    // Text that only looks like the beginning of another file has no hunk after it.
    if (!" -+\\".includes(kind) || (isHeader(lines, index) && lines[index + 2]?.startsWith("@@"))) return undefined;
    if (kind === " " || kind === "-") old++;
    if (kind === " " || kind === "+") now++;
  }
  if (old !== counts.old || now !== counts.new) return undefined;
  while (lines[index]?.startsWith("\\")) index++;
  let next = index;
  while (lines[next]?.trim() === "") next++;
  return /^[ +-]/.test(lines[next] ?? "") && !isHeader(lines, next) ? undefined : index;
}

function headerAfter(lines: readonly string[], from: number): number {
  let index = from;
  while (index < lines.length && /^(?:[ +\\-]|$)/.test(lines[index] as string) && !isHeader(lines, index)) index++;
  return index;
}

function isHeader(lines: readonly string[], index: number): boolean {
  return (lines[index] as string).startsWith("--- ") && (lines[index + 1] ?? "").startsWith("+++ ");
}
