// The result of a rewind, in lines for the user.

import { isAbsolute, relative } from "node:path";
import { type LeftFile, type LeftReason, RewindRefused, type RewindResult, shownPath } from "@lathe/agent/files";
import { usageError } from "../../platform/usage/exit.ts";
import { countOf } from "../../sessions/numbers.ts";

const WHY: Readonly<Record<LeftReason, string>> = {
  changed: "changed outside this session since",
  unsure: "changed while the session was killed or could not record, so perhaps not by it",
  uncovered: "too large to be kept",
  lost: "their earlier content is no longer stored",
  obstructed: "something else is in their place, or in that of their folder",
  full: "the disk is full",
  blocked: "the system did not allow it",
  repository: "",
  editor: "",
};

export interface ReportedRewind {
  readonly result: RewindResult;
  /** The chosen entry; undefined when a rewind was undone. */
  readonly entryId?: string;
  /** The user's text in that entry; undefined for other kinds of entries. */
  readonly text?: string | undefined;
}

export async function refusedAsUsage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof RewindRefused ? usageError(error.message) : error;
  }
}

export function doneLine({ result, entryId, text }: ReportedRewind): string {
  const { restored, parts } = result;
  const nothing = isComplete(result) ? "No file had to change." : "No file was restored.";
  const files = restored.length === 0 ? nothing : `${countOf(restored.length, "file")} restored.`;
  if (entryId === undefined) return `The rewind was undone.${parts === "conversation" ? "" : `\n${files}`}`;
  if (parts === "files") return files;
  const where = text === undefined ? "Conversation rewound." : `Rewound to before: ${excerpt(text)}`;
  return parts === "conversation" ? where : `${where}\n${files}`;
}

/** Whether everything that should have been restored was. */
export const isComplete = ({ left, unrecorded }: RewindResult): boolean =>
  left.length === 0 && unrecorded === undefined;

/** One line for each reason why files were not restored. */
export function leftLines({ left, unrecorded }: RewindResult, cwd: string): string[] {
  const lines = (Object.keys(WHY) as LeftReason[]).flatMap((why) => {
    const paths = left.filter((file) => file.why === why).map(({ path }) => displayPath(path, cwd));
    if (paths.length === 0) return [];
    if (why === "repository") return [`Rewind does not restore git's own data. Not restored: ${listPaths(paths)}.`];
    if (why === "editor")
      return [`The editor's text differs from the disk: ${listPaths(paths)}. Reload or save them there.`];
    return [`Left as they are (${WHY[why]}): ${listPaths(paths)}.`];
  });
  if (unrecorded === undefined) return lines;
  return [...lines, `Some changes of files were not recorded (${unrecorded}), so those files stay as they are.`];
}

const MANY_FILES = 500;

/** Shown before the work if it may take a while. */
export const startLine = (files: number): string | undefined =>
  files < MANY_FILES ? undefined : `Restoring ${files} files…`;

/** Whether `force` would restore some of the files. */
export const canBeForced = (left: readonly LeftFile[]): boolean =>
  left.some(({ why }) => why === "changed" || why === "unsure");

const MOST_SHOWN = 10;

function listPaths(paths: readonly string[]): string {
  const more = paths.length - MOST_SHOWN;
  return `${paths.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function displayPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return shownPath(below === "" || below.startsWith("..") || isAbsolute(below) ? path : below);
}

const LONGEST_EXCERPT = 72;

export function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT - 1)}…` : line;
}
