// The discovered items as shown to users and programs: each with its source, and why it takes no effect if so. Values
// are left out because they may contain keys.

import { relative } from "node:path";
import { shownPath } from "../../platform/home/shown-path.ts";
import { table } from "../../sessions/tables/table.ts";
import { brokenHooks } from "./broken-hooks.ts";
import type { Discovery } from "./discovery.ts";
import { filesOfInstruction } from "./instruction-files.ts";
import type { Place } from "./place.ts";
import {
  type DiscoveryWarning,
  type Found,
  ITEM_KINDS,
  type ItemKind,
  type LspServerValue,
  type MarkdownValue,
  type McpServerValue,
  type Source,
} from "./types.ts";
import { warningLine } from "./warning-line.ts";

export interface Listing {
  readonly items: readonly Found[];
  /** Guards that cannot run here. */
  readonly errors: readonly DiscoveryWarning[];
  readonly warnings: readonly DiscoveryWarning[];
}

export async function listingOf(discovery: Discovery, kinds: readonly ItemKind[]): Promise<Listing> {
  const found = await Promise.all(kinds.map((kind) => discovery.of(kind)));
  const items = found.flatMap((one) => one.all);
  const { guards, others } = brokenHooks(items, discovery.place);
  const warnings = new Map(
    [...found.flatMap((one) => one.warnings), ...others].map((warning) => [warningLine(warning), warning]),
  );
  return { items, errors: guards, warnings: [...warnings.values()] };
}

/** Headings. */
const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  "context-file": "Instruction files",
  instruction: "Instructions",
  "system-prompt": "System prompts",
  rule: "Rules",
  skill: "Skills",
  command: "Commands",
  prompt: "Prompt templates",
  agent: "Agents",
  "mcp-server": "MCP servers",
  "lsp-server": "Language servers",
  hook: "Hooks",
  tool: "Tools",
  extension: "Extensions",
  plugin: "Plugins",
  settings: "Settings",
  "ssh-host": "SSH hosts",
  unsupported: "Not supported",
};

export function listingText({ items, errors, warnings }: Listing, place: Place): string {
  const sections = ITEM_KINDS.flatMap((kind) => {
    const own = items.filter((item) => item.kind === kind);
    return own.length === 0 ? [] : [`${KIND_NAMES[kind]}\n${table(own.map((item) => itemRow(item, place)))}`];
  });
  const text = sections.length === 0 ? "Nothing was found.\n" : sections.join("\n");
  const section = (heading: string, list: readonly DiscoveryWarning[]): string => {
    const lines = list.map((warning) => `  ${warningLine({ ...warning, path: pathText(warning.path, place) })}\n`);
    return lines.length === 0 ? "" : `\n${heading}\n${lines.join("")}`;
  };
  return `${text}${section("Errors", errors)}${section("Warnings", warnings)}`;
}

const LONGEST_NAME = 48;

function itemRow(item: Found, place: Place): string[] {
  const { source } = item;
  return [
    `  ${nameText(item, place)}`,
    `${source.providerName}, ${source.level}`,
    sourceText(source, place),
    remarkOn(item, place),
  ];
}

/** The name of a hook is its whole command. */
export function nameText({ name }: Found, { userHome }: Place): string {
  const shown = name.replaceAll(`${userHome}/`, "~/").replace(/\s+/g, " ");
  return shown.length > LONGEST_NAME ? `${shown.slice(0, LONGEST_NAME - 1)}…` : shown;
}

/** Why an item takes no effect, or when it does. */
export function remarkOn({ kind, source, shadowedBy, ignored, value }: Found, place: Place): string {
  if (ignored !== undefined) return kind === "unsupported" ? ignored : `ignored: ${ignored}`;
  if (shadowedBy) return `shadowed by ${sourceText(shadowedBy, place)}`;
  if (kind === "rule") return ruleRemark(value as MarkdownValue);
  if (kind === "instruction") return filesOfInstruction(value as MarkdownValue) ? "sent with files that match" : "";
  if (kind === "settings" && source.provider !== "native") return "no effect: another agent's settings";
  if (kind === "lsp-server" && (value as LspServerValue).isDisabled) return "switched off in its file";
  if (kind === "mcp-server" && (value as McpServerValue).enabled === false) return "switched off in its file";
  const { family } = (value ?? {}) as { readonly family?: string };
  return family === undefined ? "" : `for ${family} models, or where there is no AGENTS.md`;
}

function ruleRemark({ frontmatter, body }: MarkdownValue): string {
  const { condition, ttsr_trigger, ttsrTrigger, alwaysApply, globs, description } = frontmatter;
  if (condition ?? ttsr_trigger ?? ttsrTrigger) return "watches what the model writes";
  if (alwaysApply === true) return `in every request, ${sizeText(body)}`;
  if (globs !== undefined) return "sent with files that match";
  return description === undefined ? "no effect: it has no description, globs or alwaysApply" : "read when needed";
}

const sizeText = (text: string): string => `${(Buffer.byteLength(text) / 1000).toFixed(1)} kB`;

export const sourceText = ({ path, line }: Source, place: Place): string =>
  `${pathText(path, place).replace(/[\n\r]/g, " ")}${line === undefined ? "" : `:${line}`}`;

/** The path relative to the working directory; the user's files start with `~`. */
function pathText(path: string, { cwd, root, userHome }: Place): string {
  const isOfProject = path.startsWith(`${root}/`) && root !== userHome;
  return isOfProject ? relative(cwd, path) : shownPath(path, userHome);
}

export function listingJson({ items, errors, warnings }: Listing, discovery: Discovery): object {
  return {
    items: items.map(({ kind, name, source, shadowedBy, ignored }) => ({
      kind,
      name,
      state: ignored !== undefined ? "ignored" : shadowedBy ? "shadowed" : "active",
      source,
      ...(shadowedBy ? { shadowedBy } : {}),
      ...(ignored === undefined ? {} : { reason: ignored }),
    })),
    errors,
    warnings,
    providers: discovery.providers,
  };
}
