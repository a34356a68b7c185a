// Where the files of a review are: on the disk, or in the view that the run works in.

import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { ExecutionEnvironment } from "@lathe/agent";

/** What is at a path; links are followed for all but `isLink`. */
interface FoundFile {
  readonly isFile: boolean;
  readonly isLink: boolean;
  readonly size: number;
  readonly real: string;
}

export interface Disk {
  /** Undefined when there is nothing, or nothing that we may look at. */
  find(path: string): Promise<FoundFile | undefined>;
  read(path: string): Promise<Buffer>;
}

const NOT_THERE = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

export const hostDisk: Disk = {
  find: async (path) => {
    try {
      const stat = statSync(path);
      return {
        isFile: stat.isFile(),
        isLink: lstatSync(path).isSymbolicLink(),
        size: stat.size,
        real: realpathSync(path),
      };
    } catch (error) {
      if (NOT_THERE.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
      throw error;
    }
  },
  read: async (path) => readFileSync(path),
};

export const viewDisk = (env: Pick<ExecutionEnvironment, "stat" | "readBytes">): Disk => ({
  find: async (path) => {
    const found = await env.stat(path);
    if (!found || found.kind === "dangling") return undefined;
    return { isFile: found.kind === "file", isLink: found.isSymlink, size: found.size, real: found.realPath };
  },
  read: async (path) => Buffer.from(await env.readBytes(path)),
});
