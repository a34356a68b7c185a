// Settings of reading and searching.

import type { SettingSpec } from "./schema.ts";

export const READ_SETTINGS = {
  "read.defaultLimit": {
    type: "integer",
    min: 1,
    max: 3000,
    default: 2000,
    help: "lines that read shows when the model names no end (tool set lathe)",
  },
  "read.summarize.enabled": {
    type: "boolean",
    default: true,
    help: "show a long source file as its declarations, bodies folded (tool set lathe)",
  },
  readHashLines: {
    type: "boolean",
    default: true,
    help: "show files with the header and numbers that edits by line refer to (tool set lathe)",
  },
  readLineNumbers: {
    type: "boolean",
    default: true,
    help: "number the lines of files that are shown without that header (tool set lathe)",
  },
  "search.contextBefore": {
    type: "integer",
    min: 0,
    max: 50,
    default: 1,
    help: "lines that the model is shown before each match of search",
  },
  "search.contextAfter": {
    type: "integer",
    min: 0,
    max: 50,
    default: 3,
    help: "lines that the model is shown after each match of search",
  },
} as const satisfies Record<string, SettingSpec>;
