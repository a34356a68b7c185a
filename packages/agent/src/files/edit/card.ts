// The card of a finished edit: which files, how many lines, and the diff.

import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";
import type { Card, CardDiff, CardResult } from "../../contract/card.ts";

/** The verbs of a call that is running, succeeded, or failed. */
type Verbs = readonly [running: string, done: string, failed: string];

const COLLAPSED_ROWS = 16;

/**
 * `subject`: the files as the call names them. The details are those of `hostDetails`, for one file or for each in a
 * list.
 */
export function editCard(subject: string, result: CardResult | undefined, verbs?: Verbs): Card {
  const named = { subject, namesFiles: true };
  const [running, done, failed] = verbs ?? ["Editing", result && doneVerb(result), "Edit"];
  if (!result) return { verb: running, ...named };
  const files = diffsOf(result.details);
  const body = files.length === 0 ? undefined : { kind: "diff" as const, files, collapsed: COLLAPSED_ROWS };
  // The text says what a call did before it failed, and why it failed.
  if (result.isError) return { verb: failed, ...named };
  const outcome = [lineCounts(result), ...newErrors(result.details)].join(", ");
  return { verb: done ?? failed, ...named, outcome, body };
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

/** The errors a language server has found in the changed files and those that depend on them. */
function newErrors({ meta }: JsonObject): string[] {
  const found =
    isJsonObject(meta) && Array.isArray(meta["diagnostics"]) ? meta["diagnostics"].filter(isJsonObject) : [];
  const count = found.reduce((sum, { errors }) => sum + (Array.isArray(errors) ? errors.length : 0), 0);
  return count === 0 ? [] : [`${count} new ${count === 1 ? "error" : "errors"}`];
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
