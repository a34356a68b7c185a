// ast_edit: rewrites code by its structure. The call plans and shows the changes; `resolve` applies or discards them.

import { listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { PendingAction } from "../../../contract/pending-actions.ts";
import {
  type CallScope,
  PlanChanged,
  type Preview,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { type FileOutcome, fileChanges, hostDetails, paragraphs, trailer } from "../../../files/edit/outcome.ts";
import { planOf } from "../../../files/edit/plan.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { applyRefactoring, type Refactoring, refactoredPaths } from "../../../files/edit/refactoring.ts";
import { searchAccess } from "../../../files/search/places.ts";
import { type PlannedEdits, type PlannedFile, planEdits } from "../../../files/structure/plan-edits.ts";
import { namedLanguage, refuseEmptyPattern } from "../../../files/structure/run-structure.ts";
import { countOf, exploringCard } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import description from "./description.md";

const SHOWN_EDITS = 100;
const SHOWN_BROKEN = 20;
const MOST_COLUMNS = 120;

const params = {
  ops: listOf(object({ pat: text("The pattern"), out: text("What takes its place; empty deletes it") }), {
    minItems: 1,
  }),
  paths: listOf(text("A path or glob"), { description: "Files, directories or globs", minItems: 1 }),
  lang: optional(text("Only files of this language, such as `typescript` or `py`")),
};

type Args = StaticFields<typeof params>;

export const astEditTool: ToolDef<Args> = {
  name: "ast_edit",
  label: "Rewrite code structure",
  description: description.trim(),
  schema: object(params),
  // This call only reads and plans; applying the plan is judged as an edit.
  tier: "read",
  replay: "safe",
  output: { chars: 30_000, mode: "head" },
  loadMode: "discoverable",
  deferrable: true,
  needs: ["structure", "pendingActions"],
  access: ({ paths }, scope) => searchAccess(paths, scope),
  summary: (args) => summary(args),
  card: (args, result) =>
    exploringCard(["Planning", "Planned", "Plan"], summary(args), result, ({ totalReplacements, filesTouched }) =>
      typeof totalReplacements === "number" && typeof filesTouched === "number"
        ? counts(totalReplacements, filesTouched)
        : undefined,
    ),
  async execute(args, context) {
    const planned = await planEdits(queryOf(args), context);
    if (planned.files.length > 0) context.services.pendingActions?.push(await pendingAction(planned, context));
    return resultOf(planned);
  },
};

function queryOf({ ops, paths, lang }: Args) {
  for (const { pat } of ops) refuseEmptyPattern(pat);
  const twice = ops.find(({ pat }, index) => ops.findIndex((other) => other.pat === pat) !== index);
  if (twice) throw new ToolFailure(`Two of the ops have the same pattern: ${twice.pat}`);
  return { rules: ops.map(({ pat: pattern, out }) => ({ pattern, out })), paths, language: namedLanguage(lang) };
}

const summary = ({ ops, paths }: Args): string => `${ops.map(({ pat }) => pat).join("; ")} in ${paths.join(", ")}`;

const counts = (replacements: number, files: number): string =>
  `${countOf(replacements, "replacement")} in ${countOf(files, "file")}`;

const totalOf = (files: readonly PlannedFile[]): number => files.reduce((sum, { edits }) => sum + edits.length, 0);

async function pendingAction({ files }: PlannedEdits, context: ToolContext): Promise<PendingAction> {
  const plan: Refactoring = { files, moves: [], notes: [] };
  const look = (scope: CallScope) => applyRefactoring({ ...scope, planOnly: true }, plan);
  // Bytes count, not only the text: line endings and byte order marks may change as well.
  const name = planOf((await look(context)).map(({ change }) => change));
  const label = counts(totalOf(files), files.length);
  return {
    label,
    tier: "write",
    sourceToolName: "ast_edit",
    access: (scope) => fileAccess("write", refactoredPaths(plan), scope),
    preview: (scope) => previewOf(() => look(scope)),
    apply: (_reason, scope) => apply(plan, name, label, scope),
  };
}

/** If the plan no longer fits, the question says so: applying it then fails and ends it. */
async function previewOf(look: () => Promise<readonly FileOutcome[]>): Promise<Preview> {
  try {
    return editPreview({ files: await look() }, []);
  } catch (error) {
    if (error instanceof ToolFailure) return { lines: [{ text: error.message, kind: "note" }], shows: [] };
    throw error;
  }
}

async function apply(plan: Refactoring, name: string, label: string, context: ToolContext): Promise<ToolResult> {
  try {
    const files = await applyRefactoring({ ...context, approvedPlan: name }, plan);
    return {
      content: [{ kind: "text", text: paragraphs(`Applied ${label}.`, trailer([], files)) }],
      details: { files: files.map(hostDetails) },
      changes: fileChanges(context, files),
      effects: "done",
    };
  } catch (error) {
    if (!(error instanceof PlanChanged)) throw error;
    throw new ToolFailure("A file has changed since the preview. Nothing was written; call ast_edit again.");
  }
}

function resultOf({ files, broken, searched, isCapped, missingPaths, notes }: PlannedEdits): ToolResult {
  const total = totalOf(files);
  const brokenNames = broken.slice(0, SHOWN_BROKEN).join(", ");
  const said = [
    ...(isCapped ? ["Limit reached; narrow paths."] : []),
    ...(broken.length > 0 ? [`Skipped, because of syntax errors: ${brokenNames}${moreOf(broken, SHOWN_BROKEN)}`] : []),
    ...(missingPaths.length > 0 ? [`Skipped missing paths: ${missingPaths.join(", ")}`] : []),
    ...notes,
  ].map((note) => `[${note}]`);
  const body =
    total === 0 ? ["No replacements made"] : [`Would make ${counts(total, files.length)}:`, ...linesOf(files)];
  return {
    content: [{ kind: "text", text: [...body, ...said].join("\n") }],
    details: {
      totalReplacements: total,
      filesTouched: files.length,
      filesSearched: searched,
      applied: false,
      limitReached: isCapped,
      ...(broken.length > 0 ? { parseErrors: [...broken] } : {}),
    },
    effects: "none",
  };
}

const moreOf = ({ length }: readonly unknown[], shown: number): string =>
  length > shown ? ` and ${length - shown} more` : "";

function linesOf(files: readonly PlannedFile[]): string[] {
  const lines: string[] = [];
  let left = SHOWN_EDITS;
  for (const { path, seen, matches } of files) {
    if (left === 0) break;
    lines.push(path);
    for (const { start, end, line, column, replacement = "" } of matches.slice(0, left)) {
      lines.push(`-${line}:${column} ${firstLine(seen.slice(start, end))}`);
      lines.push(`+${line}:${column} ${firstLine(replacement)}`);
      left--;
    }
  }
  const more = totalOf(files) - SHOWN_EDITS;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

const firstLine = (code: string): string => (code.split("\n", 1)[0] as string).slice(0, MOST_COLUMNS);
