// Applies hashline input. The tag identifies the text that the line numbers refer to; if the file has changed since,
// the edit is carried over if that is unambiguous, and otherwise refused with fresh context.

import { ToolFailure } from "../../../contract/tool.ts";
import { type LineEdit, Lines, splitLines } from "../lines.ts";
import { type FileOutcome, outcomes } from "../outcome.ts";
import { rebaseLineEdits } from "../rebase.ts";
import { refusePlaceholder } from "../replace.ts";
import { ShownFiles, type ShownVersion } from "../shown-files.ts";
import { type EditScope, type EditWorkspace, withWorkspace } from "../workspace.ts";
import { type HashlineInput, HashlineSyntaxError, parseHashline, type Section } from "./parse.ts";
import { around, resolveOperations } from "./resolve.ts";

export interface HashlineFile {
  readonly file: FileOutcome;
  /** Tag of the new content, for the next edit. */
  readonly tag: string;
  readonly blocks: readonly string[];
}

export interface HashlineOutcome {
  readonly files: readonly HashlineFile[];
  readonly warnings: readonly string[];
}

export async function applyHashline(context: EditScope, input: string): Promise<HashlineOutcome> {
  const { sections, warnings } = parseInput(input);
  return applySections(context, joinSections(sections), warnings).catch((error: unknown) => {
    throw readable(error);
  });
}

/** Every file named in the input. */
export function hashlinePaths(input: string): string[] {
  return parseInput(input).sections.map(({ path }) => path);
}

function parseInput(input: string): HashlineInput {
  try {
    return parseHashline(input);
  } catch (error) {
    throw readable(error);
  }
}

function readable(error: unknown): unknown {
  if (!(error instanceof HashlineSyntaxError)) return error;
  return new ToolFailure(`${error.message}\nNothing was written.`);
}

/**
 * Line numbers always refer to the original text, so two sections of one file are merged into one list of operations.
 */
function joinSections(sections: readonly Section[]): Section[] {
  const joined = new Map<string, Section>();
  for (const section of sections) {
    const key = `${section.path}#${section.tag}`;
    const before = joined.get(key);
    joined.set(key, before ? { ...before, operations: [...before.operations, ...section.operations] } : section);
  }
  return [...joined.values()];
}

async function applySections(
  context: EditScope,
  sections: readonly Section[],
  parseWarnings: readonly string[],
): Promise<HashlineOutcome> {
  const shown = context.services.shownFiles ?? new ShownFiles();
  const paths = sections.map((section) => section.path);
  return withWorkspace(context, paths, async (workspace) => {
    const warnings = [...parseWarnings];
    const blocks = new Map<string, readonly string[]>();
    for (const section of sections) {
      blocks.set(section.path, [
        ...(blocks.get(section.path) ?? []),
        ...(await stage(context, workspace, shown, section, warnings)),
      ]);
    }
    const files = await outcomes(context, await workspace.commit());
    if (files.length === 0) throw new ToolFailure("The sections undo each other. Nothing was written.");
    // The model does not see a preview, so it must not be recorded as shown.
    const names = context.planOnly ? new ShownFiles() : shown;
    return {
      warnings,
      files: files.map((file) => ({
        file,
        tag: names.record(file.change.target.absolute, file.change.after?.document?.text ?? "", { edited: true }),
        blocks: blocks.get(file.path) ?? [],
      })),
    };
  });
}

const banners = {
  external: "had been changed outside this session; the edit was applied to the current lines.",
  chain: "had been edited by this session after that tag; the edit was applied to the current lines.",
  replay:
    "had been edited by this session and changed outside it after that tag; the edit was applied to the current lines.",
} as const;

async function stage(
  context: EditScope,
  workspace: EditWorkspace,
  shown: ShownFiles,
  section: Section,
  warnings: string[],
): Promise<readonly string[]> {
  const { path, tag, operations } = section;
  const { text } = workspace.document(path);
  const absolute = workspace.absolute(path);
  const history = shown.versions(absolute);
  const base = shown.byTag(absolute, tag) ?? (new ShownFiles().record(absolute, text) === tag ? { text } : undefined);
  if (base?.text === undefined) throw mismatch(path, shown.record(absolute, text), text, section, base !== undefined);
  refusePlaceholder(
    path,
    operations.flatMap((operation) => ("body" in operation ? operation.body : [])).join("\n"),
    text,
  );
  const { edits, blocks } = await resolveOperations(path, base.text, operations, context.services.syntax);
  const moved = base.text === text ? edits : rebaseLineEdits(splitLines(base.text), splitLines(text), edits);
  if (!moved) throw mismatch(path, shown.record(absolute, text), text, section, true);
  if (base.text !== text) warnings.push(`${path} ${banners[mismatchKind(history, tag, text)]}`);
  refuseNoChange(path, text, moved);
  workspace.edit(path, new Lines(text).toTextEdits(moved));
  return blocks;
}

/** `history` is newest first. */
function mismatchKind(history: readonly ShownVersion[], tag: string, text: string): keyof typeof banners {
  const since = history.slice(
    0,
    history.findIndex((version) => version.tag === tag),
  );
  if (!since.some((version) => version.edited)) return "external";
  return since[0]?.text === text ? "chain" : "replay";
}

function refuseNoChange(path: string, text: string, edits: readonly LineEdit[]): void {
  const lines = new Lines(text);
  const same = edits.every(
    ({ start, end, lines: body }) =>
      body.length === end - start && body.every((line, index) => line === lines.at(start + index)),
  );
  if (!same) return;
  throw new ToolFailure(
    `The edit of ${path} changes nothing: its rows are identical to those lines. Read the file again and check the line numbers instead of widening the range. Nothing was written.`,
  );
}

function mismatch(path: string, tag: string, text: string, section: Section, known: boolean): ToolFailure {
  const anchors = section.operations.flatMap((operation) => {
    if ("first" in operation) return [operation.first, operation.last];
    return "line" in operation ? [operation.line] : [];
  });
  const why = known
    ? `${path} has changed since #${section.tag} in or next to the lines of this edit`
    : `#${section.tag} is not a tag that was shown for ${path}`;
  const lines = splitLines(text);
  const now = around(
    lines,
    anchors.filter((anchor) => anchor <= lines.length),
  );
  return new ToolFailure(
    `${why}. Nothing was written. The file is ¶${path}#${tag} now${now === "" ? "." : `:\n${now}`}\nRepeat the edit with this tag and these line numbers, or read the file again.`,
  );
}
