// The context that all reviewers get about the change. It is the same for all, so that the provider caches it, and
// bounded: diffs that do not fit are only named, and reviewers read those files.

import { NOT_SHOWN } from "../key-files.ts";
import type { Change, ChangedFile } from "./types.ts";

export interface ContextRoom {
  /** Characters of all diffs together. */
  readonly total: number;
  /** Characters of one file's diff. */
  readonly file: number;
}

const MOST: ContextRoom = { total: 160_000, file: 40_000 };
const LEAST_TOTAL = 8_000;
/** Characters of diff per token of the window: at about three characters a token, a third of the window. */
const CHARS_OF_WINDOW = 1;
const MOST_NAMES = 400;

export function roomFor(contextWindow: number | undefined): ContextRoom {
  const total = Math.min(MOST.total, Math.max(LEAST_TOTAL, (contextWindow ?? MOST.total) * CHARS_OF_WINDOW));
  return { total, file: Math.min(MOST.file, total / 2) };
}

/** `isAsReviewed`: the files that reviewers read are those of the reviewed tree. */
export function sharedContext(template: string, change: Change, room: ContextRoom, isAsReviewed: boolean): string {
  const { shown, hidden } = fitFiles(change.files, room);
  const more = hidden.length === 0 ? "" : hiddenNote(change, hidden);
  const values: Record<string, string> = {
    top: change.top,
    title: change.title,
    tree: isAsReviewed
      ? "The files that you read are the new version."
      : `The files that you read may be of another version than the reviewed one, which is commit ${change.end}.`,
    files: namesOf(change.files),
    diff: [fenceText(shown.map(({ diff = "" }) => diff).join("")), more].filter((part) => part !== "").join("\n\n"),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}

interface Fitting {
  readonly shown: readonly ChangedFile[];
  readonly hidden: readonly ChangedFile[];
}

function fitFiles(files: readonly ChangedFile[], { total, file: each }: ContextRoom): Fitting {
  let left = total;
  const shown: ChangedFile[] = [];
  const hidden: ChangedFile[] = [];
  for (const file of files) {
    if (file.holdsKeys || (file.diff === undefined && file.added === undefined)) continue;
    const size = file.diff?.length ?? Number.POSITIVE_INFINITY;
    const fits = size <= each && size <= left;
    (fits ? shown : hidden).push(file);
    if (fits) left -= size;
  }
  return { shown, hidden };
}

function hiddenNote({ base, end }: Change, hidden: readonly ChangedFile[]): string {
  const ends = [base, ...(end === undefined ? [] : [end])].map((name) => name.slice(0, 12)).join(" ");
  return `The diffs of these files are too long for this message. Read the files; where commands are available, \`git diff ${ends} -- <path>\` shows the change:\n${namesOf(hidden)}`;
}

function namesOf(files: readonly ChangedFile[]): string {
  const rows = files.slice(0, MOST_NAMES).map(({ path, added, removed, holdsKeys }) => {
    const size = holdsKeys ? NOT_SHOWN : added === undefined ? "binary or large" : `+${added} -${removed}`;
    return `- ${path} (${size})`;
  });
  if (files.length > MOST_NAMES) rows.push(`- and ${files.length - MOST_NAMES} more`);
  return rows.join("\n");
}

/** Uses a fence longer than any in the text. */
function fenceText(text: string): string {
  if (text === "") return "";
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
}
