// Settings of the tool `read`.

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
} as const satisfies Record<string, SettingSpec>;
