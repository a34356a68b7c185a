// How conflicts are shown: each with its address and both sides, without the markers, so that text copied from here is
// not a conflict.

import type { SchemeResolver } from "../../../contract/seams/schemes.ts";
import { ToolFailure } from "../../../contract/tool.ts";
import { type ConflictSide, looseMarkers } from "../../edit/conflict-regions.ts";
import { conflictsAt } from "./address.ts";
import type { Conflict, ConflictedFile, Conflicts } from "./conflicts.ts";

const MOST_SIDE_LINES = 200;

/** The output of `file:conflicts`. */
export function conflictsView(file: ConflictedFile, conflicts: Conflicts): string {
  const found = conflicts.record(file);
  const loose = looseNote(file.path, file.text);
  if (found.length === 0) return loose ?? `${file.path} has no unresolved conflicts.`;
  const count = found.length === 1 ? "1 unresolved conflict" : `${found.length} unresolved conflicts`;
  const how =
    "Resolve one by writing its final text to its address, or @ours, @theirs or @base on a line of its own for a side; conflict://* resolves all.";
  return [`${file.path} has ${count}. ${how}`, ...found.map(conflictText), ...(loose ? [loose] : [])].join("\n\n");
}

/** An incomplete conflict has no sides to choose from, and the file is not resolved either. */
export function looseNote(path: string, text: string): string | undefined {
  const lines = looseMarkers(text);
  if (lines.length === 0) return undefined;
  const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.slice(0, 20).join(", ")}`;
  return `${path} has conflict markers without their counterparts on ${where}. Resolve these with edit.`;
}

function conflictText({ id, path, region }: Conflict): string {
  const sides = [
    sideText("ours", region.ours, id),
    ...(region.base ? [sideText("base", region.base, id)] : []),
    sideText("theirs", region.theirs, id),
  ];
  return [`conflict://${id} (${path}, ${linesOf(region)})`, ...sides].join("\n");
}

const linesOf = ({ start, end }: Conflict["region"]): string =>
  end > start ? `lines ${start + 1}-${end}` : `before line ${start + 1}`;

function sideText(name: string, { label, text }: ConflictSide, id: number): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MOST_SIDE_LINES);
  const more = lines.length - shown.length;
  const heading = `--- ${name}${label === "" ? "" : ` (${label})`}${lines.length === 0 ? ": nothing" : ""}`;
  return [heading, ...shown, ...(more > 0 ? [`[${more} more lines; read conflict://${id}/${name}]`] : [])].join("\n");
}

/** Reads conflict:// addresses as they were last shown. Writing to them edits files: see ./settle.ts. */
export function conflictScheme(conflicts: Conflicts): SchemeResolver {
  return {
    readsWhole: true,
    list: async () =>
      conflicts.open().map(({ id, path, region }) => ({
        url: `conflict://${id}`,
        about: `${path}, ${linesOf(region)}`,
      })),
    read: async (url) => {
      const { named, side } = conflictsAt(url, conflicts);
      if (side === undefined) return named.map(conflictText).join("\n\n");
      return named.map((conflict) => sideOf(conflict, side)).join("");
    },
  };
}

export function sideOf({ id, path, region }: Conflict, side: "ours" | "theirs" | "base"): string {
  const found = region[side];
  if (found) return found.text;
  throw new ToolFailure(
    `conflict://${id} in ${path} has no base: the merge was made without conflict style diff3 or zdiff3.`,
  );
}
