// The change as a model reads it: a line for each file and its hunks without git's own headers, known secrets replaced.
// Large changes are divided into chunks, with each part in one chunk.

import type { Redactor } from "@lathe/agent/policy";
import { NOT_SHOWN } from "../key-files.ts";
import type { Part, StagedFile } from "./change.ts";

/** Characters per token; the context of a session uses the same estimate. */
const CHARS = 4;
export const tokensIn = (text: string): number => Math.ceil(text.length / CHARS);

/** Generated files say little and can be very long. */
const MADE_BY_PROGRAMS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|flake\.lock)$|\.min\.(?:js|css)$|\.(?:js|css)\.map$/;
const MOST_LINE = 500;

const STATUS: Readonly<Record<string, string>> = {
  A: "new",
  D: "deleted",
  R: "renamed",
  M: "modified",
  T: "type changed",
  C: "copied",
};

export interface ShownPart {
  readonly file: StagedFile;
  readonly part: Part;
  readonly text: string;
}

export interface Showing {
  readonly redactor: Redactor;
  readonly holdsKeys: (file: StagedFile) => boolean;
}

/** `numbered`: each part begins with its number in brackets. */
export function shownParts(
  files: readonly StagedFile[],
  { redactor, holdsKeys }: Showing,
  numbered: boolean,
): ShownPart[] {
  return files.flatMap((file) => {
    const isKept = holdsKeys(file);
    return file.parts.map((part, i): ShownPart => {
      const number = numbered ? `[${part.number}] ` : "";
      const isWhole = part.lines === undefined;
      const head = i === 0 || numbered ? `${number}${isWhole || !numbered ? headOf(file) : file.path}\n` : "";
      const body = isKept ? `(${NOT_SHOWN})\n` : redactor.redactForSharing(bodyOf(file, part));
      return { file, part, text: head + body };
    });
  });
}

function headOf(file: StagedFile): string {
  const { path, from, status, before, after, isBinary } = file;
  const modes = before && after && before.mode !== after.mode ? `, mode ${before.mode} -> ${after.mode}` : "";
  const isLink = (after ?? before)?.mode === "160000";
  const kind = isLink ? " submodule" : isBinary ? " binary" : "";
  return `${STATUS[status] ?? status}${kind} ${from === undefined ? "" : `${from} -> `}${path}${modes}`;
}

function bodyOf(file: StagedFile, { text, lines }: Part): string {
  if (text === "") return "";
  if (MADE_BY_PROGRAMS.test(file.path)) return `(written by a program: +${file.added} -${file.removed} lines)\n`;
  // A new or deleted file has one hunk, which starts at its first line.
  const plain = lines === undefined && file.status !== "M" ? text.replace(/^@@.*\n/m, "") : text;
  return plain
    .split("\n")
    .map((line) => (line.length > MOST_LINE ? `${line.slice(0, MOST_LINE)}…` : line))
    .join("\n")
    .toWellFormed();
}

/** Joins the parts in order into chunks of at most `mostTokens`. A part that is larger is divided at a line break. */
export function chunksOf(parts: readonly ShownPart[], mostTokens: number): string[] {
  const most = mostTokens * CHARS;
  const chunks: string[] = [];
  let chunk = "";
  for (const { text, file } of parts) {
    for (const piece of pieces(text, most, file.path)) {
      if (chunk !== "" && chunk.length + piece.length > most) {
        chunks.push(chunk);
        chunk = "";
      }
      chunk += piece;
    }
  }
  return chunk === "" ? chunks : [...chunks, chunk];
}

function pieces(text: string, most: number, path: string): string[] {
  if (text.length <= most) return [text];
  const made: string[] = [];
  let piece = "";
  for (const line of text.split(/(?<=\n)/)) {
    if (piece.length + line.length > most && piece !== "") {
      made.push(piece);
      piece = `(more of ${path})\n`;
    }
    piece += line;
  }
  return [...made, piece];
}

/** The beginning of each part, shortened so that they all fit. */
export function cutParts(parts: readonly ShownPart[], mostTokens: number): string {
  const share = Math.max(200, Math.floor((mostTokens * CHARS) / Math.max(1, parts.length)));
  const cut = parts.map(({ text }) =>
    text.length <= share ? text : `${text.slice(0, share).toWellFormed()}\n(cut)\n`,
  );
  return cut
    .join("")
    .slice(0, mostTokens * CHARS)
    .toWellFormed();
}

/** A line for each file, such as `modified src/a.ts (+3 -1)`; the last line counts the files left out. */
export function fileList(files: readonly StagedFile[], most = 200): string {
  const rows = files.slice(0, most).map((file) => `${headOf(file)} (+${file.added} -${file.removed})`);
  return [...rows, ...(files.length > most ? [`and ${files.length - most} more files`] : [])].join("\n");
}
