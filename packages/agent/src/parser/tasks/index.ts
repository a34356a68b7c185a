// Everything that the parser process can do.

import type { TaskTable } from "./types.ts";

export const TASKS: TaskTable = {
  "archive.inflate": async () => (await import("./archive/inflate.ts")).inflate,
  "archive.gunzip": async () => (await import("./archive/inflate.ts")).gunzip,
  "archive.scan": async () => (await import("./archive/inflate.ts")).scanTgz,
};
