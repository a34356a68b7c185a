// The events that command hooks are run for, under the names that the agents use for them.

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

/** What an event of Cursor is about, which has one for each kind of call. */
export type CallSort = "shell" | "mcp" | "read" | "edit";

interface EventMeaning {
  readonly event: HookEvent;
  /** The hook hears of such calls only, and its matcher looks at the text of the command. */
  readonly only?: CallSort;
}

/** Names that mean the same elsewhere, in lower case. */
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

/** Undefined: nothing here ever happens under this name. */
export function hookEvent(written: string): EventMeaning | undefined {
  const name = written.toLowerCase();
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  const event = HOOK_EVENTS.find((one) => one.toLowerCase() === name);
  return event && { event };
}

/** Hooks of this event are there to refuse something. An unknown event counts when its name says that it comes before the fact. */
export const isGuardEvent = (written: string): boolean => /^(?:pre|before|permission|userprompt)/i.test(written);
