// What the journal of a session says about landings: the files of each, written down before the first of them is. So a process that
// opens the journal of a killed one knows whether the work of an agent is in the project.

import { isJsonObject, type JsonObject } from "@lathe/llm";
import { landedOf } from "../../files/isolate/landing-journal.ts";
import type { LandedFile } from "../../files/isolate/types.ts";
import type { Journal } from "../../record/journal/journal.ts";

const LINE_KIND = "landing";

export function recordLanding(journal: Journal, agentId: string, files: readonly LandedFile[]): void {
  journal.write({ type: "host", kind: LINE_KIND, data: { agentId, files: files.map((file) => ({ ...file })) } });
}

/** Written when the branches are there: nothing of them can be half. */
export function recordBranches(journal: Journal, agentId: string, branches: readonly string[]): void {
  journal.write({ type: "host", kind: LINE_KIND, data: { agentId, files: [], branches: [...branches] } });
}

/** What the journal knows of a landing. */
export interface RecordedLanding {
  readonly files: readonly string[];
  readonly isWhole: boolean;
  readonly branches: readonly string[];
}

/** `files`: those that are as the landing left them; undefined when none was begun. */
export function landingOf(journal: Pick<Journal, "outside">, agentId: string): RecordedLanding | undefined {
  const lines = [...journal.outside("host")].filter(({ kind, data }) => kind === LINE_KIND && isOf(data, agentId));
  const last = lines.at(-1)?.data as JsonObject | undefined;
  if (!last) return undefined;
  const wanted = (last["files"] as readonly unknown[]).filter(isLandedFile);
  const files = landedOf(wanted);
  const branches = Array.isArray(last["branches"]) ? last["branches"].map(String) : [];
  return { files, isWhole: files.length === wanted.length, branches };
}

function isOf(data: unknown, agentId: string): boolean {
  return isJsonObject(data) && data["agentId"] === agentId && Array.isArray(data["files"]);
}

const isLandedFile = (file: unknown): file is LandedFile =>
  isJsonObject(file) && typeof file["path"] === "string" && typeof file["sign"] === "string";
