// What a session's journal says about landings: the files of each, noted before the first of them is written. So a
// process that opens the journal of a killed one knows whether an agent's work is in the project.

import { isJsonObject, type JsonObject } from "@lathe/llm";
import { landedOf } from "../../files/isolate/landing-journal.ts";
import type { LandedFile } from "../../files/isolate/types.ts";
import type { Journal } from "../../record/journal/journal.ts";

const LINE_KIND = "landing";

export function recordLanding(journal: Journal, agentId: string, files: readonly LandedFile[]): void {
  journal.write({ type: "host", kind: LINE_KIND, data: { agentId, files: files.map((file) => ({ ...file })) } });
}

/** Noted when the branches exist; a branch cannot be half written. */
export function recordBranches(journal: Journal, agentId: string, branches: readonly string[]): void {
  journal.write({ type: "host", kind: LINE_KIND, data: { agentId, files: [], branches: [...branches] } });
}

/** A landing as the journal knows it. */
export interface RecordedLanding {
  readonly files: readonly string[];
  readonly isWhole: boolean;
  readonly branches: readonly string[];
}

/** `files`: those that are still as the landing left them; undefined if no landing began. */
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
