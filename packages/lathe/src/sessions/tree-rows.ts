// The tree of a session as rows for users and hosts: one line for each entry that passes the filter, indented where
// branches fork.

import type { Journal } from "@lathe/agent";
import { visibleLine } from "@lathe/agent/base";
import type { TreeEntry } from "@lathe/agent/contract";
import { isUserMessage, pathTo } from "@lathe/agent/record";
import { type ContentPart, textOf } from "@lathe/llm";
import { wordsAndAttachments } from "./attached-text.ts";
import { shorten } from "./list.ts";
import { reportOf } from "./reports.ts";

export const TREE_FILTERS = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;
export type TreeFilter = (typeof TREE_FILTERS)[number];

export interface TreeRow {
  readonly id: string;
  /** The nearest ancestor that is shown. */
  readonly parentId: string | null;
  readonly type: string;
  readonly role?: string;
  /** One line. */
  readonly text: string;
  readonly timestamp: string;
  readonly label?: string;
  /** How many forks above have this row on a side branch. */
  readonly depth: number;
  /** Whether the row is on the path to the current position. */
  readonly isActive: boolean;
}

const TEXT_CHARS = 200;
const BOOKKEEPING: ReadonlySet<string> = new Set([
  ...["label", "custom", "model_change", "thinking_level_change", "service_tier_change", "prune", "mode_change"],
  ...["session_init", "ttsr_injection", "mcp_tool_selection", "nested_call"],
]);

/**
 * Rows from top to bottom; at a fork the active branch comes first, then the others by age. Each row is only created
 * when it is taken.
 */
export function* treeRows(journal: Journal, filter: TreeFilter = "default"): Generator<TreeRow> {
  const active = new Set(pathTo(journal, journal.leaf));
  type Waiting = { readonly id: string; readonly parentId: string | null; readonly depth: number };
  /** Rows are popped from the end, so the first one to show goes last. */
  const stackOrder = (ids: readonly string[]): readonly string[] => {
    if (ids.length < 2) return ids;
    const newestFirst = ids.toReversed();
    return [...newestFirst.filter((id) => !active.has(id)), ...newestFirst.filter((id) => active.has(id))];
  };
  // A stack instead of recursion, because a long conversation is a deep tree.
  const stack: Waiting[] = stackOrder(journal.children(null)).map((id) => ({ id, parentId: null, depth: 0 }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { id, parentId, depth } = next;
    const label = journal.labels.get(id);
    const shown = filter === "labeled-only" && label === undefined ? undefined : rowContent(journal, id, filter);
    const isShown = shown !== undefined;
    if (isShown) {
      const row: { -readonly [Name in keyof TreeRow]: TreeRow[Name] } = {
        id,
        type: shown.type,
        text: visibleLine(shown.text).slice(0, TEXT_CHARS).toWellFormed(),
        timestamp: shown.timestamp,
        parentId,
        depth,
        isActive: active.has(id),
      };
      if (shown.role !== undefined) row.role = shown.role;
      if (label !== undefined) row.label = label;
      yield row;
    }
    const children = journal.children(id);
    const below = depth + (children.length > 1 ? 1 : 0);
    for (const child of stackOrder(children))
      stack.push({ id: child, parentId: isShown ? id : parentId, depth: below });
  }
}

type Shown = Pick<TreeRow, "type" | "text" | "timestamp"> & { readonly role: string | undefined };

/** Undefined if the filter leaves it out. Most messages need not be parsed to decide that. */
function rowContent(journal: Journal, id: string, filter: TreeFilter): Shown | undefined {
  const glimpse = journal.glimpse(id);
  if (glimpse) {
    const { role, timestamp, text, isCall } = glimpse;
    if (filter === "user-only" ? role !== "user" : filter === "no-tools" && (role === "tool" || isCall))
      return undefined;
    return {
      type: "message",
      role,
      timestamp,
      text: role === "user" && text.startsWith("<") ? wordsOf([{ kind: "text", text }]) : text,
    };
  }
  const entry = journal.entry(id);
  if (!shows(filter, entry)) return undefined;
  const { type, timestamp } = entry;
  const role = type !== "message" ? undefined : reportOf(entry) ? "note" : entry.message.role;
  // Far more than is shown, so the cut is never visible, and far less than an answer may have.
  return { type, role, timestamp, text: textOfEntry(entry).slice(0, 10 * TEXT_CHARS) };
}

function shows(filter: TreeFilter, entry: TreeEntry): boolean {
  if (filter === "all" || filter === "labeled-only") return true;
  if (BOOKKEEPING.has(entry.type)) return false;
  if (filter === "default") return true;
  if (entry.type !== "message") return filter !== "user-only";
  const { role, content } = entry.message;
  if (role === "user") return isUserMessage(entry) || filter === "no-tools";
  return filter === "no-tools" && role === "assistant" && content.some(({ kind }) => kind === "text");
}

function textOfEntry(entry: TreeEntry): string {
  switch (entry.type) {
    case "message": {
      const { role, content } = entry.message;
      const report = reportOf(entry);
      if (report) return `${report.title} ${report.text}`;
      if (role === "user") return wordsOf(content);
      if (role === "tool") return entry.summary ?? "";
      const calls = content.flatMap((part) => (part.kind === "tool_call" ? [`[${part.toolCall.name}]`] : []));
      return [textOf(entry.message), ...calls].join(" ");
    }
    case "custom_message":
      return typeof entry.content === "string" ? entry.content : textOf({ role: "user", content: entry.content });
    case "branch_summary":
      return entry.summary;
    case "compaction":
      return entry.summary === "" ? "undone by /uncompact" : (entry.shortSummary ?? entry.summary);
    case "label":
      return `${entry.targetId} ${entry.label ?? ""}`;
    case "model_change":
      return entry.model;
    case "thinking_level_change":
      return entry.thinkingLevel;
    case "custom":
      return entry.customType;
    case "nested_call":
      return `[${entry.tool}] ${entry.summary ?? ""}`;
    case "mode_change":
      return entry.mode;
    default:
      return "";
  }
}

function wordsOf(content: readonly ContentPart[]): string {
  const { words, attached } = wordsAndAttachments(content);
  return [words, ...attached.map(({ name }) => name)].join(" ");
}

const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({ user: "You", assistant: "Agent", tool: "Tool", note: "Note" }),
);

/** A row as text: `›` marks the path to the current position. `columns` limits the length of a line. */
export function treeLine(row: TreeRow, columns = Number.POSITIVE_INFINITY): string {
  const { id, type, role, text, label, depth, isActive } = row;
  const who = (role === undefined ? undefined : KINDS.get(role)) ?? type.replaceAll("_", " ");
  const name = label === undefined ? "" : `[${label}] `;
  return shorten(`${isActive ? "›" : " "} ${id}  ${"  ".repeat(depth)}${name}${who}: ${text}`, columns);
}
