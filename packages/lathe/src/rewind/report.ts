// What a rewind did, in lines for people.

import { isAbsolute, relative } from "node:path";
import { type LeftFile, type LeftReason, RewindRefused, type RewindResult, shownPath } from "@lathe/agent";
import { usageError } from "../usage/exit.ts";

const WHY: Readonly<Record<LeftReason, string>> = {
  changed: "changed outside this session since",
  unsure: "changed while the session was being killed, so perhaps not by it",
  uncovered: "too large to be kept",
  lost: "their earlier content is no longer stored",
  blocked: "the system did not allow it",
};

export interface ReportedRewind {
  readonly result: RewindResult;
  /** What the person had said there; undefined for another entry. */
  readonly text?: string | undefined;
}

export async function refusedAsUsage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof RewindRefused ? usageError(error.message) : error;
  }
}

/** `redone`: what is said instead of a place, when a rewind was taken back. */
export function doneLine({ result, text }: ReportedRewind, redone?: string): string {
  const { restored, parts } = result;
  const files = restored.length === 0 ? "No file had to change." : `${count(restored.length, "file")} restored.`;
  if (parts === "files") return redone === undefined ? files : `${redone}\n${files}`;
  const where = redone ?? (text === undefined ? "Conversation rewound." : `Rewound to before: ${excerpt(text)}`);
  return parts === "conversation" ? where : `${where}\n${files}`;
}

/** One line for each reason why files were left as they are. */
export function leftLines(left: readonly LeftFile[], cwd: string): string[] {
  return (Object.keys(WHY) as LeftReason[]).flatMap((why) => {
    const paths = left.filter((file) => file.why === why).map(({ path }) => shown(path, cwd));
    return paths.length === 0 ? [] : [`Left as they are (${WHY[why]}): ${listed(paths)}.`];
  });
}

/** Files that `force` would bring back. */
export const canBeForced = (left: readonly LeftFile[]): boolean =>
  left.some(({ why }) => why === "changed" || why === "unsure");

const MOST_SHOWN = 10;

function listed(paths: readonly string[]): string {
  const more = paths.length - MOST_SHOWN;
  return `${paths.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function shown(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return shownPath(below === "" || below.startsWith("..") || isAbsolute(below) ? path : below);
}

const LONGEST_EXCERPT = 72;

export function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT - 1)}…` : line;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
