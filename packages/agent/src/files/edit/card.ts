// How a change of files reads after it was made: which files, how many lines, and the diff.

import type { JsonObject, JsonValue } from "@lathe/llm";
import type { Card, CardDiff, CardResult } from "../../contract/card.ts";

const COLLAPSED_ROWS = 16;

/** `subject`: the files as the call names them. The details are those of `hostDetails`, of one file or of each in a list. */
export function editCard(subject: string, result: CardResult | undefined): Card {
  const named = { subject, namesFiles: true };
  if (!result) return { verb: "Editing", ...named };
  const files = diffsOf(result.details);
  const body = files.length === 0 ? undefined : { kind: "diff" as const, files, collapsed: COLLAPSED_ROWS };
  // What a call did before it failed is in its text, with the reason.
  if (result.isError) return { verb: "Edit", ...named };
  return { verb: doneVerb(result), ...named, outcome: lineCounts(result), body };
}

function doneVerb({ changes }: CardResult): string {
  if (changes.length > 0 && changes.every(({ before }) => before === undefined)) return "Created";
  return changes.length > 0 && changes.every(({ after }) => after === undefined) ? "Deleted" : "Edited";
}

function lineCounts({ changes }: CardResult): string {
  if (changes.length === 0) return "no change";
  const sum = (side: "added" | "removed"): number => changes.reduce((total, change) => total + change[side], 0);
  return `+${sum("added")} -${sum("removed")}`;
}

function diffsOf(details: JsonObject): CardDiff[] {
  const listed = details["perFileResults"] ?? details["files"];
  return (Array.isArray(listed) ? listed : [details]).flatMap(diffIn);
}

function diffIn(file: JsonValue): CardDiff[] {
  if (typeof file !== "object" || file === null || Array.isArray(file)) return [];
  const { filePath, diff } = file;
  return typeof filePath === "string" && typeof diff === "string" && diff !== "" ? [{ path: filePath, diff }] : [];
}
