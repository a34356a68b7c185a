// Settings of commands and of the tool bash.

import { choice, flag, integer, type Schema } from "@lathe/llm/schema";
import { wordList } from "./setting-kinds.ts";

export const BASH_SETTINGS = {
  "shell.timeoutMs": integer({ minimum: 1, default: 120_000, description: "timeout of a command that sets none" }),
  "shell.maxTimeoutMs": integer({ minimum: 1, default: 600_000, description: "longest timeout a command may set" }),
  "shell.environment": choice(["filtered", "inherit_all", "inherit_none", "inherit_core"], {
    default: "filtered",
    description:
      "which variables commands see: filtered hides those whose name or value looks like a secret, inherit_core passes only well-known harmless ones",
  }),
  "shell.env.pass": wordList({ description: "names of further variables that commands see; * matches any characters" }),
  "bash.enabled": flag({ default: true, description: "offer the tool bash to models that have it" }),
  "bash.pty": flag({ default: true, description: "give commands of the tool bash a terminal when they ask for one" }),
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
