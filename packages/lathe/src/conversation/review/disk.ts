// File access of a review: the disk, or the view that the run works in.

import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { ExecutionEnvironment } from "@lathe/agent";

/** A file; all fields but `isLink` describe the link's target. */
interface FoundFile {
  readonly isFile: boolean;
  readonly isLink: boolean;
  readonly size: number;
  readonly real: string;
}

export interface Disk {
  /** Undefined if the file does not exist or is not readable. */
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
