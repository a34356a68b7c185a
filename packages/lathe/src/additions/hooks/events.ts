// The events that command hooks are run for, under the names that the agents use for them.

export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "SessionStart",
  "SessionEnd",
  "PreCompact",
  "Notification",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Names that mean the same elsewhere, in lower case. */
const OTHER_NAMES: Readonly<Record<string, HookEvent>> = {
  beforetool: "PreToolUse",
  aftertool: "PostToolUse",
  beforeagent: "UserPromptSubmit",
  afteragent: "Stop",
  precompress: "PreCompact",
  userpromptsubmitted: "UserPromptSubmit",
  beforesubmitprompt: "UserPromptSubmit",
};

/** Undefined: nothing here ever happens under this name. */
export function hookEvent(written: string): HookEvent | undefined {
  const name = written.toLowerCase();
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return HOOK_EVENTS.find((event) => event.toLowerCase() === name);
}
