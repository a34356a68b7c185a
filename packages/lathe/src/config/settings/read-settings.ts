// Settings for reading and searching files.

import { flag, integer, type Schema } from "@lathe/llm/schema";

export const READ_SETTINGS = {
  "read.defaultLimit": integer({
    minimum: 1,
    maximum: 3000,
    default: 2000,
    description: "lines that read shows if the model gives no end (tool set lathe)",
  }),
  "read.summarize.enabled": flag({
    default: true,
    description: "show a long source file as its declarations, bodies folded (tool set lathe)",
  }),
  readHashLines: flag({
    default: true,
    description: "show files with the header and numbers that edits by line refer to (tool set lathe)",
  }),
  readLineNumbers: flag({
    default: true,
    description: "number the lines of files that are shown without that header (tool set lathe)",
  }),
  "ast.maxFiles": integer({
    minimum: 1,
    maximum: 100_000,
    default: 1000,
    description: "files that one call of ast_grep or ast_edit parses at most",
  }),
  "search.contextBefore": integer({
    minimum: 0,
    maximum: 50,
    default: 1,
    description: "lines that search shows before each match",
  }),
  "search.contextAfter": integer({
    minimum: 0,
    maximum: 50,
    default: 3,
    description: "lines that search shows after each match",
  }),
} as const satisfies Record<string, Schema>;
