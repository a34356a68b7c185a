// Every option of the command. Parsing, help and shell completions all use this table.

type OptionKind = "flag" | "value" | "list" | "optional";

export interface OptionSpec {
  readonly kind: OptionKind;
  readonly short?: string;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Whether `--name ""` means something. */
  readonly mayBeEmpty?: boolean;
  /** For a flag that is short for another option with this value. */
  readonly stands?: { readonly for: string; readonly value: string };
  readonly group:
    | "Run"
    | "Model"
    | "Session"
    | "Tools and permissions"
    | "Prompt"
    | "Limits"
    | "Configuration"
    | "Other";
  readonly help: string;
}

export const OPTIONS = {
  print: {
    kind: "list",
    short: "p",
    value: "prompt",
    group: "Run",
    help: "answer and exit; - reads stdin; may be repeated",
  },
  mode: {
    kind: "value",
    value: "mode",
    choices: ["text", "json", "rpc", "acp", "bridge"],
    group: "Run",
    help: "output format of a run; rpc for programs, acp for editors; bridge is experimental",
  },
  plain: {
    kind: "flag",
    group: "Run",
    help: "append-only output for screen readers and dumb terminals",
  },
  json: { kind: "flag", stands: { for: "mode", value: "json" }, group: "Run", help: "same as --mode json" },
  cwd: { kind: "value", value: "dir", group: "Run", help: "work in this directory" },
  "add-dir": {
    kind: "list",
    value: "dir",
    group: "Run",
    help: "another directory the agent may write to; may be repeated",
  },
  check: {
    kind: "list",
    value: "command",
    group: "Run",
    help: 'a command that proves the work, such as "npm test"; may be repeated',
  },
  require: {
    kind: "value",
    value: "verdict",
    choices: ["verified"],
    group: "Run",
    help: "verified: exit with 1 unless checks have proven the work",
  },
  "output-schema": {
    kind: "value",
    value: "file",
    group: "Run",
    help: "the final answer must be JSON that matches this schema",
  },
  "run-id": {
    kind: "value",
    value: "id",
    group: "Run",
    help: "name the run; starting it again returns its result or continues it",
  },
  record: { kind: "value", value: "dir", group: "Run", help: "record the run for `lathe replay`" },

  model: { kind: "value", short: "m", value: "provider/id[:effort]", group: "Model", help: "the model to use" },
  provider: { kind: "value", value: "name", group: "Model", help: "choose among this provider's models" },
  models: { kind: "value", value: "patterns", group: "Model", help: "comma-separated models to choose from" },
  "smol-model": { kind: "value", value: "model", group: "Model", help: "model for small jobs" },
  "slow-model": { kind: "value", value: "model", group: "Model", help: "model for hard jobs" },
  "plan-model": { kind: "value", value: "model", group: "Model", help: "model for planning" },
  mpreset: {
    kind: "value",
    value: "name",
    group: "Model",
    help: "models for all jobs at once; see lathe models presets",
  },
  default: { kind: "flag", group: "Model", help: "with --mpreset: use this preset from now on" },
  thinking: {
    kind: "value",
    value: "level",
    choices: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
    group: "Model",
    help: "reasoning effort",
  },
  profile: {
    kind: "value",
    value: "name",
    choices: ["anthropic", "openai", "gemini", "lathe", "minimal"],
    group: "Model",
    help: "tool set and prompt (default: chosen by model)",
  },
  "api-key": { kind: "value", value: "key", group: "Model", help: "API key for this run; overrides all other sources" },
  "base-url": { kind: "value", value: "url", group: "Model", help: "address of the model's API for this run" },
  "list-models": { kind: "optional", value: "pattern", group: "Model", help: "list models and exit" },

  continue: {
    kind: "flag",
    short: "c",
    group: "Session",
    help: "continue the last session of this terminal or directory",
  },
  resume: {
    kind: "optional",
    short: "r",
    value: "id|path",
    group: "Session",
    help: "resume a session; without a value, choose one",
  },
  session: { kind: "value", value: "path", group: "Session", help: "use this session file" },
  fork: { kind: "flag", group: "Session", help: "with --continue or --resume: continue in a copy" },
  "no-session": { kind: "flag", group: "Session", help: "do not save this session" },
  export: { kind: "value", value: "session", group: "Session", help: "write a session as an HTML page and exit" },

  tools: {
    kind: "value",
    value: "names",
    mayBeEmpty: true,
    group: "Tools and permissions",
    help: "comma-separated tools to offer",
  },
  "permission-mode": {
    kind: "value",
    value: "mode",
    choices: ["read-only", "ask", "auto-edit", "full", "plan"],
    group: "Tools and permissions",
    help: "what the agent may do without asking (default auto-edit)",
  },
  allow: {
    kind: "list",
    value: "rule",
    group: "Tools and permissions",
    help: "allow matching calls without asking, such as 'shell(npm test *)'",
  },
  ask: {
    kind: "list",
    value: "rule",
    group: "Tools and permissions",
    help: "ask about matching calls in every mode",
  },
  deny: { kind: "list", value: "rule", group: "Tools and permissions", help: "never make matching calls" },
  "permission-command": {
    kind: "value",
    value: "command",
    group: "Tools and permissions",
    help: "a program that answers approvals, in JSON",
  },

  sandbox: {
    kind: "flag",
    group: "Tools and permissions",
    help: "confine commands: writes only in the working folders, no network",
  },

  "no-pty": { kind: "flag", group: "Tools and permissions", help: "run commands without a terminal" },

  worktree: {
    kind: "optional",
    value: "name",
    group: "Run",
    help: "work in an isolated copy; a name creates the branch lathe/task/<name>",
  },

  tmux: { kind: "flag", group: "Run", help: "start in its own tmux session" },

  "system-prompt": {
    kind: "value",
    value: "text|file",
    mayBeEmpty: true,
    group: "Configuration",
    help: "replace the base instructions",
  },
  "append-system-prompt": {
    kind: "value",
    value: "text|file",
    mayBeEmpty: true,
    group: "Configuration",
    help: "add to the instructions",
  },

  "max-turns": { kind: "value", value: "n", group: "Limits", help: "maximum number of model answers in this run" },
  "max-calls": { kind: "value", value: "n", group: "Limits", help: "maximum number of tool calls in this run" },
  "max-cost": { kind: "value", value: "usd", group: "Limits", help: "maximum cost of this run in US dollars" },
  "max-time": { kind: "value", value: "90s|5m", group: "Limits", help: "maximum duration of this run" },
  unattended: {
    kind: "value",
    value: "file.yml",
    group: "Limits",
    help: "run unattended, within what this file declares",
  },

  extension: {
    kind: "list",
    short: "e",
    value: "path",
    group: "Configuration",
    help: "load this extension; a file or a folder; may be repeated",
  },
  config: {
    kind: "list",
    value: "file",
    group: "Configuration",
    help: "an additional settings file; may be repeated, later ones win",
  },

  version: { kind: "flag", short: "v", group: "Other", help: "print the version" },
  help: { kind: "flag", short: "h", group: "Other", help: "print this help" },
} as const satisfies Record<string, OptionSpec>;

