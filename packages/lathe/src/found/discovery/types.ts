// The types of discovery: kinds of items, where each was found, and what the providers return. Values are data as in
// the file; the folder of each kind knows what a skill, a command or a server means.

import type { Frontmatter } from "./frontmatter.ts";

/**
 * In the order in which users see them. Settings of other agents take no effect; they are only read for migration.
 * `unsupported` are files of other agents that are only listed.
 */
export const ITEM_KINDS = [
  "context-file",
  "instruction",
  "system-prompt",
  "rule",
  "skill",
  "command",
  "prompt",
  "agent",
  "mcp-server",
  "lsp-server",
  "hook",
  "tool",
  "extension",
  "plugin",
  "settings",
  "ssh-host",
  "unsupported",
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export type Level = "user" | "project" | "plugin" | "custom";

export interface Source {
  /** The provider's id: `native`, `claude` and so on. */
  readonly provider: string;
  readonly providerName: string;
  readonly level: Level;
  /** Absolute path of the file. */
  readonly path: string;
  /** First line of an entry inside a file. */
  readonly line?: number;
}

export interface Found<T = unknown> {
  readonly kind: ItemKind;
  readonly name: string;
  readonly source: Source;
  readonly value: T;
  /** The item of the same name that takes effect instead. */
  readonly shadowedBy?: Source;
  /** Why it takes no effect although no other item shadows it: untrusted, disabled. */
  readonly ignored?: string;
}

export interface DiscoveryWarning {
  readonly path: string;
  readonly line?: number;
  /** One sentence, without the path. */
  readonly message: string;
}

export interface Discovered<T> {
  /** Items that take effect, highest priority first. */
  readonly active: readonly Found<T>[];
  /** All items, including those that are shadowed or ignored. */
  readonly all: readonly Found<T>[];
  readonly warnings: readonly DiscoveryWarning[];
}

/** A markdown file: skill, command, rule, prompt, instruction, agent. */
export interface MarkdownValue {
  readonly frontmatter: Frontmatter;
  /** The text after the frontmatter, trimmed. */
  readonly body: string;
  /** Folder of the file; the file may refer to others in it. */
  readonly folder: string;
}

/** A file whose whole text is the value: AGENTS.md, SYSTEM.md. */
export interface TextValue {
  readonly text: string;
  /** Only sent to models of this family. */
  readonly family?: "anthropic" | "openai" | "gemini";
}

/** Values as in the file: neither variables nor commands in them are resolved. */
export interface McpServerValue {
  readonly transport: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** How long the server may take to start. */
  readonly startTimeoutMs?: number;
  readonly enabled?: boolean;
  /** `false` means never sign in. */
  readonly oauth?: Readonly<Record<string, unknown>> | false;
  /** Whether it may send requests to the session's model. */
  readonly sampling?: boolean;
  /** Tools to offer; `excludeTools` are left out. */
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

/** The settings of a language server in one file; missing fields keep their values. */
export interface LspServerValue {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly fileTypes?: readonly string[];
  /** The protocol's language ids of its files, by ending. */
  readonly languages?: Readonly<Record<string, string>>;
  readonly rootMarkers?: readonly string[];
  readonly initOptions?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Capabilities beyond the protocol. */
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly isDisabled?: boolean;
  readonly isLinter?: boolean;
  readonly startTimeoutMs?: number;
  /** After how long an idle server ends; applies to all servers. */
  readonly idleMs?: number;
}

export interface HookValue {
  readonly event: string;
  readonly matcher?: string;
  readonly type: "command" | "module";
  readonly command?: string;
  /** The file of a hook that is a module. */
  readonly path?: string;
  readonly timeoutMs?: number;
  /** Folder of the plugin that it belongs to. */
  readonly root?: string;
  /** Where it runs; defaults to the project's folder. */
  readonly cwd?: string;
  /** Whether Lathe neither waits for it nor uses its output. */
  readonly runsAsync?: boolean;
  /** Whether a failure blocks what the hook guards. */
  readonly failsClosed?: boolean;
  /** Why it cannot run here. */
  readonly problem?: string;
}

/** Code to load: a tool or an extension. */
export interface ModuleValue {
  /** The file to load. */
  readonly entry: string;
  /** Folder of a module that is more than one file. */
  readonly folder?: string;
}

interface SettingsValue {
  readonly settings: Readonly<Record<string, unknown>>;
}

interface SshHostValue {
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  readonly keyPath?: string;
  readonly description?: string;
}

/** A bundle that another agent has installed. */
interface PluginValue {
  readonly root: string;
  readonly version?: string;
  readonly description?: string;
}

/** A file that is only listed. */
interface UnsupportedValue {
  /** The alternative, or why the file is not supported. */
  readonly reason: string;
}

/** The value of each kind. */
export interface ItemValues {
  readonly "context-file": TextValue;
  readonly instruction: MarkdownValue;
  readonly "system-prompt": TextValue;
  readonly rule: MarkdownValue;
  readonly skill: MarkdownValue;
  readonly command: MarkdownValue;
  readonly prompt: MarkdownValue;
  readonly agent: MarkdownValue;
  readonly "mcp-server": McpServerValue;
  readonly "lsp-server": LspServerValue;
  readonly hook: HookValue;
  readonly tool: ModuleValue;
  readonly extension: ModuleValue;
  readonly plugin: PluginValue;
  readonly settings: SettingsValue;
  readonly "ssh-host": SshHostValue;
  readonly unsupported: UnsupportedValue;
}
