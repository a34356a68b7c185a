// All tasks of the parser process.

import type { TaskTable } from "./types.ts";

export const TASKS: TaskTable = {
  "archive.inflate": async () => (await import("./archive/inflate.ts")).inflate,
  "archive.gunzip": async () => (await import("./archive/inflate.ts")).gunzip,
  "archive.scan": async () => (await import("./archive/inflate.ts")).scanTgz,
  "code.compare": async () => (await import("./code/store.ts")).compareCode,
  "code.definitions": async () => (await import("./code/look-up.ts")).listDefinitions,
  "code.dependents": async () => (await import("./code/look-up.ts")).findDependents,
  "code.find": async () => (await import("./code/look-up.ts")).findName,
  "code.rank": async () => (await import("./code/rank-code.ts")).rankCode,
  "code.read": async () => (await import("./code/read-code.ts")).readCode,
  "code.stat": async () => (await import("./code/read-code.ts")).statCode,
  "code.store": async () => (await import("./code/store.ts")).storeCode,
  "diagram.draw": async () => (await import("./diagram/draw-diagram.ts")).drawDiagram,
  document: async () => (await import("./document/index.ts")).readDocument,
  html: async () => (await import("./html/html-markdown.ts")).htmlMarkdown,
  "image.fit": async () => (await import("./image.ts")).fitImage,
  "sqlite.read": async () => (await import("./sqlite/read.ts")).readSqlite,
  structure: async () => (await import("./structure/structure.ts")).searchStructure,
  "sqlite.write": async () => (await import("./sqlite/write.ts")).writeSqlite,
};
