// Everything that the parser process can do.

import type { TaskTable } from "./types.ts";

export const TASKS: TaskTable = {
  "archive.inflate": async () => (await import("./archive/inflate.ts")).inflate,
  "archive.gunzip": async () => (await import("./archive/inflate.ts")).gunzip,
  "archive.scan": async () => (await import("./archive/inflate.ts")).scanTgz,
  document: async () => (await import("./document/index.ts")).readDocument,
  html: async () => (await import("./html/html-markdown.ts")).htmlMarkdown,
  "image.fit": async () => (await import("./image.ts")).fitImage,
  "sqlite.read": async () => (await import("./sqlite/read.ts")).readSqlite,
  structure: async () => (await import("./structure/structure.ts")).searchStructure,
  "sqlite.write": async () => (await import("./sqlite/write.ts")).writeSqlite,
};
