// A view as a layer over the project, with the kernel's overlay file system: opens in milliseconds whatever the
// project's size. Changes go to the view's upper layer; the project below is never written.

import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { findSystemProgram } from "../../world/env/sandbox/starting.ts";
import { KindUnavailable, type OpenedKind, type Opening } from "./kinds.ts";
import type { ViewFiles } from "./left-out.ts";
import { lstatOf } from "./on-disk.ts";
import type { Part } from "./parts.ts";
import { type Repository, repositoryAround } from "./repository.ts";
import type { TreeSource } from "./tree.ts";
import type { ViewRequest } from "./types.ts";
import { namespaceEnvironment, openViewNamespace } from "./view-environment.ts";
import { overlayMounts, type ViewNamespace } from "./view-namespace.ts";

export async function openOverlay(opening: Opening): Promise<OpenedKind> {
  const { request, folder } = opening;
  const { root } = request;
  refuseObstacles(root);
  const layers = join(folder, "layers");
  const known = placesOf(root, [repositoryAround(root)]);
  // Taken while the namespace opens: nothing inside can change the files below.
  const [parts, first] = await Promise.all([opening.parts(), openOver(request, layers, known)]);
  const places = placesOf(
    root,
    parts.map(({ repository }) => repository),
  );
  let namespace = first;
  if (places.length > known.length) {
    await first.close();
    namespace = await openOver(request, layers, places);
  }
  return {
    env: namespaceEnvironment(request, namespace),
    files: layerFiles(join(layers, "0/upper")),
    source: async (part) => ({
      ...layerSource(part, root, join(layers, "0/upper")),
      enter: (await namespace.open()).enter,
    }),
    close: () => namespace.close(),
  };
}

async function openOver(request: ViewRequest, layers: string, places: readonly string[]): Promise<ViewNamespace> {
  for (const number of places.keys()) {
    for (const name of ["lower", "upper", "work", "merged"])
      mkdirSync(join(layers, String(number), name), { recursive: true });
  }
  return openViewNamespace(request, overlayMounts(layers, places));
}

/** The root, and data that repositories keep elsewhere: refs and objects that git commands in the view would change. */
function placesOf(root: string, repositories: readonly (Repository | undefined)[]): string[] {
  const elsewhere = repositories
    .flatMap((repository) => (repository ? [repository.commonDir, repository.gitDir] : []))
    .filter((path) => !isInside(path, root));
  const outermost = [...new Set(elsewhere)].filter(
    (path, _, all) => !all.some((other) => other !== path && isInside(path, other)),
  );
  return [root, ...outermost];
}

/**
 * Files that show through belong to the project, even if they changed there: a difference is the view's if its layer
 * has the file, or if a file is gone that still exists below.
 */
function layerSource({ top }: Part, root: string, upper: string): Pick<TreeSource, "hostPath" | "isWanted"> {
  const inLayer = (path: string): string => join(upper, relative(root, join(top, path)));
  return {
    hostPath: inLayer,
    isWanted: (path, isGone) => {
      const own = lstatOf(inLayer(path));
      if (own && !own.isDirectory()) return true;
      return isGone && lstatOf(join(top, path)) !== undefined;
    },
  };
}

/** The kernel marks removed files as character devices with number 0. */
const layerFiles = (folder: string): ViewFiles => ({
  folder,
  isOwn: () => true,
  isRemoval: (stat) => stat.isCharacterDevice() && stat.rdev === 0,
  hadAtFirst: () => false,
});

function refuseObstacles(root: string): void {
  if (process.platform !== "linux") throw new KindUnavailable("overlay needs Linux");
  for (const name of ["bwrap", "unshare", "nsenter"]) {
    if (findSystemProgram(name) === undefined) throw new KindUnavailable(`overlay needs the program ${name}`);
  }
  if (lstatSync(root).uid !== process.geteuid?.()) {
    throw new KindUnavailable(`overlay needs files of the user who runs it, and ${root} belongs to another`);
  }
  const mounted = mountPoints().find((path) => path.startsWith(`${root}/`));
  if (mounted !== undefined) throw new KindUnavailable(`overlay would not show what is mounted at ${mounted}`);
}

function mountPoints(): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const unescapePath = (path: string): string =>
    path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return lines.flatMap((line) => (line === "" ? [] : [unescapePath(line.split(" ")[4] ?? "")]));
}
