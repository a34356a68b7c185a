// Turns what reviewers reported into findings that can be judged: each with a file, a line and a quote that really is
// there. Equal reports of two lenses are merged.

import { isAbsolute, normalize, relative } from "node:path/posix";
import type { JsonValue } from "@lathe/llm";
import { placeOfQuote } from "./quotes.ts";
import { type DroppedFinding, type Finding, PRIORITIES, type Priority } from "./types.ts";

/** What one lens reported, in its order. */
export interface LensFindings {
  readonly lens: string;
  readonly reported: readonly JsonValue[];
}

export interface CheckedFindings {
  readonly findings: readonly Finding[];
  readonly dropped: readonly DroppedFinding[];
}

/** Reads a file of the reviewed tree; undefined if there is no such file. */
export type ReadReviewed = (path: string) => Promise<string | undefined>;

export async function checkFindings(
  all: readonly LensFindings[],
  top: string,
  read: ReadReviewed,
): Promise<CheckedFindings> {
  const findings: Finding[] = [];
  const dropped: DroppedFinding[] = [];
  for (const { lens, reported } of all) {
    for (const value of reported) {
      const checked = await checkFinding(reportedFinding(value), lens, top, read);
      if ("dropped" in checked) dropped.push(checked);
      else merge(findings, checked, dropped);
    }
  }
  return { findings: findings.sort(byWeight), dropped: dropped.sort(byDrop) };
}

interface Reported {
  readonly title: string;
  readonly body: string;
  readonly priority: Priority;
  readonly path?: string;
  readonly line?: number;
  readonly quote?: string;
}

function reportedFinding(value: JsonValue): Reported {
  const { title, body, path, line, quote, priority } = value as Record<string, unknown>;
  const isPriority = (PRIORITIES as readonly unknown[]).includes(priority);
  return {
    title: String(title),
    body: String(body ?? ""),
    priority: isPriority ? (priority as Priority) : "P2",
    ...(typeof path === "string" ? { path } : {}),
    ...(typeof line === "number" ? { line } : {}),
    ...(typeof quote === "string" ? { quote } : {}),
  };
}

async function checkFinding(
  reported: Reported,
  lens: string,
  top: string,
  read: ReadReviewed,
): Promise<Finding | DroppedFinding> {
  const drop = (dropped: DroppedFinding["dropped"], why: string): DroppedFinding => ({
    ...reported,
    lenses: [lens],
    dropped,
    why,
  });
  if (reported.path === undefined || reported.path.trim() === "") return drop("no_place", "it names no file");
  if (reported.quote === undefined) return drop("no_place", "it quotes no line");
  const path = pathBelow(top, reported.path.trim());
  if (path === undefined) return drop("no_place", `${reported.path} is not in the repository`);
  const text = await read(path);
  if (text === undefined) return drop("no_place", `there is no file ${path} in the reviewed tree`);
  const place = placeOfQuote(text, reported.quote, reported.line);
  if ("problem" in place) return drop("false_quote", place.problem);
  const { title, body, priority } = reported;
  return { path, ...place, priority, title, body, lenses: [lens] };
}

/** Reviewers name files as the diff does, relative to the top, or by absolute path. */
function pathBelow(top: string, named: string): string | undefined {
  const path = normalize(isAbsolute(named) ? relative(top, named) : named);
  return path === "." || path.startsWith("..") || isAbsolute(path) ? undefined : path;
}

/** Merges a finding into an earlier one about the same line; the more severe one's words stay. */
function merge(findings: Finding[], found: Finding, dropped: DroppedFinding[]): void {
  const index = findings.findIndex((one) => isSame(one, found));
  const same = findings[index];
  if (!same) {
    findings.push(found);
    return;
  }
  const [kept, other] = found.priority < same.priority ? [found, same] : [same, found];
  findings[index] = { ...kept, lenses: [...new Set([...same.lenses, ...found.lenses])] };
  dropped.push({ ...other, dropped: "duplicate", why: `the same as "${kept.title}"` });
}

/** Findings are the same if this share of the shorter title's words is in the other title. */
const ALIKE = 0.6;

function isSame(a: Finding, b: Finding): boolean {
  if (a.path !== b.path || a.line !== b.line) return false;
  const [some, others] = [wordsOf(a.title), wordsOf(b.title)];
  const shared = [...some].filter((word) => others.has(word)).length;
  return shared >= ALIKE * Math.min(some.size, others.size);
}

const wordsOf = (title: string): Set<string> => new Set(title.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);

/** The most severe first, in a stable order. */
function byWeight(a: Finding, b: Finding): number {
  return compare(a.priority, b.priority) || compare(a.path, b.path) || a.line - b.line || compare(a.title, b.title);
}

function byDrop(a: DroppedFinding, b: DroppedFinding): number {
  return (
    compare(a.dropped, b.dropped) ||
    compare(a.path ?? "", b.path ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.title, b.title) ||
    compare(a.lenses.join(), b.lenses.join())
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
