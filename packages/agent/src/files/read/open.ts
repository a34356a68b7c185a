// Opens whatever a path text leads to, for every read tool: lines of text, a picture, or something ready to show (a
// listing, a table). It opens exactly the target that was judged.

import { similarPaths } from "../../contract/paths/similar-paths.ts";
import type { WantedPart } from "../../contract/seams/schemes.ts";
import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { EnvError } from "../../world/env/types.ts";
import { DocumentError, decodeDocument } from "../edit/document.ts";
import { shownKey } from "../edit/shown-files.ts";
import { conflictsView } from "../formats/conflict/view.ts";
import { imageType } from "../target/images.ts";
import { linesOf, type Opened, type OpenedView } from "../target/opened.ts";
import type { Selector } from "../target/selector.ts";
import { type AddressTarget, type FileTarget, formatFile, targetOf } from "../target/target.ts";
import { directoryTree } from "./directory.ts";

/** Larger files cannot be read line by line; a program can extract parts of them. */
const MOST_BYTES = 64 << 20;

let pages: Promise<typeof import("../web/open-page.ts")> | undefined;

export interface Wanted {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  /** Show a directory as a tree instead of refusing it. */
  readonly directories?: boolean | undefined;
}

/** `lines`: the lines that the call asks for besides its path, so that a large text need not be loaded whole. */
export async function open(text: string, scope: CallScope, lines: Wanted = {}): Promise<Opened> {
  const target = await targetOf(text, "read", scope);
  if (target.kind === "address") return openAddress(target, scope, lines);
  if (target.kind === "web") {
    // Loaded with the first web page, because most sessions read none.
    pages ??= import("../web/open-page.ts");
    return (await pages).openPage(target, scope);
  }
  try {
    return await openFile(text, target, scope, lines);
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(error.message);
    throw error;
  }
}

async function openFile(text: string, target: FileTarget, scope: CallScope, { directories }: Wanted): Promise<Opened> {
  const { located, format, path, separator, inner, selector } = target;
  const { stat, real } = located;
  if (!stat) throw await notFound(path, scope);
  if (stat.kind === "dangling") {
    throw new ToolFailure(`${path} is a symbolic link to ${stat.realPath}, which does not exist.`);
  }
  const notes = target.isRescued ? [`[Path '${text}' not found; resolved to '${path}' via suffix match]`] : [];
  if (stat.kind === "directory") {
    if (directories) return directoryTree(path, real, scope, selector);
    throw new ToolFailure(`${path} is a directory. List it, or name a file in it.`);
  }
  // Reading a pipe or a device may never end, and blocks a thread that even the end of the host waits for.
  if (stat.kind === "other") {
    throw new ToolFailure(
      `${path} is a pipe, socket or device, not a file. Use a program in the shell with a time limit.`,
    );
  }
  const file = formatFile(located, scope);
  if (format) {
    const content = await format.read(file, { inner, separator, selector });
    scope.paths.shown.add(real);
    if (content.kind === "shown") return { ...content, path };
    if (content.kind === "image") return { ...content, path, notes: [...notes, ...(content.notes ?? [])] };
    if (selector?.conflicts) return conflictsOf(target, content.text, scope);
    const named = content.inner === "" ? located.path : `${located.path}${separator || ":"}${content.inner}`;
    const tag = content.isEditable
      ? scope.services.shownFiles?.record(shownKey(located.absolute, content.inner), content.text)
      : undefined;
    return {
      kind: "text",
      path: named,
      lines: linesOf(content.text),
      first: 1,
      tag,
      selector: content.selector,
      notes: [...notes, ...(content.notes ?? [])],
      isPlainFile: false,
    };
  }
  if (stat.size > MOST_BYTES) {
    throw new ToolFailure(
      `${path} has ${stat.size} bytes, too many to read whole. Search it with grep, or print a part of it with the shell.`,
    );
  }
  const bytes = await file.bytes();
  scope.paths.shown.add(real);
  const mediaType = imageType(bytes);
  if (mediaType) return { kind: "image", path, bytes, mediaType, notes };
  const content = decodeText(path, bytes);
  const tag = scope.services.shownFiles?.record(located.absolute, content);
  if (selector?.conflicts) return conflictsOf(target, content, scope);
  return { kind: "text", path, lines: linesOf(content), first: 1, tag, selector, notes, isPlainFile: true };
}

