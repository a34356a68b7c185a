// Settings of commands and of the tool bash.

import type { SettingSpec } from "./schema.ts";

export const BASH_SETTINGS = {
  "shell.timeoutMs": { type: "integer", min: 1, default: 120_000, help: "timeout of a command that sets none" },
  "shell.maxTimeoutMs": { type: "integer", min: 1, default: 600_000, help: "longest timeout a command may set" },
  "shell.environment": {
    type: "enum",
    choices: ["filtered", "inherit_all", "inherit_none", "inherit_core"],
    default: "inherit_core",
    help: "which variables commands see: inherit_core passes well-known harmless ones, filtered passes all that do not look like secrets",
  },
  "shell.env.pass": {
    type: "strings",
    default: [],
    help: "names of further variables that commands see; * matches any characters",
  },
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
