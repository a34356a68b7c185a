// Where a search or find looks: each text of the call as a file, a tree, the inside of an archive or an address,
// decided once per call. Missing ones are left out and reported; if all are missing, the call fails.

import type { CallPaths } from "../../contract/paths/call-paths.ts";
import { type Access, type CallScope, ToolFailure } from "../../contract/tool.ts";
import { compileGlob } from "../../world/env/search/path-glob.ts";
import type { Format } from "../target/format.ts";
import { fusedPaths } from "../target/fused-paths.ts";
import { searchedMembers } from "../target/member-access.ts";
import type { LineRange } from "../target/selector.ts";
import { type FileTarget, isAddress, targetOf } from "../target/target.ts";

export type Place =
  /** Everything below a directory, or the files in it that match the glob. */
  | { readonly kind: "tree"; readonly root: string; readonly real: string; readonly glob?: string }
  | {
      readonly kind: "file";
      readonly root: string;
      readonly real: string;
      readonly within?: readonly LineRange[];
      /** The file's format, if it is not plain text but nothing inside can be searched. */
      readonly format?: Format;
    }
  /** What a format lists inside a file. */
  | {
      readonly kind: "parts";
      readonly target: FileTarget;
      readonly format: Format;
      readonly within?: readonly LineRange[];
    }
  | { readonly kind: "address"; readonly url: string; readonly within?: readonly LineRange[] };

export interface Places {
  readonly places: readonly Place[];
  /** Texts that lead nowhere. */
  readonly missing: readonly string[];
}

const known = new WeakMap<CallPaths, Map<string, Promise<Places>>>();

/** Resolved once per call. */
export function placesOf(texts: readonly string[], scope: CallScope): Promise<Places> {
  const answers = known.get(scope.paths) ?? new Map<string, Promise<Places>>();
  known.set(scope.paths, answers);
  const key = JSON.stringify(texts);
  const answer = answers.get(key) ?? resolveAll(texts, scope);
  answers.set(key, answer);
  return answer;
}

/** What a search reads. The environment leaves files out of trees if permissions hide them. */
export async function searchAccess(texts: readonly string[], scope: CallScope): Promise<readonly Access[]> {
  const { places } = await placesOf(texts, scope);
  const accesses = places.map(async (place): Promise<readonly Access[]> => {
    if (place.kind === "address") {
      const more = (await scope.services.schemes?.readAccess(place.url, scope)) ?? [];
      return [{ kind: "address", url: place.url, write: false }, ...more];
    }
    if (place.kind === "parts")
      return [{ kind: "read", path: place.target.located.real }, ...(await searchedMembers(place.target, scope))];
    const filter = place.kind === "tree" && place.glob !== undefined ? { filter: place.glob } : {};
    return [{ kind: "read", path: place.real, search: true, ...filter }];
  });
  return (await Promise.all(accesses)).flat();
}

async function resolveAll(texts: readonly string[], scope: CallScope): Promise<Places> {
  if (texts.length === 0 || texts.some((text) => text.trim() === "")) {
    throw new ToolFailure("`paths` must contain non-empty paths or globs");
  }
  const places: Place[] = [];
  const missing: string[] = [];
  for (const text of texts) {
    // A file with exactly this name wins; globs come last, because nearly everything is a valid glob.
    const literal = await literalPlace(text, scope);
    const parts = literal ? [] : ((await fusedPaths(text, (part) => exists(part, scope))) ?? [text]);
    if (literal) places.push(literal);
    for (const part of parts) {
      const place = (await literalPlace(part, scope)) ?? (await globPlace(part, scope));
      if (place) places.push(place);
      else missing.push(part);
    }
  }
  if (places.length === 0) throw new ToolFailure(`Path not found: ${missing.join(", ")}`);
  return { places, missing };
}

async function exists(part: string, scope: CallScope): Promise<boolean> {
  if (await literalPlace(part, scope)) return true;
  const place = isGlob(part) ? await globPlace(part, scope) : undefined;
  return (
    place !== undefined && (await scope.paths.filesMatching(part.includes("/") ? part : `**/${part}`, 1)).length > 0
  );
}

async function literalPlace(text: string, scope: CallScope): Promise<Place | undefined> {
  if (isAddress(text, scope)) return addressPlace(text, scope);
  const target = await targetOf(text, "read", scope);
  if (target.kind !== "file") return undefined;
  const { located, selector } = target;
  if (!located.stat || located.stat.kind === "dangling") return undefined;
  const within = selector && selector.ranges.length > 0 ? { within: selector.ranges } : {};
  if (located.stat.kind === "directory") {
    if (selector) throw new ToolFailure(`${text}: lines can be selected only in a single file, not in a directory.`);
    return { kind: "tree", root: await scope.paths.searchRoot(located.path), real: located.real };
  }
  if (located.stat.kind === "other") throw new ToolFailure(`${text} is a pipe, socket or device, not a file.`);
  if (target.format && (target.inner !== "" || target.format.list)) {
    return { kind: "parts", target, format: target.format, ...within };
  }
  const format = target.format ? { format: target.format } : {};
  return { kind: "file", root: await scope.paths.searchRoot(located.path), real: located.real, ...within, ...format };
}

async function addressPlace(text: string, scope: CallScope): Promise<Place> {
  if (isGlob(text) && !/^https?:/i.test(text)) {
    throw new ToolFailure(`Glob patterns are not supported for internal URLs: ${text}`);
  }
  const target = await targetOf(text, "read", scope);
  if (target.kind !== "address") {
    throw new ToolFailure(`Web pages cannot be searched: ${text}. Read the page; a long one can be read in parts.`);
  }
  const { path: url, selector } = target;
  return { kind: "address", url, ...(selector && selector.ranges.length > 0 ? { within: selector.ranges } : {}) };
}

async function globPlace(text: string, scope: CallScope): Promise<Place | undefined> {
  if (!isGlob(text)) return namedBelow(text, scope);
  if (/:[\d,+-]+$/.test(text))
    throw new ToolFailure(`${text}: lines can be selected only in a single file, not in a glob.`);
  const { base, rest } = compileGlob(text);
  const located = await scope.paths.locate(base === "" ? "." : base);
  if (located.stat?.kind !== "directory") return undefined;
  // A bare name is searched at every depth; anything with a folder is anchored there.
  const glob = base === "" && !text.includes("/") ? rest : `/${rest}`;
  return { kind: "tree", root: await scope.paths.searchRoot(located.path), real: located.real, glob };
}

/** A bare name that is not in the working directory, but somewhere below it. */
async function namedBelow(name: string, scope: CallScope): Promise<Place | undefined> {
  if (/[/\\]|^[.~]{0,2}$/.test(name) || (await scope.paths.filesMatching(`**/${name}`, 1)).length === 0)
    return undefined;
  const { path, real } = await scope.paths.locate(".");
  return { kind: "tree", root: await scope.paths.searchRoot(path), real, glob: name };
}

const isGlob = (text: string): boolean => /[*?[{]/.test(text);
