// Finds where a kept view stores a file of the project, for a process outside the view: on this machine's disk, whether
// the view is open or was left. Only for reading, and things may change in between: the caller opens the path without
// following links.

import { readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { recordIn, type ViewRecord } from "./left-view.ts";
import { lstatOf } from "./on-disk.ts";
import { isSafeId } from "./view-folder.ts";

/**
 * `own`: the view's own file is at `place`. `project`: the path refers to this file of the machine. `absent`: the view
 * has no such file.
 */
export type PathInView =
  | { readonly kind: "own"; readonly place: string }
  | { readonly kind: "project"; readonly path: string }
  | { readonly kind: "absent" };

/** The folder that corresponds to the root, and whether the project shows through where it has nothing. */
interface Layer {
  readonly root: string;
  readonly folder: string;
  readonly isOverlay: boolean;
}

/** Links may be chained; more than this is a loop. */
const MOST_LINKS = 40;

/**
 * Links are followed as they would be for a command in the view. Undefined if the store has no such view with changes.
 * A folder that was removed and recreated still shows the project's content, because only the kernel can tell.
 */
export function pathInView(store: string, id: string, path: string): PathInView | undefined {
  const folder = join(store, id);
  const record = isSafeId(id) ? recordIn(folder) : undefined;
  if (!record) return undefined;
  const layer = {
    root: record.root,
    folder: layerOf(realpathSync(folder), record),
    isOverlay: record.kind === "overlay",
  };
  let at = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    const found = lookUp(layer, at);
    if (typeof found !== "string") return found;
    at = found;
  }
  return { kind: "absent" };
}

function layerOf(folder: string, { kind, parts }: ViewRecord): string {
  if (kind === "overlay") return join(folder, "layers/0/upper");
  // A repository around the root is written as a whole.
  const around = kind === "worktree" ? parts.find(({ scope }) => scope !== "") : undefined;
  return around ? join(folder, "around", around.scope) : join(folder, "tree");
}

/** The result, or the path that a link leads to. */
function lookUp({ root, folder, isOverlay }: Layer, path: string): PathInView | string {
  if (!isInside(path, root)) return { kind: "project", path };
  const names = relative(root, path).split("/");
  let showsProject = isOverlay;
  for (const [number, name] of names.entries()) {
    const above = names.slice(0, number);
    const [place, below] = [join(folder, ...above, name), join(root, ...above, name)];
    const own = lstatOf(place);
    const shown = showsProject ? lstatOf(below) : undefined;
    const stat = own ?? shown;
    // The kernel marks removed files as character devices with number 0.
    if (!stat || (own?.isCharacterDevice() && own.rdev === 0)) return { kind: "absent" };
    if (stat.isSymbolicLink())
      return resolve(dirname(below), readlinkSync(own ? place : below), ...names.slice(number + 1));
    if (number === names.length - 1) return own ? { kind: "own", place } : { kind: "project", path: below };
    if (!stat.isDirectory()) return { kind: "absent" };
    showsProject = shown?.isDirectory() ?? false;
  }
  return { kind: "project", path };
}
