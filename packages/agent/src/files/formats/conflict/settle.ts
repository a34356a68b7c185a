// Resolves conflicts: replaces their regions in the files, through the same workspace as every edit, and so with its
// preview, its staleness check and its all-or-nothing writes (T-WRITE-4). Permissions judge the files behind the
// numbers.

import {
  type Access,
  type CallScope,
  type Preview,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { conflictRegions } from "../../edit/conflict-regions.ts";
import { toLineFeeds } from "../../edit/endings.ts";
import { Lines } from "../../edit/lines.ts";
import { type FileOutcome, fileChanges, hostDetails, outcomes, paragraphs, trailer } from "../../edit/outcome.ts";
import { editPreview } from "../../edit/preview.ts";
import { type EditScope, type EditWorkspace, withWorkspace } from "../../edit/workspace.ts";
import { conflictsAt, type Scope } from "./address.ts";
import type { Conflict } from "./conflicts.ts";
import { looseNote, sideOf } from "./view.ts";

interface Settled {
  readonly conflicts: readonly Conflict[];
  readonly files: readonly FileOutcome[];
  /** Number of conflicts left in each file, by its path. */
  readonly left: ReadonlyMap<string, number>;
  /** Notes about markers that belong to no conflict, by path. */
  readonly loose: ReadonlyMap<string, string>;
}

/** The files that a write to this address changes. */
export async function conflictAccess(url: string, scope: CallScope): Promise<Access[]> {
  const { named } = writable(url, scope);
  const paths = [...new Set(named.map((conflict) => pathOf(conflict, scope)))];
  return Promise.all(
    paths.map(async (path) => ({ kind: "write" as const, path: (await scope.paths.locate(path)).real })),
  );
}

/** `shows`: the arguments that the planned changes show. */
export async function conflictPreview(
  url: string,
  content: string,
  scope: CallScope,
  shows: readonly string[],
): Promise<Preview> {
  const { files } = await settle({ ...scope, planOnly: true }, url, content);
  return editPreview({ files }, shows);
}

export async function writeConflicts(url: string, content: string, context: ToolContext): Promise<ToolResult> {
  const { conflicts, files, left, loose } = await settle(context, url, content);
  const summary = `Resolved ${conflicts.map(({ id }) => `conflict://${id}`).join(", ")}`;
  const rest = [...left].map(([path, count]) =>
    count === 0
      ? (loose.get(path) ?? `${path} has no conflicts left.`)
      : `${path} has ${count} left; read ${path}:conflicts.`,
  );
  return {
    content: [
      {
        kind: "text",
        text: paragraphs(`${summary}. ${rest.join(" ")}`, snapshots(files, context), trailer([], files)),
      },
    ],
    details: { settled: conflicts.map(({ id }) => id), files: files.map(hostDetails) },
    changes: fileChanges(context, files),
    effects: "done",
  };
}

/** A header per file, for subsequent edits. */
function snapshots(files: readonly FileOutcome[], { services }: ToolContext): string {
  const headers = files.flatMap(({ path, change }) => {
    const tag = services.shownFiles?.latest(change.target.absolute)?.tag;
    return tag === undefined ? [] : [`¶${path}#${tag}`];
  });
  return headers.length === 0 ? "" : ["Snapshots:", ...headers].join("\n");
}

async function settle(scope: EditScope, url: string, content: string): Promise<Settled> {
  const { named } = writable(url, scope);
  const text = toLineFeeds(content);
  if (conflictRegions(text).length > 0) {
    throw new ToolFailure(`The text for ${url} contains conflict markers. Send the final text. Nothing was written.`);
  }
  const byPath = new Map<string, Conflict[]>();
  for (const conflict of named) {
    const path = pathOf(conflict, scope);
    byPath.set(path, [...(byPath.get(path) ?? []), conflict]);
  }
  return withWorkspace(scope, [...byPath.keys()], async (workspace) => {
    for (const [path, conflicts] of byPath) stage(workspace, path, conflicts, text, scope);
    const left = new Map(
      [...byPath.keys()].map((path) => [path, conflictRegions(workspace.document(path).text).length]),
    );
    const loose = new Map(
      [...byPath.keys()].flatMap((path): [string, string][] => {
        const note = looseNote(path, workspace.document(path).text);
        return note === undefined ? [] : [[path, note]];
      }),
    );
    const files = await outcomes(scope, await workspace.commit());
    if (!scope.planOnly) scope.services.conflicts?.settle(named.map(({ id }) => id));
    return { conflicts: named, files, left, loose };
  });
}

function stage(
  workspace: EditWorkspace,
  path: string,
  conflicts: readonly Conflict[],
  content: string,
  { services }: CallScope,
): void {
  const { text } = workspace.document(path);
  const lines = new Lines(text);
  const edits = conflicts.map((conflict) => {
    const region = services.conflicts?.find(conflict, text);
    if (!region) {
      throw new ToolFailure(
        `conflict://${conflict.id} is no longer in ${path} as it was shown: something has changed or resolved it. Read ${path}:conflicts again. Nothing was written.`,
      );
    }
    const [start, end] = [lines.offset(region.start), lines.offset(region.end)];
    return { start, end, text: terminate(replacement(conflict, content), /^$|\n$/.test(region.text)) };
  });
  workspace.edit(
    path,
    edits.sort((a, b) => a.start - b.start),
  );
}

const SIDES = /^(?:[ \t]*@(?:ours|theirs|base)[ \t]*(?:\n|$))+$/;

/** Text that consists of names of sides means these sides, in this order. */
function replacement(conflict: Conflict, content: string): string {
  if (!SIDES.test(content)) return content;
  return (content.match(/@\w+/g) ?? []).map((name) => sideOf(conflict, name.slice(1) as Scope)).join("");
}

/** The region's last line keeps its line end, or the lack of one. */
function terminate(text: string, isTerminated: boolean): string {
  if (text === "" || text.endsWith("\n") === isTerminated) return text;
  return isTerminated ? `${text}\n` : text.slice(0, -1);
}

function writable(url: string, { services }: CallScope): { readonly named: readonly Conflict[] } {
  const { named, side } = conflictsAt(url, services.conflicts);
  if (side === undefined) return { named };
  throw new ToolFailure(
    `${url} is read-only: it shows one side. Write to ${url.slice(0, url.lastIndexOf("/"))}. Nothing was written.`,
  );
}

/** The name used by the read, unless it now refers to another file. */
const pathOf = ({ path, absolute }: Conflict, { env }: CallScope): string =>
  env.resolve(path) === absolute ? path : absolute;