type OptionName = keyof typeof OPTIONS;

type ValueOf<K extends OptionKind> = K extends "flag"
  ? boolean
  : K extends "list"
    ? readonly string[]
    : K extends "optional"
      ? string | true
      : string;

export type CliOptions = {
  -readonly [Name in OptionName as (typeof OPTIONS)[Name] extends { stands: unknown } ? never : Name]?: ValueOf<
    (typeof OPTIONS)[Name]["kind"]
  >;
} & {
  /** Values of options that extensions added. */
  extensionFlags?: Readonly<Record<string, string | boolean>>;
};

/** Words that start something other than a run. Each module is loaded when its command is used. */
export const SUBCOMMANDS = {
  acp: "the agent for editors that speak the Agent Client Protocol",
  config: "show and change settings: list, get, set, unset, path",
  models: "list models with price, window and availability",
  setup: "add a provider, or an entry for a bot: setup provider, coordinator",
  login: "store a key or sign in for a provider",
  logout: "delete a provider's stored credential",
  auth: "show which credential each provider would use: auth status",
  "auth-broker": "a team's sign-ins in one place: serve, token, login, list, …",
  "auth-gateway": "let other programs use your models: serve, run, token, key, …",
  trust: "let this folder's settings take effect",
  plugin: "install bundles of commands, skills, hooks, servers and extensions",
  migrate: "import servers, permissions, commands and models of other agents",
  discover: "show the skills, commands, rules and servers that were found",
  review: "review a change: review [range] [--json]",
  commit: "commit with a message from the model: commit [--all] [--split]",
  goal: "work until a command passes: goal <text> --until <command>",
  team: "workers in panes beside this session: team <task> -n 2",
  workflow: "workflows and where a session stands in one: list, show, status",
  agents: "agents that the model may start: list, show, check, new",
  mcp: "MCP servers: list, add, get, test, remove, login, logout",
  "mcp-serve": "sessions for bots, as an MCP server: mcp-serve coordinator",
  coordinator: "look at a coordinator's sessions and turns: status, turn, tail, …",
  policy: "test, explain and suggest permission rules",
  sessions: "past sessions: list, show, search, tree, branch, export, rm, …",
  attach: "follow a session that another process has open: attach [id|url]",
  serve: "sessions for browsers: serve [--root dir]…, link, token",
  share: "write a session as an encrypted page: share <id>",
  stats: "tokens and cost by day, model, project or key; stats edits",
  memory: "notes for later sessions: list, show, search, forget, …",
  rewind: "undo part of a session: conversation, files or both",
  worktree: "isolated copies with changes that were not applied",
  prompt: "print the prompt that would be sent, with token counts",
  map: "the most linked definitions of a project: map [path] [--tokens n]",
  ext: "extensions: list, enable, disable, new",
  tool: "run one tool: lathe tool <name> '<json>'",
  replay: "run a recorded run again, offline",
  doctor: "check the installation",
  update: "update Lathe the way it was installed",
  demo: "watch the agent work on a sample project; no key needed",
  completions: "shell completions: bash, zsh or fish",
} as const;

export type Subcommand = keyof typeof SUBCOMMANDS;
