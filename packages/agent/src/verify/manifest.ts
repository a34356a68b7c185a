// Restores manifests except for their dependencies: code that needs a new package is honest, a new test script is not.

import { basename, dirname } from "node:path";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import type { PathState } from "../files/isolate/landing-journal.ts";
import type { Change } from "./types.ts";

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;
/** A package that was there before but now comes from another source may contain anything. */
const ELSEWHERE = /^(?:file|link|portal|npm|git|https?|[\w.+-]+\/)/;
const RUST_DEPENDENCIES = /^\[(?:[\w.'"-]+\.)?(?:dev-|build-)?dependencies(?:\..+)?\]$/;

/** The restored state of a manifest. Undefined if it is no manifest and must be restored as a whole. */
export function oldManifest({ path, before, after }: Change): PathState | undefined {
  if (before.kind !== "file" || after.kind !== "file") return undefined;
  const [old, now] = [before, after].map(({ bytes }) => Buffer.from(bytes).toString("utf8")) as [string, string];
  const merged = merge(basename(path), old, now);
  return merged === undefined ? undefined : { ...before, bytes: Buffer.from(merged, "utf8") };
}

function merge(name: string, old: string, now: string): string | undefined {
  if (name === "package.json") return mergePackage(old, now);
  if (name === "Cargo.toml") return mergeCargo(old, now);
  return undefined;
}

function mergePackage(old: string, now: string): string | undefined {
  const [before, after] = [parseObject(old), parseObject(now)];
  if (!before || !after) return undefined;
  const merged: JsonObject = { ...before };
  for (const field of DEPENDENCIES) {
    const own = isJsonObject(before[field]) ? before[field] : {};
    const wanted = isJsonObject(after[field]) ? after[field] : {};
    const changed = Object.entries(wanted).filter(
      ([name, version]) => own[name] === undefined || !ELSEWHERE.test(String(version)),
    );
    // A package that a test needs stays, even if the manifest dropped it.
    const all = { ...own, ...Object.fromEntries(changed) };
    if (Object.keys(all).length > 0) merged[field] = all;
  }
  return same(merged, before) ? old : `${JSON.stringify(merged, null, 2)}\n`;
}

const same = (one: JsonObject, other: JsonObject): boolean => JSON.stringify(one) === JSON.stringify(other);

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The dependency tables of the new file, everything else from the old one. */
function mergeCargo(old: string, now: string): string {
  const kept = tablesOf(old).filter(({ head }) => !RUST_DEPENDENCIES.test(head));
  const taken = tablesOf(now).filter(({ head }) => RUST_DEPENDENCIES.test(head));
  const own = tablesOf(old).filter(({ head }) => RUST_DEPENDENCIES.test(head));
  const text = (tables: readonly { readonly text: string }[]): string => tables.map((table) => table.text).join("");
  return text(taken) === text(own) ? old : `${text(kept)}\n${text(taken)}`;
}

function tablesOf(text: string): { readonly head: string; readonly text: string }[] {
  const tables: { head: string; text: string }[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const head = /^\s*(\[.*\])/.exec(line)?.[1];
    if (head !== undefined || tables.length === 0) tables.push({ head: head ?? "", text: line });
    else tables.at(-1)!.text += line;
  }
  return tables;
}

/** Folders whose manifest has different dependencies now, to which their lock files belong. */
export function foldersWithNewDependencies(changes: readonly Change[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const change of changes) {
    const old = oldManifest(change);
    if (old?.kind !== "file" || change.before.kind !== "file") continue;
    if (!Buffer.from(old.bytes).equals(change.before.bytes)) folders.add(dirname(change.path));
  }
  return folders;
}

/** Whether a lock file belongs to one of these folders: it is in the folder, or above it. */
export function lockBelongsTo(path: string, folders: ReadonlySet<string>): boolean {
  const own = dirname(path);
  return [...folders].some((folder) => folder === own || folder.startsWith(`${own}/`));
}
