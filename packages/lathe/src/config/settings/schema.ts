// Every setting, once: its type, default and meaning. The TypeScript type, the checks, `lathe config list` and
// docs/settings.md are read from this table. A key is here only if something reads it.

import { BASH_SETTINGS } from "./bash-settings.ts";
import { IMAGE_SETTINGS } from "./image-settings.ts";
import { READ_SETTINGS } from "./read-settings.ts";
import { ROLE_SETTINGS } from "./role-settings.ts";
import { TASK_SETTINGS } from "./task-settings.ts";
import { WORK_SETTINGS } from "./work-settings.ts";

export interface SettingSpec {
  /** `scoped`: words, each alone or for some folders only. */
  readonly type:
    | "string"
    | "address"
    | "integer"
    | "number"
    | "boolean"
    | "enum"
    | "strings"
    | "rules"
    | "scoped"
    | "map";
  readonly default: unknown;
  readonly choices?: readonly string[];
  /** Of a list of words: those it may hold. */
  readonly words?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Of a map whose values are no numbers. */
  readonly of?: "text";
  /** A number outside these bounds with a meaning of its own. */
  readonly besides?: number;
  readonly help: string;
}

const THINKING = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** Parts of the status line. */
export const STATUS_PARTS = ["mode", "path", "view", "branch", "jobs", "agents", "model", "context", "cost"] as const;
const QUEUE = ["all", "one-at-a-time"] as const;

