// Shows a directory as a short tree: newest first, with size and age.

import { posix } from "node:path";
import type { CallScope } from "../../contract/tool.ts";
import type { DirEntry } from "../../world/env/types.ts";
import type { OpenedView } from "../target/opened.ts";
import type { Selector } from "../target/selector.ts";

const DEPTH = 2;
const CHILDREN = 12;
/** For the directory itself: the model asked for it, so its own entries are not cut at the usual limit. */
const MOST_ENTRIES = 500;

export async function directoryTree(
  path: string,
  real: string,
  { env, services }: CallScope,
  selector: Selector | undefined,
): Promise<OpenedView> {
  const listed = await entriesOf(real, env);
  const rows: string[] = [];
  let left = 0;
  const show = (parent: string, depth: number): void => {
    const children = (listed.get(parent) ?? []).sort(byAge);
    const most = depth === 1 ? MOST_ENTRIES : CHILDREN;
    const indent = "  ".repeat(depth - 1);
    for (const entry of children.slice(0, most)) {
      rows.push(`${indent}${rowOf(entry, services.now?.())}`);
      // Git's own data says nothing about the project.
      if (entry.isDir && posix.basename(entry.name) !== ".git") show(entry.name, depth + 1);
    }
    if (children.length <= most) return;
    left += children.length - most;
    rows.push(`${indent}[${children.length - most} more]`);
  };
  show("", 1);
  const details = {
    filePath: path,
    entries: rows.length,
    ...(left > 0 ? { meta: { limits: { entriesLeftOut: left } } } : {}),
  };
  if (rows.length === 0) return { kind: "shown", path, text: "(empty directory)", details };
  const wanted = selector?.ranges[0];
  // A single number limits the lines; two select a range of them.
  const shown =
    wanted === undefined
      ? rows
      : rows.slice((wanted.last === undefined ? 1 : wanted.first) - 1, wanted.last ?? wanted.first);
  return { kind: "shown", path, text: shown.join("\n"), details };
}

/** Grouped by the directory that contains them. */
async function entriesOf(real: string, env: CallScope["env"]): Promise<Map<string, DirEntry[]>> {
  const children = new Map<string, DirEntry[]>();
  for (const entry of await env.listDirectory(real, DEPTH)) {
    const parent = posix.dirname(entry.name).replace(/^\.$/, "");
    children.set(parent, [...(children.get(parent) ?? []), entry]);
  }
  return children;
}

const byAge = (a: DirEntry, b: DirEntry): number => (b.mtimeMs ?? 0) - (a.mtimeMs ?? 0) || (a.name < b.name ? -1 : 1);

function rowOf({ name, isDir, size = 0, mtimeMs }: DirEntry, now: number | undefined): string {
  const when = now === undefined || mtimeMs === undefined ? "" : `  ${age(now - mtimeMs)}`;
  const own = posix.basename(name);
  return isDir ? `${own}/${when}` : `${own}  ${bytes(size)}${when}`;
}

function bytes(size: number): string {
  if (size < 1024) return `${size}B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = size / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${units[unit]}`;
}

function age(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes}m ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return `${hours}h ago`;
  return `${Math.round(hours / 24)}d ago`;
}
