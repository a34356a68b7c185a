// Which items may take effect in an untrusted folder. Text always may; code, and files that replace the system prompt,
// only while they are unchanged since the folder was trusted.

import { dirname } from "node:path";
import { isInside } from "@lathe/agent/policy";
import { isTrusted, isUnchangedSinceTrust } from "../../config/trust/trust.ts";
import type { Place } from "./place.ts";
import type { Reader } from "./reader.ts";
import { importedFiles, startedFiles } from "./started-files.ts";
import type { Found, ItemKind, ModuleValue } from "./types.ts";

/**
 * Items of these kinds run something or speak in the user's name. An agent works by itself and may name a command to
 * run.
 */
export const NEED_TRUST: readonly ItemKind[] = [
  ...(["hook", "tool", "extension", "mcp-server", "lsp-server", "plugin", "agent"] as const),
  "system-prompt",
];

export const UNTRUSTED = "this folder is not trusted";
export const DISABLED = "disabled in the settings";
export const CHANGED = "new or changed since this folder was trusted";

/** Undefined if the item may take effect. */
export function untrustedReason(item: Found, place: Place, reader: Reader): string | undefined {
  const { kind, source } = item;
  if (source.level !== "project" || !NEED_TRUST.includes(kind)) return undefined;
  const { folders, trustFile, userHome } = place;
  // This makes the reader watch the file, so that the items are judged again when the user trusts the folder.
  reader.isFile(trustFile);
  const holder = folders.find((folder) => source.path.startsWith(`${folder}/`)) ?? dirname(source.path);
  if (!isTrusted(trustFile, holder, userHome)) return UNTRUSTED;
  return codeFilesOf(item, place, reader).every((file) => isUnchangedSinceTrust(trustFile, file)) ? undefined : CHANGED;
}

/** A hand-written extension has fewer files; larger ones come from packages. */
const MOST_FILES = 500;

/**
 * The project files that decide what the item runs: its own, all others in its folder if it has one, and those that
 * they start or import.
 */
export function codeFilesOf(item: Found, place: Place, reader: Reader): readonly string[] {
  const files = new Set(ownFiles(item, reader));
  const add = (more: readonly string[]): void => {
    for (const path of more) if (isInside(path, place.root) && !path.includes("/node_modules/")) files.add(path);
  };
  add(startedFiles(item, place, reader));
  // The loop extends the set.
  for (const file of files) if (files.size < MOST_FILES) add(importedFiles(file, place, reader));
  return [...files];
}

function ownFiles({ source, value }: Found, reader: Reader): readonly string[] {
  const folder = (value as Partial<ModuleValue>).folder;
  const isModule = (value as Partial<ModuleValue>).entry !== undefined;
  if (!isModule || folder === undefined) return [source.path];
  const files: string[] = [];
  const folders = [folder];
  // The loop extends the list; circular links end at the limit.
  for (const next of folders)
    for (const { name, path, isFolder } of reader.entries(next)) {
      if (name === "node_modules" || files.length + folders.length > MOST_FILES) continue;
      if (isFolder) folders.push(path);
      else if (reader.isFile(path)) files.push(path);
    }
  return files;
}
