// Every setting with its type, default and meaning. The TypeScript type, the checks, `lathe config list` and
// docs/settings.md all come from this table. A key belongs here only if something reads it.

import { choice, flag, integer, type Schema, type Static, text } from "@lathe/llm/schema";
import { BASH_SETTINGS } from "./bash-settings.ts";
import { BROKER_SETTINGS } from "./broker-settings.ts";
import { COMPACTION_SETTINGS } from "./compaction-settings.ts";
import { FOUND_SETTINGS } from "./found-settings.ts";
import { GATEWAY_SETTINGS } from "./gateway-settings.ts";
import { IMAGE_SETTINGS } from "./image-settings.ts";
import { LIMIT_SETTINGS } from "./limit-settings.ts";
import { MEMORY_SETTINGS } from "./memory-settings.ts";
import { MODEL_SETTINGS } from "./model-settings.ts";
import { READ_SETTINGS } from "./read-settings.ts";
import { RUN_SETTINGS } from "./run-settings.ts";
import { SEARCH_SETTINGS } from "./search-settings.ts";
import { choiceOrEmpty, wordList } from "./setting-kinds.ts";
import { TASK_SETTINGS } from "./task-settings.ts";
import { TERMINAL_SETTINGS } from "./terminal-settings.ts";
import { WEB_SETTINGS } from "./web-settings.ts";
import { WORK_SETTINGS } from "./work-settings.ts";

export const SETTINGS = {
  ...MODEL_SETTINGS,
  ...COMPACTION_SETTINGS,
  "title.enabled": flag({
    default: true,
    description: "at a terminal, name each session after its first message with one small request",
  }),
  "updates.package": text({
    default: "",
    description:
      "npm package that Lathe was installed from; at a terminal, Lathe asks npm once a day for a newer version; empty = never",
  }),
  "branchSummary.enabled": flag({
    default: false,
    description: "summarize the branch that you leave when you go to another entry of the session tree",
  }),
  "branchSummary.reserveTokens": integer({
    minimum: 0,
    default: 16_384,
    description: "tokens of the context window to keep free when a branch is summarized",
  }),
  maxOutputTokens: integer({
    minimum: 0,
    default: 32_000,
    description: "maximum tokens of one answer, within the model's own limit; 0 = only that limit",
  }),
  editVariant: choiceOrEmpty(["hashline", "replace", "patch", "apply_patch"], {
    description: "how the model edits files; empty = the best way for its family",
  }),
  ...WORK_SETTINGS,
  ...TASK_SETTINGS,
  ...RUN_SETTINGS,
  ...BASH_SETTINGS,
  ...LIMIT_SETTINGS,
  ...GATEWAY_SETTINGS,
  ...TERMINAL_SETTINGS,
  "auth.keyring": flag({ default: true, description: "keep keys in the system keyring when there is one" }),
  ...BROKER_SETTINGS,
  "tools.discoveryMode": choice(["auto", "mcp-only", "all", "off"], {
    default: "auto",
    description:
      "which tools the model has to search for before it can use them: auto hides those of MCP servers when there are more than 40 tools, mcp-only always hides them, all hides built-in ones as well, off hides none",
  }),
  "tools.essentialOverride": wordList({
    description:
      "with tools.discoveryMode all: built-in tools that are never hidden; empty = those that read, edit and run commands",
  }),
  ...READ_SETTINGS,
  ...IMAGE_SETTINGS,
  ...WEB_SETTINGS,
  ...SEARCH_SETTINGS,
  ...FOUND_SETTINGS,
  ...MEMORY_SETTINGS,
} as const satisfies Record<string, Schema>;

export type SettingKey = keyof typeof SETTINGS;

export type Settings = { readonly [Key in SettingKey]: Static<(typeof SETTINGS)[Key]> };

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

export const helpOf = (key: SettingKey): string => String(SETTINGS[key]["description"]);

/** Returns a new object each time. */
export function defaultSettings(): Settings {
  const values: Record<string, unknown> = {};
  for (const key in SETTINGS) values[key] = SETTINGS[key as SettingKey]["default"];
  return values as unknown as Settings;
}