function conflictsOf({ path, located }: FileTarget, text: string, { services }: CallScope): OpenedView {
  if (!services.conflicts) throw new ToolFailure(`Conflicts cannot be read here. Read ${path} without :conflicts.`);
  return { kind: "shown", path, text: conflictsView({ path, absolute: located.absolute, text }, services.conflicts) };
}

async function openAddress(
  { path, selector }: AddressTarget,
  scope: CallScope,
  { offset, limit }: Wanted,
): Promise<Opened> {
  const { schemes } = scope.services;
  if (!schemes) throw new ToolFailure(`${path} cannot be read here.`);
  if (/^[a-z][a-z0-9+.-]*:\/\/$/i.test(path)) {
    const entries = await schemes.list(path, scope.signal);
    if (entries) return { kind: "shown", path, text: listing(path, entries) };
  }
  const wanted = wantedPart(selector, offset, limit);
  const found = await schemes.read(path, scope.signal, wanted, scope);
  const { bytes, mediaType, immutable, sourcePath, firstLine, page } = found;
  if (page !== undefined) scope.paths.pages.set(path, page);
  const picture = mediaType?.startsWith("image/") ? imageType(bytes) : undefined;
  if (picture) return { kind: "image", path, bytes, mediaType: picture, notes: [] };
  if (sourcePath !== undefined) scope.paths.shown.add(sourcePath);
  const content = decodeText(path, bytes);
  if (content === "" && firstLine !== undefined && firstLine > 1) {
    return { kind: "shown", path, text: `(${path} has fewer than ${firstLine} lines)` };
  }
  if (selector?.chars && firstLine !== undefined) {
    return { kind: "shown", path, text: content === "" ? `(${path} has fewer characters)` : content };
  }
  const tag =
    sourcePath === undefined || immutable || firstLine !== undefined
      ? undefined
      : scope.services.shownFiles?.record(sourcePath, content);
  return {
    kind: "text",
    path,
    lines: linesOf(content),
    first: firstLine ?? 1,
    tag,
    selector,
    isWhole: selector === undefined && offset === undefined && limit === undefined && schemes.readsWhole(path),
    notes: [],
    isPlainFile: false,
  };
}

/** One range from the first requested line to the last; lines between the requested ranges are left out when shown. */
function wantedPart(
  selector: Selector | undefined,
  offset: number | undefined,
  limit: number | undefined,
): WantedPart | undefined {
  if (selector?.chars) return { unit: "chars", ...selector.chars };
  const ranges = selector?.ranges ?? [];
  const [first] = ranges;
  if (first) {
    const isOpen = ranges.some(({ last }) => last === undefined);
    const last = Math.max(...ranges.map((range) => range.last ?? 0));
    return { unit: "lines", first: first.first, ...(isOpen ? {} : { last }) };
  }
  if (offset === undefined) return limit === undefined ? undefined : { unit: "lines", first: 1, last: limit };
  return { unit: "lines", first: offset, ...(limit === undefined ? {} : { last: offset + limit - 1 }) };
}

function listing(
  path: string,
  entries: readonly { readonly url: string; readonly about?: string | undefined }[],
): string {
  if (entries.length === 0) return `(nothing under ${path})`;
  return entries.map(({ url, about }) => (about === undefined ? url : `${url}  ${about}`)).join("\n");
}

async function notFound(path: string, scope: CallScope): Promise<ToolFailure> {
  const { env } = scope;
  if (/^~(?:\/|$)/.test(path) && env.home === undefined) {
    return new ToolFailure(`File not found: ${path}. ~ is not expanded; give the whole path.`);
  }
  // The file exists, but what follows it is not a valid selector: `a.ts:2..3`, `a.ts#L2`.
  for (let at = path.length - 1; at > 0; at--) {
    if (!/[:#]/.test(path[at]!)) continue;
    const file = path.slice(0, at);
    if ((await scope.paths.locate(file)).stat?.kind !== "file") continue;
    return new ToolFailure(
      `File not found: ${path}. There is ${file}, and ${path.slice(at)} names no part of it. Lines are named like ${file}:5-9.`,
    );
  }
  const near = await similarPaths(env, path);
  return new ToolFailure(
    near.length > 0
      ? `File not found: ${path}. Did you mean ${near.join(" or ")}?`
      : `File not found: ${path}. Search for its name or list the directory to find the right path.`,
  );
}

function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return decodeDocument(bytes).text;
  } catch (error) {
    if (error instanceof DocumentError) {
      throw new ToolFailure(
        `${path} ${error.message.split(";")[0]}. Inspect it with a program in the shell (file, xxd, strings).`,
      );
    }
    throw error;
  }
}
