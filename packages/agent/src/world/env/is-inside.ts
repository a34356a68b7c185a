import { isAbsolute, relative } from "node:path";

/** Whether an absolute path is this directory or inside it. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
