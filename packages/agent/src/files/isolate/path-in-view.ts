// Where a view that is kept has a file of the project, for a process that is not in the view: on this machine's disk, whether the view is
// open or was left. Only for reading, and without a guarantee that nothing changes in between: the caller opens the place without links.

import { readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { recordIn, type ViewRecord } from "./left-view.ts";
import { lstatOf } from "./on-disk.ts";
import { isSafeId } from "./view-folder.ts";

/** `own`: the view's own file lies at `place`. `project`: the path means this one of the machine. `absent`: the view has no such file. */
export type PathInView =
  | { readonly kind: "own"; readonly place: string }
  | { readonly kind: "project"; readonly path: string }
  | { readonly kind: "absent" };

/** The folder that has the place of the root, and whether the project shows through where it has nothing. */
interface Layer {
  readonly root: string;
  readonly folder: string;
  readonly isOverlay: boolean;
}

/** A link may lead to another; more than this are a loop. */
const MOST_LINKS = 40;

/**
 * Links on the way lead to where they would lead a command in the view. Undefined: the store has no such view with changes. A folder that
 * was removed and made again still shows what the project has there, because only the kernel can tell.
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
    const found = look(layer, at);
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

/** Or the path that a link on the way leads to. */
function look({ root, folder, isOverlay }: Layer, path: string): PathInView | string {
  if (!isInside(path, root)) return { kind: "project", path };
  const names = relative(root, path).split("/");
  let showsProject = isOverlay;
  for (const [number, name] of names.entries()) {
    const above = names.slice(0, number);
    const [place, below] = [join(folder, ...above, name), join(root, ...above, name)];
    const own = lstatOf(place);
    const shown = showsProject ? lstatOf(below) : undefined;
    const stat = own ?? shown;
    // The kernel notes what was removed as a device without a number.
    if (!stat || (own?.isCharacterDevice() && own.rdev === 0)) return { kind: "absent" };
    if (stat.isSymbolicLink())
      return resolve(dirname(below), readlinkSync(own ? place : below), ...names.slice(number + 1));
    if (number === names.length - 1) return own ? { kind: "own", place } : { kind: "project", path: below };
    if (!stat.isDirectory()) return { kind: "absent" };
    showsProject = shown?.isDirectory() ?? false;
  }
  return { kind: "project", path };
}
