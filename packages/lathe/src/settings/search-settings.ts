// Settings of searches.

import type { SettingSpec } from "./schema.ts";

export const SEARCH_SETTINGS = {
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
