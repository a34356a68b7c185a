// The folders that a server serves: sessions are started, listed and opened only below them. Links are resolved, so
// that a link inside a root cannot lead out of it.

import { realpathSync } from "node:fs";
import { isDirectory } from "../../../platform/home/small-file.ts";
import { Refused } from "../../http/refused.ts";

export class Roots {
  readonly list: readonly string[];
  /** Results by folder: many sessions share few folders. */
  readonly #known = new Map<string, boolean>();

  /** Existing folders, with links resolved. */
  constructor(list: readonly string[]) {
    this.list = list;
  }

  /** The folder with links resolved. Throws if it does not exist or is outside the roots. */
  folder(path: string): string {
    const real = realFolder(path);
    if (real === undefined || !this.#holds(real))
      throw new Refused(403, "outside_roots", `Sessions are started in folders below ${this.list.join(", ")} only.`);
    return real;
  }

  /** Whether sessions of this folder are served. A deleted folder is judged by its name. */
  serves(cwd: string): boolean {
    const known = this.#known.get(cwd);
    if (known !== undefined) return known;
    const serves = this.#holds(realFolder(cwd) ?? cwd);
    this.#known.set(cwd, serves);
    return serves;
  }

  #holds(path: string): boolean {
    return this.list.some((root) => path === root || path.startsWith(root === "/" ? "/" : `${root}/`));
  }
}

function realFolder(path: string): string | undefined {
  // A relative path would mean something else to each client.
  if (!path.startsWith("/") || path.includes("\0") || !isDirectory(path)) return undefined;
  return realpathSync.native(path);
}
