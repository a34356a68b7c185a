// What discovery deals in: kinds of items, where each was found, and what the providers give. Values are data as the files have it;
// what a skill, a command or a server means is its own folder's business.

import type { Frontmatter } from "./frontmatter.ts";

/**
 * In the order in which people are shown them. Settings of other agents take no effect: they are read to be taken over. `unsupported`
 * are files of other agents that are only listed.
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
  /** The provider's id: `native`, `claude`, … */
  readonly provider: string;
  readonly providerName: string;
  readonly level: Level;
  /** Absolute path of the file. */
  readonly path: string;
  /** Where the entry starts, for entries inside a file. */
  readonly line?: number;
}

export interface Found<T = unknown> {
  readonly kind: ItemKind;
  readonly name: string;
  readonly source: Source;
  readonly value: T;
  /** Another item of the same name takes effect instead. */
  readonly shadowedBy?: Source;
  /** Why it takes no effect although its name is free: untrusted, disabled. */
  readonly ignored?: string;
}

export interface DiscoveryWarning {
  readonly path: string;
  readonly line?: number;
  /** One sentence, without the path. */
  readonly message: string;
}

export interface Discovered<T> {
  /** What takes effect, first the highest priority. */
  readonly active: readonly Found<T>[];
  /** With what is shadowed or ignored. */
  readonly all: readonly Found<T>[];
  readonly warnings: readonly DiscoveryWarning[];
}

/** A markdown file: skill, command, rule, prompt, instruction, agent. */
export interface MarkdownValue {
  readonly frontmatter: Frontmatter;
  /** The text after the frontmatter, trimmed. */
  readonly body: string;
  /** Folder of the file: where what it names beside itself is. */
  readonly folder: string;
}

/** A file whose whole text is meant: AGENTS.md, SYSTEM.md. */
export interface TextValue {
  readonly text: string;
  /** Is read for models of this family only. */
  readonly family?: "anthropic" | "openai" | "gemini";
}

/** Values are as the file has them: neither variables nor commands in them are resolved. */
export interface McpServerValue {
  readonly transport: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** How long it may take to start. */
  readonly startTimeoutMs?: number;
  readonly enabled?: boolean;
  /** `false`: never sign in. */
  readonly oauth?: Readonly<Record<string, unknown>> | false;
  /** It may ask the session's model. */
  readonly sampling?: boolean;
  /** Tools to offer, or to leave out. */
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

/** What a file says about a language server; fields that it leaves out stay as they are. */
export interface LspServerValue {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly fileTypes?: readonly string[];
  /** What the protocol calls the languages of its files, by ending. */
  readonly languages?: Readonly<Record<string, string>>;
  readonly rootMarkers?: readonly string[];
  readonly initOptions?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What it can do beyond the protocol. */
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly isDisabled?: boolean;
  readonly isLinter?: boolean;
  readonly startTimeoutMs?: number;
  /** Of all servers: when an idle one ends. */
  readonly idleMs?: number;
}

export interface HookValue {
  readonly event: string;
  readonly matcher?: string;
  readonly type: "command" | "module";
  readonly command?: string;
  /** The module's file, for hooks that are modules. */
  readonly path?: string;
  readonly timeoutMs?: number;
  /** Folder of the plugin that brings it. */
  readonly root?: string;
  /** Where it runs; the project's folder when absent. */
  readonly cwd?: string;
  /** Nothing waits for it, and what it says has no effect. */
  readonly runsAsync?: boolean;
  /** When it fails, what it guards does not happen. */
  readonly failsClosed?: boolean;
  /** Why it cannot run here. */
  readonly problem?: string;
}

/** Code to load: a tool or an extension. */
export interface ModuleValue {
  /** The file to load. */
  readonly entry: string;
  /** Folder of one that is more than a file. */
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

/** A bundle that another agent installed. */
interface PluginValue {
  readonly root: string;
  readonly version?: string;
  readonly description?: string;
}

/** A file that is only listed. */
interface UnsupportedValue {
  /** What to do instead, or why not. */
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
