// Texts about a landing: for the parent, in its agent's result, and for the agent, if it has to fix something.

import { relative } from "node:path";
import type { Conflict } from "../../files/formats/conflict/conflicts.ts";
import type { Delta, LandingConflict, LandingResult, LeftOutReason } from "../../files/isolate/types.ts";
import type { RecordedLanding } from "./landing-record.ts";

const MOST_NAMES = 40;
const MOST_OUTPUT = 6_000;

export const NOTHING_CHANGED = "[It changed no files.]";

/** Paths relative to the root. */
function names(root: string, paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_NAMES).map((path) => relative(root, path) || path);
  const more = paths.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function landedText(root: string, result: Extract<LandingResult, { kind: "landed" | "nothing" }>): string {
  if (result.kind === "nothing") return "[Nothing had to be merged: your files have its changes already.]";
  const branches = [...new Set(result.branches)];
  if (branches.length > 0)
    return `[Its changes are on the branch ${branches.join(", ")}; your files are unchanged. To apply them: git merge ${branches[0]}]`;
  return `[Merged into your files: ${names(root, result.files)}]`;
}

const WHY_LEFT_OUT: Readonly<Record<LeftOutReason, string>> = {
  ignored: "ignored by git",
  large: "over 64 MiB",
  repository: "a repository that was made or removed",
  special: "no regular file",
  unreadable: "not readable",
  empty: "an empty folder",
  name: "a name that is not UTF-8",
};

/** Changes that no landing can transfer, by reason; undefined if there are none. */
export function leftOutLine(root: string, { leftOut }: Delta): string | undefined {
  const reasons = [...new Set(leftOut.map(({ why }) => why))].map((reason) => {
    const paths = leftOut.filter(({ why }) => why === reason).map(({ path }) => path);
    return `${names(root, paths)} (${WHY_LEFT_OUT[reason]})`;
  });
  return reasons.length === 0 ? undefined : `Not merged: ${reasons.join("; ")}`;
}

/** Appended to the text about a landing. */
export function leftOutText(root: string, delta: Delta): string {
  const line = leftOutLine(root, delta);
  return line === undefined ? "" : `\n[${line}]`;
}

/** The command that drops a view, for the user. */
export type HowToDrop = (view: string) => string;

/** Says that no patch could be made from the changes in a view, so the view was kept. */
export function unreadText(why: string, view: string, howToDrop: HowToDrop | undefined): string {
  const drop = howToDrop ? ` To drop it: ${howToDrop(view)}` : "";
  return `Its changes could not be read: ${why.replace(/[.!]?$/, ".")} They stay in the isolated copy ${view}, and the next start in this project tries again.${drop}`;
}

/** The same message in an agent's result. */
export const unreadResult = (why: string, view: string, howToDrop: HowToDrop | undefined): string =>
  `[None of its changes were merged; your files are unchanged. ${unreadText(why, view, howToDrop)}]`;

/** Why nothing was written. */
export function failureText(root: string, result: Exclude<LandingResult, { kind: "landed" | "nothing" }>): string {
  if (result.kind === "refused") return result.why;
  if (result.kind === "red")
    return `Its check failed with exit code ${result.exitCode}:\n${result.output.length > MOST_OUTPUT ? `[…]\n${result.output.slice(-MOST_OUTPUT)}` : result.output.trimEnd()}`;
  return `Merge failed.\n${conflictLines(root, result.conflicts)}`;
}

/** `numbered`: conflicts that the parent can resolve by number. */
export function keptText(why: string, patch: string, numbered: readonly Conflict[]): string {
  const ids = numbered.map(({ id, path, region }) => `conflict://${id} (${path}, line ${region.start + 1})`);
  const settle = ids.length === 0 ? "" : `\nBoth sides of each: ${ids.join(", ")}.`;
  return `[None of its changes were merged; your files are unchanged. ${why}${settle}\nAll of its changes: git apply --3way ${patch}]`;
}

/** To the agent, whose files were brought up to date: `open` lists the conflicts that it must resolve. */
export function againText(
  root: string,
  result: Exclude<LandingResult, { kind: "landed" | "nothing" }>,
  open: readonly LandingConflict[],
): string {
  const updated = "Your files now include what has changed in the project.";
  const markers =
    open.length === 0
      ? ""
      : ` Resolve these conflicts; where both sides changed the same lines, there are conflict markers:\n${conflictLines(root, open)}\n`;
  return `Your changes could not be merged. ${failureText(root, result)}\n\n${updated}${markers}\nFix this and yield again. This is your last attempt.`;
}

function conflictLines(root: string, conflicts: readonly LandingConflict[]): string {
  return conflicts
    .map(({ path, kind, message, regions }) => {
      const at = regions.map(({ line }) => line).join(", ");
      const place = `${relative(root, path) || path}${at === "" ? "" : `:${at}`}`;
      return kind === "content" ? `- ${place}: both sides changed these lines` : `- ${place}: ${message}`;
    })
    .join("\n");
}

/** The text about an agent that was cut off when its process ended. */
export function interruptedText(
  root: string,
  landing: RecordedLanding | undefined,
  left: { readonly patch?: string | undefined; readonly view?: string | undefined },
): string {
  if (landing && landing.branches.length > 0)
    return landedText(root, { kind: "landed", files: [], branches: landing.branches });
  if (landing?.isWhole && landing.files.length > 0)
    return `[Its work had been merged into your files already: ${names(root, landing.files)}]`;
  if (left.patch !== undefined)
    return `[None of its work was merged. All of its changes: git apply --3way ${left.patch}]`;
  if (left.view !== undefined)
    return `[None of its work was merged. Its changes could not be read; they stay in the isolated copy ${left.view}.]`;
  if (!landing || landing.files.length === 0)
    return "[None of its work was merged: it had changed no files, or what it changed is gone.]";
  return `[Its work may have been merged before others changed files: check ${names(root, landing.files)}]`;
}
