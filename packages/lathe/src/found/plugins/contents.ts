// Lists the contents of a plugin by reading its files only; shown to the user before it is installed.

import { basename } from "node:path";
import { isJsonObject, parseJson } from "@lathe/llm";
import { readIfThere } from "../../platform/home/small-file.ts";
import { readAgentFile } from "../agents/agent-file.ts";
import { Discovery } from "../discovery/discovery.ts";
import type { Place } from "../discovery/place.ts";
import { pluginLoaders } from "../discovery/plugin-files.ts";
import type { Provider } from "../discovery/search.ts";
import type {
  DiscoveryWarning,
  Found,
  HookValue,
  LspServerValue,
  MarkdownValue,
  McpServerValue,
  ModuleValue,
} from "../discovery/types.ts";
import { warningLine } from "../discovery/warning-line.ts";

export interface Contents {
  /** One line each; for anything that runs, with its command. */
  readonly lines: readonly string[];
  readonly runsCode: boolean;
  /** One line each. */
  readonly warnings: readonly string[];
}

/** The plugin's own name and description. */
export function manifestOf(root: string): {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
} {
  for (const file of [`${root}/.claude-plugin/plugin.json`, `${root}/package.json`]) {
    const value = parseObject(readIfThere(file));
    if (!value) continue;
    const text = (key: string): Record<string, string> => (typeof value[key] === "string" ? { [key]: value[key] } : {});
    const { name = "", ...rest } = { ...text("name"), ...text("version"), ...text("description") };
    return name === "" ? rest : { name: basename(name), ...rest };
  }
  return {};
}

export async function contentsOf(place: Place, name: string, root: string): Promise<Contents> {
  const provider: Provider = { id: "plugins", name, priority: 0, loaders: pluginLoaders(() => [{ name, root }]) };
  const discovery = new Discovery({ place, providers: [provider] });
  const kinds = ["command", "skill", "agent", "hook", "mcp-server", "lsp-server", "tool", "extension"] as const;
  const found = await Promise.all(kinds.map((kind) => discovery.of(kind)));
  const items: readonly Found[] = found.flatMap(({ all }) => all as readonly Found[]);
  return {
    lines: items.map((item) => lineOf(item, root)),
    runsCode: items.some(({ kind }) => ["hook", "mcp-server", "lsp-server", "tool", "extension"].includes(kind)),
    // The same file is read for several kinds, and its current path does not matter.
    warnings: [
      ...new Set([...found.flatMap(({ warnings }) => warnings), ...items.flatMap(frontmatterProblem)].map(warningLine)),
    ].map((line) => line.replaceAll(`${root}/`, "")),
  };
}

/** The problem that keeps an item from being used although its file can be read. */
function frontmatterProblem({ kind, name, source: { path }, value }: Found): readonly DiscoveryWarning[] {
  if (kind === "agent") {
    const read = readAgentFile(name, value as MarkdownValue, path);
    return "problem" in read ? [{ path, message: `${read.problem}. The agent cannot be used` }] : [];
  }
  const { description } = kind === "skill" ? (value as MarkdownValue).frontmatter : { description: "not needed" };
  const isMissing = typeof description !== "string" || description.trim() === "";
  return isMissing ? [{ path, message: "it has no description, so the model is not told about this skill" }] : [];
}

function lineOf({ kind, name, value }: Found, root: string): string {
  if (kind === "hook") {
    const { event, command = "" } = value as HookValue;
    return `hook on ${event}, runs: ${command.replaceAll(root, "<plugin>")}`;
  }
  if (kind === "mcp-server") {
    const { command, args = [], url } = value as McpServerValue;
    return command === undefined
      ? `MCP server ${name}, at ${url}`
      : `MCP server ${name}, runs: ${[command, ...args].join(" ").replaceAll(root, "<plugin>")}`;
  }
  if (kind === "lsp-server") {
    const { command = "", args = [] } = value as LspServerValue;
    return `language server ${name}, runs: ${[command, ...args].join(" ").replaceAll(root, "<plugin>")}`;
  }
  if (kind === "tool" || kind === "extension")
    return `${kind} ${name}, loads: ${(value as ModuleValue).entry.slice(root.length + 1)}`;
  return `${kind} ${name}`;
}

/** Undefined for a broken file: then the folder names the plugin, and discovery reports the file. */
function parseObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text ?? "");
  return isJsonObject(value) ? value : undefined;
}
