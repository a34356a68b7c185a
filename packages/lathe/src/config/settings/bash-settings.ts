// Settings for commands and the bash tool.

import { choice, flag, integer, type Schema } from "@lathe/llm/schema";
import { wordList } from "./setting-kinds.ts";

export const BASH_SETTINGS = {
  "shell.timeoutMs": integer({
    minimum: 1,
    default: 120_000,
    description: "milliseconds after which a command is stopped, unless it sets its own timeout",
  }),
  "shell.maxTimeoutMs": integer({
    minimum: 1,
    default: 600_000,
    description: "longest timeout that a command may set, in milliseconds",
  }),
  "shell.environment": choice(["filtered", "inherit_all", "inherit_none", "inherit_core"], {
    default: "filtered",
    description:
      "which variables commands see: filtered hides those whose name or value looks like a secret, inherit_core passes only well-known harmless ones",
  }),
  "shell.env.pass": wordList({ description: "more variables that commands see, by name; * matches any characters" }),
  "bash.enabled": flag({ default: true, description: "offer the tool bash to models that have it" }),
  "bash.pty": flag({ default: true, description: "let the model run bash commands with a terminal" }),
  "bash.stripTrailingHeadTail": flag({
    default: true,
    description:
      "keep the whole output of a command that ends in | head or | tail; the model still sees those lines only",
  }),
  "bashInterceptor.enabled": flag({
    default: false,
    description: "refuse commands such as cat, grep, find or sed -i where a tool does the same, and name that tool",
  }),
} as const satisfies Record<string, Schema>;