export const SETTINGS = {
  model: { type: "string", default: "", help: "model to use when none is named: provider/id[:effort]" },
  ...ROLE_SETTINGS,
  "modelProfile.default": {
    type: "string",
    default: "",
    help: "preset whose models are used for all jobs, as with --mpreset; empty = none",
  },
  enabledModels: {
    type: "scoped",
    default: [],
    help: "patterns of models to choose from; empty = all; an entry may be {path, models}",
  },
  disabledProviders: {
    type: "scoped",
    default: [],
    help: "providers that are never used; an entry may be {path, providers}",
  },
  modelProviderOrder: { type: "strings", default: [], help: "which provider wins when several offer the same model" },
  defaultThinkingLevel: {
    type: "enum",
    choices: THINKING,
    default: "",
    help: "reasoning effort; empty = the model's own default",
  },
  cacheRetention: {
    type: "enum",
    choices: ["none", "short", "long"],
    default: "",
    help: "prompt cache lifetime; empty = the provider's default",
  },
  "providers.openaiWebsockets": {
    type: "enum",
    choices: ["auto", "off", "on"],
    default: "",
    help: "receive OpenAI's answers over a websocket: auto falls back to HTTP, on does not; empty = off, unless LATHE_CODEX_WEBSOCKET is set",
  },
  "contextPromotion.enabled": {
    type: "boolean",
    default: false,
    help: "move to a larger model when the context overflows",
  },
  "compaction.enabled": {
    type: "boolean",
    default: true,
    help: "make room by itself when the context is full; /compact works either way",
  },
  "compaction.strategy": {
    type: "enum",
    choices: ["context-full", "handoff", "shake", "snapcompact", "off"],
    default: "context-full",
    help: "how room is made: context-full summarizes older messages, handoff starts a new session with a briefing, shake only empties old output, snapcompact prints older messages on pictures for models that can read them, off ends the input",
  },
  "compaction.reserveTokens": {
    type: "integer",
    min: 0,
    default: 16_384,
    help: "tokens kept free for the answer; less in windows below 100,000",
  },
  "compaction.keepRecentTokens": {
    type: "integer",
    min: 0,
    default: 20_000,
    help: "tokens of the newest messages that are never summarized; less in small windows",
  },
  "compaction.thresholdPercent": {
    type: "integer",
    min: 1,
    max: 100,
    besides: -1,
    default: -1,
    help: "make room above this share of the window; -1 = by compaction.reserveTokens",
  },
  "compaction.thresholdTokens": {
    type: "integer",
    min: 1,
    besides: -1,
    default: -1,
    help: "make room above this many tokens; -1 = by share or reserve",
  },
  "compaction.autoContinue": {
    type: "boolean",
    default: true,
    help: "go on by itself when an answer leaves tasks open in a full context",
  },
  "compaction.timeoutSeconds": {
    type: "integer",
    min: 1,
    default: 180,
    help: "seconds that one summary may take",
  },
  "compaction.remoteEnabled": {
    type: "boolean",
    default: true,
    help: "let the vendor of the model compact where it can, else compaction.remoteEndpoint when it is set",
  },
  "compaction.remoteEndpoint": {
    type: "address",
    default: "",
    help: "address that makes summaries: gets {systemPrompt, prompt}, answers {summary}",
  },
  "compaction.handoffSaveToDisk": {
    type: "boolean",
    default: false,
    help: "keep the briefing of an automatic handoff as handoff-*.md beside the session that wrote it",
  },
  "compaction.idleEnabled": {
    type: "boolean",
    default: false,
    help: "make room while nothing is going on",
  },
  "compaction.idleThresholdTokens": {
    type: "integer",
    min: 1,
    default: 200_000,
    help: "only above this many tokens",
  },
  "compaction.idleTimeoutSeconds": {
    type: "integer",
    min: 1,
    default: 300,
    help: "only after this many seconds of silence",
  },
  "title.enabled": {
    type: "boolean",
    default: true,
    help: "at a terminal, name each session after its first message with one small request",
  },
  "updates.package": {
    type: "string",
    default: "",
    help: "the npm package that this was installed from: at a terminal, npm is asked once a day whether there is a newer version; empty = never",
  },
  "branchSummary.enabled": {
    type: "boolean",
    default: false,
    help: "summarize the work that is left when going to another place of the session",
  },
  "branchSummary.reserveTokens": {
    type: "integer",
    min: 0,
    default: 16_384,
    help: "tokens of the window that stay free when a branch is summarized",
  },
  maxOutputTokens: {
    type: "integer",
    min: 0,
    default: 32_000,
    help: "maximum tokens of one answer, within the model's own limit; 0 = only that limit",
  },
  toolNames: {
    type: "enum",
    choices: ["lathe", "native"],
    default: "lathe",
    help: "name tools our way, or as the model vendor's own agent does",
  },
  editVariant: {
    type: "enum",
    choices: ["hashline", "replace", "patch", "apply_patch"],
    default: "",
    help: "how the model edits files; empty = the best way for its family",
  },
  ...WORK_SETTINGS,
  ...TASK_SETTINGS,
  permissionMode: {
    type: "enum",
    choices: ["read-only", "ask", "auto-edit", "full", "plan"],
    default: "auto-edit",
    help: "what the agent may do without asking",
  },
  "permissions.allow": {
    type: "rules",
    default: [],
    help: "calls that need no question: shell(git log *), write(src/**), network(example.com); added up over all files, not read from a project's",
  },
  "permissions.ask": { type: "rules", default: [], help: "calls that are asked about in every mode" },
  "permissions.deny": { type: "rules", default: [], help: "calls that are never made" },
  "permissions.rememberDays": {
    type: "integer",
    min: 0,
    default: 30,
    help: "days for which a pattern that you allow in a project is remembered; 0 = until the session ends",
  },
  steeringMode: {
    type: "enum",
    choices: QUEUE,
    default: "one-at-a-time",
    help: "how queued steering messages are delivered",
  },
  followUpMode: { type: "enum", choices: QUEUE, default: "one-at-a-time", help: "how queued follow-ups are delivered" },
  interruptMode: {
    type: "enum",
    choices: ["immediate", "wait"],
    default: "immediate",
    help: "steering skips calls that have not started, or waits for the round to end",
  },
  "retry.enabled": { type: "boolean", default: true, help: "try again after a temporary provider error" },
  "retry.maxRetries": { type: "integer", min: 0, default: 8, help: "attempts after the first" },
  "retry.baseDelay": {
    type: "number",
    min: 0,
    default: 1,
    help: "seconds before the second attempt; doubles each time",
  },
  "retry.fallbackModels": {
    type: "strings",
    default: [],
    help: "models that answer until your next message when the chosen one is overloaded or out of quota; the first that can be used",
  },
  "retry.maxMinutes": { type: "number", min: 0, default: 3, help: "minutes all attempts together may take" },
  "timeouts.firstEvent": {
    type: "integer",
    min: 0,
    default: 600,
    help: "seconds to wait for the first event of an answer; 0 = no limit",
  },
  "timeouts.stall": {
    type: "integer",
    min: 0,
    default: 300,
    help: "seconds of silence allowed within an answer; 0 = no limit",
  },
  ...BASH_SETTINGS,
  "sandbox.enabled": {
    type: "boolean",
    default: false,
    help: "confine commands: they change files only below the working folders and reach only allowed hosts",
  },
  "sandbox.network": {
    type: "strings",
    default: [],
    help: "hosts that sandboxed commands may reach over HTTP and HTTPS: example.org, *.example.org, host:8080; empty = none",
  },
  "sandbox.write": {
    type: "strings",
    default: [],
    help: "further folders that sandboxed commands may write to, such as ~/.cache",
  },
  "sandbox.hide": {
    type: "strings",
    default: [],
    help: "further files and folders that sandboxed commands cannot read; credential stores are always hidden",
  },
  "journal.sync": {
    type: "enum",
    choices: ["none", "turn", "intent"],
    default: "turn",
    help: "when the session file is synced to disk",
  },
  "rewind.enabled": {
    type: "boolean",
    default: true,
    help: "keep what calls do to files, so that it can be rewound",
  },
  "rewind.maxFiles": {
    type: "integer",
    min: 0,
    default: 30_000,
    help: "in a larger project, only files that edit tools change can be rewound",
  },
  "rewind.maxFileMB": { type: "number", min: 0, default: 10, help: "larger files cannot be rewound" },
  "rewind.maxTotalMB": {
    type: "number",
    min: 0,
    default: 512,
    help: "files beyond this total size of a project cannot be rewound",
  },
  "checkpoint.enabled": {
    type: "boolean",
    default: false,
    help: "give the model the tools checkpoint and rewind, to drop an exploration from its context and keep a report",
  },
  "limits.maxTurns": {
    type: "integer",
    min: 0,
    default: 0,
    help: "maximum number of model answers in a run; 0 = no limit",
  },
  "limits.maxCost": { type: "number", min: 0, default: 0, help: "maximum cost of a run in US dollars; 0 = no limit" },
  "limits.memoryMb": {
    type: "integer",
    min: 0,
    default: 0,
    help: "megabytes that the commands of a session may use together; 0 = no limit",
  },
  "limits.cpus": {
    type: "number",
    min: 0,
    default: 0,
    help: "processors that the commands of a session may use together; 0 = all",
  },
  "limits.maxProcesses": {
    type: "integer",
    min: 0,
    default: 0,
    help: "processes that the commands of a session may have together; 0 = no limit",
  },
  "limits.commandMemoryMb": {
    type: "integer",
    min: 0,
    default: 128,
    help: "megabytes that must be free before another command starts while some are running; 0 = start all at once",
  },
  toolOutputLimits: { type: "map", default: {}, help: "characters of a tool's output the model sees, by tool" },
  toolLineLimits: { type: "map", default: {}, help: "lines of a tool's output the model sees, by tool" },
  "statusLine.parts": {
    type: "strings",
    words: STATUS_PARTS,
    default: STATUS_PARTS,
    help: "what the status line of the terminal shows, in order",
  },
  "theme.dark": { type: "string", default: "dark", help: "theme for dark terminals; /theme shows all" },
  "theme.light": { type: "string", default: "light", help: "theme for light terminals" },
  symbolPreset: {
    type: "enum",
    choices: ["unicode", "nerd", "ascii"],
    default: "",
    help: "signs that the terminal is drawn with; empty = as the theme says",
  },
  colorBlindMode: { type: "boolean", default: false, help: "additions in blue instead of green" },
  "editor.vim": { type: "boolean", default: false, help: "vim keys in the composer" },
  "display.thinking": {
    type: "enum",
    choices: ["shown", "folded", "hidden"],
    default: "folded",
    help: "what is shown of the model's thoughts",
  },
  "terminal.showImages": {
    type: "boolean",
    default: true,
    help: "draw pictures at terminals that can; otherwise a line of text stands for each",
  },
  "display.plain": {
    type: "boolean",
    default: false,
    help: "at a terminal, append-only output as with --plain: for screen readers",
  },
  "terminal.title": {
    type: "boolean",
    default: true,
    help: "show the project and whether work goes on in the terminal's title",
  },
  "terminal.notifications": {
    type: "boolean",
    default: true,
    help: "notify when a long turn ends or a question waits while the terminal has no focus",
  },
  "auth.keyring": { type: "boolean", default: true, help: "keep keys in the system keyring when there is one" },
  "tools.discoveryMode": {
    type: "enum",
    choices: ["auto", "mcp-only", "all", "off"],
    default: "auto",
    help: "which tools the model has to search for before it can use them: auto hides those of MCP servers when there are more than 40 tools, mcp-only always hides them, all hides built-in ones as well",
  },
  "tools.essentialOverride": {
    type: "strings",
    default: [],
    help: "with tools.discoveryMode all: built-in tools that are never hidden; empty = those that read, edit and run commands",
  },
  ...READ_SETTINGS,
  ...IMAGE_SETTINGS,
  "web.allowPrivate": { type: "boolean", default: false, help: "web_fetch may reach private addresses" },
  "skills.enabled": { type: "boolean", default: true, help: "tell the model of the skills that were found" },
  "skills.enableSkillCommands": {
    type: "boolean",
    default: true,
    help: "every skill is a command as well: /skill:name",
  },
  "skills.enableLatheUser": { type: "boolean", default: true, help: "use the skills in ~/.lathe/skills" },
  "skills.enableLatheProject": { type: "boolean", default: true, help: "use the skills in .lathe/skills of a project" },
  "skills.enableClaudeUser": { type: "boolean", default: true, help: "use the skills in ~/.claude/skills" },
  "skills.enableClaudeProject": {
    type: "boolean",
    default: true,
    help: "use the skills in .claude/skills of a project",
  },
  "skills.enableCodexUser": { type: "boolean", default: true, help: "use the skills in ~/.codex/skills" },
  "skills.customDirectories": {
    type: "strings",
    default: [],
    help: "other folders of skills, each skill a folder in them",
  },
  "skills.includeSkills": {
    type: "strings",
    default: [],
    help: "only skills whose name matches one of these; empty = all; * is a wildcard",
  },
  "skills.ignoredSkills": {
    type: "strings",
    default: [],
    help: "no skill whose name matches one of these; * is a wildcard",
  },
  "commands.enableClaudeUser": { type: "boolean", default: true, help: "use the commands in ~/.claude/commands" },
  "commands.enableClaudeProject": {
    type: "boolean",
    default: true,
    help: "use the commands in .claude/commands of a project",
  },
  "commands.enableOpencodeUser": { type: "boolean", default: true, help: "use the commands of opencode's user folder" },
  "commands.enableOpencodeProject": {
    type: "boolean",
    default: true,
    help: "use the commands in .opencode/command of a project",
  },
  "ttsr.enabled": { type: "boolean", default: true, help: "rules with a condition watch what the model writes" },
  "ttsr.interruptMode": {
    type: "enum",
    choices: ["never", "prose-only", "tool-only", "always"],
    default: "always",
    help: "where a broken rule cuts the answer; elsewhere the model is reminded of it afterwards",
  },
  "discovery.disabledProviders": {
    type: "strings",
    default: [],
    help: "agents whose files are not looked for, such as claude or cursor; see lathe discover",
  },
  "discovery.disabledItems": {
    type: "strings",
    default: [],
    help: "found items that take no effect, as kind:name, such as skill:review",
  },
  extensions: { type: "strings", default: [], help: "more files or folders of extensions to load" },
  "timeouts.extension": { type: "integer", default: 10, min: 1, help: "seconds an extension's code may take" },
} as const satisfies Record<string, SettingSpec>;

export type SettingKey = keyof typeof SETTINGS;

type ValueOf<S> = S extends { type: "boolean" }
  ? boolean
  : S extends { type: "integer" | "number" }
    ? number
    : S extends { type: "strings" | "scoped" | "rules" }
      ? readonly string[]
      : S extends { type: "map" }
        ? Readonly<Record<string, S extends { of: "text" } ? string : number>>
        : S extends { type: "enum"; choices: readonly (infer Choice)[]; default: infer Default }
          ? Choice | Default
          : string;

export type Settings = { readonly [Key in SettingKey]: ValueOf<(typeof SETTINGS)[Key]> };

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

/** A new object each time. */
export function defaultSettings(): Settings {
  const values: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(SETTINGS)) values[key] = spec.default;
  return values as unknown as Settings;
}
