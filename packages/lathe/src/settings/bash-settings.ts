// Settings of the tool bash.

import type { SettingSpec } from "./schema.ts";

export const BASH_SETTINGS = {
  "bash.enabled": { type: "boolean", default: true, help: "offer the tool bash to models that have it" },
  "bash.stripTrailingHeadTail": {
    type: "boolean",
    default: true,
    help: "keep the whole output of a command that ends in | head or | tail; the model still sees those lines only",
  },
  "bashInterceptor.enabled": {
    type: "boolean",
    default: false,
    help: "refuse commands such as cat, grep, find or sed -i where a tool does the same, and name that tool",
  },
} as const satisfies Record<string, SettingSpec>;
