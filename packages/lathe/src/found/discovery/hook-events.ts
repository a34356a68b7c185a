// The events that trigger command hooks, with the names that each agent uses for them.

export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "UserPromptSubmit",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "SessionStart",
  "SessionEnd",
  "PreCompact",
  "Notification",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** The kind of call that an event of Cursor is about: Cursor has one event per kind. */
export type CallSort = "shell" | "mcp" | "read" | "edit";

interface EventMeaning {
  readonly event: HookEvent;
  /** The hook only receives calls of this kind, and its matcher applies to the text of the command. */
  readonly only?: CallSort;
}

/** Other names with the same meaning, in lower case. */
const OTHER_NAMES: Readonly<Record<string, EventMeaning>> = {
  beforetool: { event: "PreToolUse" },
  aftertool: { event: "PostToolUse" },
  beforeagent: { event: "UserPromptSubmit" },
  afteragent: { event: "Stop" },
  precompress: { event: "PreCompact" },
  userpromptsubmitted: { event: "UserPromptSubmit" },
  beforesubmitprompt: { event: "UserPromptSubmit" },
  beforeshellexecution: { event: "PreToolUse", only: "shell" },
  beforemcpexecution: { event: "PreToolUse", only: "mcp" },
  beforereadfile: { event: "PreToolUse", only: "read" },
  aftershellexecution: { event: "PostToolUse", only: "shell" },
  aftermcpexecution: { event: "PostToolUse", only: "mcp" },
  afterfileedit: { event: "PostToolUse", only: "edit" },
};

/** Undefined if no event of this name ever happens here. */
export function hookEvent(written: string): EventMeaning | undefined {
  const name = written.toLowerCase();
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  const event = HOOK_EVENTS.find((one) => one.toLowerCase() === name);
  return event && { event };
}

/**
 * Whether hooks of this event can refuse something. An unknown event counts if its name says that it comes before the
 * fact.
 */
export const isGuardEvent = (written: string): boolean => /^(?:pre|before|permission|userprompt)/i.test(written);
