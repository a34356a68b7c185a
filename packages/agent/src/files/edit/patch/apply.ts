// Applies the operations of a patch in any language: all are staged in order, then all are written, or none.

import { ToolFailure } from "../../../contract/tool.ts";
import { applyEdits } from "../endings.ts";
import { type FileOutcome, outcomes } from "../outcome.ts";
import { refusePlaceholder } from "../replace.ts";
import { planFresh } from "../stale-edit.ts";
import { stageWhole } from "../whole-file.ts";
import { type EditScope, type EditWorkspace, withWorkspace } from "../workspace.ts";
import { type Level, locateHunks } from "./locate.ts";
import { parseUnified } from "./parse-unified.ts";
import { parseV4a } from "./parse-v4a.ts";
import { type Hunk, type PatchOperation, PatchSyntaxError } from "./types.ts";

interface PatchedOperation {
  readonly letter: "A" | "M" | "D" | "R";
  readonly path: string;
  readonly from?: string;
}

export interface PatchOutcome {
  readonly done: readonly PatchedOperation[];
  readonly files: readonly FileOutcome[];
  readonly notes: readonly string[];
}

export async function applyV4a(context: EditScope, input: string): Promise<PatchOutcome> {
  const patch = parseOrFail(() => parseV4a(input));
  if (!patch.paddedMarkers) return applyOperations(context, patch.operations);
  try {
    return await applyOperations(context, patch.operations);
  } catch (error) {
    // Taken as context, the line that looks like a marker fits nowhere, so it must have been meant as a marker.
    if (!(error instanceof ToolFailure)) throw error;
    return applyOperations(context, parseOrFail(() => parseV4a(input, { padded: true })).operations);
  }
}

/** Every file named in a patch, under each interpretation that `applyV4a` may use. */
export function v4aPaths(input: string): string[] {
  const patch = parseOrFail(() => parseV4a(input));
  const padded = patch.paddedMarkers ? paddedOperations(input) : [];
  return [...patch.operations, ...padded].flatMap(pathsOf);
}

function paddedOperations(input: string): readonly PatchOperation[] {
  try {
    return parseV4a(input, { padded: true }).operations;
  } catch (error) {
    if (error instanceof PatchSyntaxError) return [];
    throw error;
  }
}

/** Every file named in a unified diff. */
export function unifiedPaths(input: string): string[] {
  return parseOrFail(() => parseUnified(input)).flatMap(pathsOf);
}

export async function applyUnified(context: EditScope, input: string): Promise<PatchOutcome> {
  return applyOperations(
    context,
    parseOrFail(() => parseUnified(input)),
  );
}

function parseOrFail<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PatchSyntaxError) throw new ToolFailure(`${error.message} Nothing was written.`);
    throw error;
  }
}

async function applyOperations(context: EditScope, operations: readonly PatchOperation[]): Promise<PatchOutcome> {
  const paths = operations.flatMap(pathsOf);
  return withWorkspace(context, paths, async (workspace) => {
    const notes: string[] = [];
    const done = operations.map((operation) => stage(workspace, operation, notes));
    const files = await outcomes(context, await workspace.commit());
    return { done, files, notes };
  });
}

function pathsOf(operation: PatchOperation): string[] {
  return operation.kind === "update" && operation.moveTo !== undefined
    ? [operation.path, operation.moveTo]
    : [operation.path];
}

function stage(workspace: EditWorkspace, operation: PatchOperation, notes: string[]): PatchedOperation {
  const { path } = operation;
  switch (operation.kind) {
    case "delete":
      refuseUnseenLoss(workspace, path, operation.hunks ?? []);
      workspace.remove(path);
      return { letter: "D", path };
    case "add": {
      const existed = workspace.exists(path);
      if (workspace.size(path) > 0) notes.push(`overwrites ${path}, which exists.`);
      const content = operation.lines.join("\n") + (operation.unterminated || operation.lines.length === 0 ? "" : "\n");
      const said = stageWhole(workspace, path, content);
      notes.push(...said.map((note) => `${path}: ${note}`));
      return { letter: existed ? "M" : "A", path };
    }
    case "update":
      return stageUpdate(workspace, path, operation.hunks, operation.moveTo, notes);
  }
}

/** Content that was neither quoted nor shown is not deleted: it may be newer work of the user or another agent. */
function refuseUnseenLoss(workspace: EditWorkspace, path: string, hunks: readonly Hunk[]): void {
  if (!workspace.exists(path)) return;
  refuseStale(workspace, path, "deleted");
  if (hunks.length === 0) return;
  const { text } = workspace.document(path);
  const left = applyEdits(text, locateHunks(path, text, hunks).edits);
  if (left.trim() === "") return;
  throw new ToolFailure(
    `${path} has lines that the diff does not remove, such as ${JSON.stringify(firstLine(left))}, so it is not deleted. Read it again; to delete it regardless of its content, omit the hunk. Nothing was written.`,
  );
}

function refuseStale(workspace: EditWorkspace, path: string, fate: "deleted" | "overwritten"): void {
  if (!workspace.staleBase(path)) return;
  throw new ToolFailure(
    `${path} has changed on disk since it was last shown, so it is not ${fate}. Read it again first. Nothing was written.`,
  );
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "") ?? "").slice(0, 80);
}

const levelNotes: Readonly<Record<Exclude<Level, "exact">, string>> = {
  "trailing-whitespace": "ignoring trailing whitespace",
  indentation: "after shifting the indentation",
  unicode: "treating similar punctuation and spaces as equal",
};

function stageUpdate(
  workspace: EditWorkspace,
  path: string,
  hunks: readonly Hunk[],
  moveTo: string | undefined,
  notes: string[],
): PatchedOperation {
  if (hunks.length > 0) {
    const { text } = workspace.document(path);
    const added = hunks.flatMap((hunk) =>
      hunk.body.filter((change) => change.kind === "+").map((change) => change.text),
    );
    refusePlaceholder(path, added.join("\n"), text);
    const plan = planFresh(workspace, path, (content) => locateHunks(path, content, hunks));
    workspace.edit(path, plan.edits);
    if (moveTo === undefined && workspace.document(path).text === text) {
      throw new ToolFailure(
        `The patch leaves ${path} exactly as it is. Check the "-" and "+" lines. Nothing was written.`,
      );
    }
    notes.push(...plan.notes);
    for (const [index, level] of plan.levels.entries()) {
      if (level !== "exact") notes.push(`${path}, hunk ${index + 1}: matched ${levelNotes[level]}.`);
    }
  }
  if (moveTo === undefined) return { letter: "M", path };
  if (workspace.exists(moveTo)) {
    refuseStale(workspace, moveTo, "overwritten");
    notes.push(`the move overwrites ${moveTo}, which exists.`);
  }
  workspace.move(path, moveTo);
  return { letter: "R", path: moveTo, from: path };
}
