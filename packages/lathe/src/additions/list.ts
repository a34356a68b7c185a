// The list of additions to sessions, each loaded only when needed. This folder is above the conversation, because
// additions use it.

import type { AdditionEntry } from "../conversation/session-contract.ts";
import type { SharedCodeIndexes } from "./code-index/shared-code-indexes.ts";
import type { ExtensionHosts } from "./extensions/extension-hosts.ts";
import { fitsProject } from "./lsp/fits-project.ts";
import type { LastingServers } from "./lsp/lasting-servers.ts";
import type { McpServers } from "./mcp/addition.ts";
import type { ServerConfig } from "./mcp/types.ts";
import type { SharedBySessions } from "./shared-by-sessions.ts";
import { hasSshFiles } from "./ssh/hosts.ts";
import { hasVerifiedWork } from "./verify/evidence.ts";

/** State that additions keep from one session of a run to the next. */
export interface AdditionsOfRun {
  readonly extensions: ExtensionHosts;
  readonly mcpServers: SharedBySessions<McpServers>;
  readonly languageServers: SharedBySessions<LastingServers>;
  readonly indexes: SharedCodeIndexes;
  /** Memory server banks whose purpose was already sent. */
  readonly memoryBanks: Set<string>;
}

/** Choices of a host that differ from the defaults. */
export interface AdditionChoices {
  /** MCP servers that the host named, instead of those that discovery finds. */
  readonly mcpServers?: readonly ServerConfig[];
  /** Language servers are not searched for or started with the session, but with the first file that needs one. */
  readonly delaysLanguageServers?: true;
  /** A user is at a terminal: notes about past sessions may be made in the background. */
  readonly learns?: boolean;
}

/** Services for built-in tools that keep no state from one session to the next. */
const TOOL_SERVICES: readonly AdditionEntry[] = [
  {
    name: "debuggers",
    kinds: [],
    isNeeded: ({ settings }) => settings["debug.enabled"],
    servesTools: true,
    load: async () => (await import("./dap/addition.ts")).debugAddition,
  },
  {
    name: "browser",
    servesTools: true,
    load: async () => (await import("./browser/addition.ts")).browserAddition,
  },
  {
    name: "cells",
    servesTools: true,
    load: async () => (await import("./eval/addition.ts")).evalAddition,
  },
  {
    name: "desktop",
    kinds: [],
    isNeeded: ({ settings }) => settings["computer.enabled"],
    servesTools: true,
    load: async () => (await import("./computer/addition.ts")).computerAddition,
  },
  {
    name: "pictures",
    kinds: [],
    isNeeded: ({ settings }) => settings["generate_image.enabled"],
    servesTools: true,
    load: async () => (await import("./images/addition.ts")).imagesAddition,
  },
  {
    name: "git hosts",
    servesTools: true,
    load: async () => (await import("./githost/addition.ts")).gitHostAddition,
  },
];

/** These come after the skills, because a user's skill with the name of a workflow replaces it. */
const WORK: readonly AdditionEntry[] = [
  { name: "goal", load: async () => (await import("./goal/addition.ts")).goalAddition },
  { name: "workflows", load: async () => (await import("./workflows/addition.ts")).workflowsAddition },
];

/** The order matters: middleware, tools and prompt sections follow it. */
export const additionsOf = (
  { extensions: hosts, mcpServers, languageServers, indexes, memoryBanks }: AdditionsOfRun,
  { mcpServers: named, delaysLanguageServers, learns = false }: AdditionChoices = {},
): readonly AdditionEntry[] => [
  {
    name: "extensions",
    kinds: ["extension", "tool", "hook"],
    isNeeded: ({ settings, extensions }) => settings.extensions.length > 0 || extensions.files.length > 0,
    load: async () => (await import("./extensions/addition.ts")).extensionAddition(hosts),
  },
  {
    name: "MCP",
    kinds: named ? [] : ["mcp-server"],
    isNeeded: () => named !== undefined && named.length > 0,
    load: async () => (await import("./mcp/addition.ts")).mcpAddition(mcpServers, named),
  },
  {
    name: "protected code",
    kinds: ["hook", "mcp-server", "lsp-server", "tool", "extension"],
    load: async () => (await import("./protected-code.ts")).protectedCode,
  },
  { name: "hooks", kinds: ["hook"], load: async () => (await import("./hooks/index.ts")).hooksFor },
  { name: "rules", kinds: ["rule", "instruction"], load: async () => (await import("./rules/addition.ts")).rules },
  {
    name: "skills",
    kinds: ["skill"],
    isNeeded: ({ settings }) => settings["skills.customDirectories"].length > 0,
    load: async () => (await import("./skills/addition.ts")).skills,
  },
  {
    name: "commands",
    kinds: ["command", "prompt"],
    load: async () => (await import("./file-commands/addition.ts")).fileCommands,
  },
  {
    name: "ssh",
    kinds: [],
    isNeeded: (workspace) => hasSshFiles(workspace),
    load: async () => (await import("./ssh/addition.ts")).sshAddition,
  },
  {
    name: "language servers",
    kinds: ["lsp-server"],
    isNeeded: (workspace) => fitsProject(workspace),
    load: async () =>
      (await import("./lsp/addition.ts")).lspAddition(languageServers, indexes, { isDelayed: delaysLanguageServers }),
  },
  {
    name: "code index",
    servesTools: true,
    load: async () => (await import("./code-index/addition.ts")).codeIndexAddition(indexes),
  },
  ...TOOL_SERVICES,
  {
    name: "web search",
    isNeeded: ({ settings }) => settings["web_search.enabled"],
    kinds: [],
    servesTools: true,
    load: async () => (await import("./search/addition.ts")).searchAddition,
  },
  {
    name: "memory",
    load: async () => (await import("./memory/addition.ts")).memoryAddition({ learns, told: memoryBanks }),
  },
  ...WORK,
  {
    // Comes after all hooks that may give the model more to do, because verification is the end of the work.
    name: "checks",
    kinds: [],
    isNeeded: (_workspace, { checks = [], opened }) => checks.length > 0 || hasVerifiedWork(opened.journal),
    load: async () => (await import("./verify/addition.ts")).verifyAddition,
  },
  {
    // Comes after all additions with tools, because it lists the tools that can be searched for.
    name: "tool search",
    kinds: ["mcp-server", "extension", "tool"],
    isNeeded: ({ settings }) => settings["tools.discoveryMode"] !== "off",
    load: async () => (await import("./tool-search/addition.ts")).toolSearchAddition,
  },
];
