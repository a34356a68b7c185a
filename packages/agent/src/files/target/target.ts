// The meaning of a path text in a call: a file, something inside a file, an address, a web page; and which lines of it.
// Decided once, before the call is judged: permissions, records and the operation itself use this value, so that what
// was approved is what is opened. Paths are repaired only here.

import { posix } from "node:path";
import type { CallPaths, Located } from "../../contract/paths/call-paths.ts";
import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import type { Format, FormatFile } from "./format.ts";
import { unquotePath } from "./repair.ts";
import { rescuePath } from "./rescue.ts";
import { type Selector, splitSelector } from "./selector.ts";

export type Target = FileTarget | AddressTarget | WebTarget;

export interface FileTarget {
  readonly kind: "file";
  /** The path in the call, without selector, including members and rows. */
  readonly path: string;
  /** The file that is opened. Its `path` lacks the part that leads inside. */
  readonly located: Located;
  /** The format that opens it; absent for lines of text, a picture, a directory or nothing. */
  readonly format?: Format;
  /** "" for the file itself. */
  readonly separator: "" | ":" | "?";
  /**
   * The part that leads inside. For a read it may still end like a selector, because only the format knows the names
   * inside.
   */
  readonly inner: string;
  readonly selector?: Selector;
  /** Nothing exists at the path; this is the only file that ends like it. */
  readonly isRescued?: true;
}

/** An address of a registered scheme, such as artifact://3. */
export interface AddressTarget {
  readonly kind: "address";
  readonly path: string;
  readonly selector?: Selector;
}

export interface WebTarget {
  readonly kind: "web";
  /** A full address. */
  readonly path: string;
  readonly selector?: Selector;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const WEB = /^(?:https?:\/\/|www\.[^/\s]+\.)/i;

const known = new WeakMap<CallPaths, Map<string, Promise<Target>>>();

/** Resolved once per call. */
export function targetOf(text: string, purpose: "read" | "write", scope: CallScope): Promise<Target> {
  const targets = known.get(scope.paths) ?? new Map<string, Promise<Target>>();
  known.set(scope.paths, targets);
  const key = `${purpose} ${text}`;
  const target = targets.get(key) ?? resolve(text, purpose, scope);
  targets.set(key, target);
  return target;
}

/** Whether the text is an address rather than the path of a file. */
export const isAddress = (text: string, { services }: Pick<CallScope, "services">): boolean =>
  services.schemes?.handles(text) === true || WEB.test(text);

async function resolve(text: string, purpose: "read" | "write", scope: CallScope): Promise<Target> {
  if (text.trim() === "") {
    throw new ToolFailure(
      purpose === "read" ? "The path is empty. Name a file." : "The path is empty. Name a file. Nothing was written.",
    );
  }
  const address = addressOf(text, purpose, scope);
  if (address) return address;
  const found = (await existingTarget(text, purpose, scope)) ?? (await repairPath(text, purpose, scope));
  if (found) return found;
  refuseUnknownScheme(text, scope);
  if (purpose === "read") return (await rescuedTarget(text, scope)) ?? missingTarget(text, scope);
  return newFile(text, scope);
}

function addressOf(text: string, purpose: "read" | "write", scope: CallScope): Target | undefined {
  const isWeb = WEB.test(text);
  if (!isWeb && !scope.services.schemes?.handles(text)) return undefined;
  const full = isWeb && /^www\./i.test(text) ? `https://${text}` : text;
  const kind = isWeb && !scope.services.schemes?.handles(text) ? "web" : "address";
  const isSelectable = purpose === "read" && (kind === "web" || scope.services.schemes?.hasSelectors(full));
  const selected = isSelectable ? splitSelector(full) : undefined;
  // `http://host:8080` names a port: lines can only follow a path.
  if (!selected || (kind === "web" && !/^https?:\/\/[^/]+\//i.test(selected.path))) return { kind, path: full };
  return { kind, path: selected.path, selector: selected.selector() };
}

/** What exists at exactly this text; an existing file wins over every other interpretation. */
async function existingTarget(
  text: string,
  purpose: "read" | "write",
  scope: CallScope,
): Promise<FileTarget | undefined> {
  const located = await scope.paths.locate(text);
  if (located.stat) return wholeFileTarget(text, located, purpose, scope);
  const selected = purpose === "read" ? splitSelector(text) : undefined;
  if (selected) {
    const file = await scope.paths.locate(selected.path);
    if (file.stat) {
      const target = await wholeFileTarget(selected.path, file, purpose, scope);
      return { ...target, selector: selected.selector() };
    }
  }
  return targetInside(text, scope);
}

async function wholeFileTarget(
  path: string,
  located: Located,
  purpose: "read" | "write",
  scope: CallScope,
): Promise<FileTarget> {
  const target: FileTarget = { kind: "file", path, located, separator: "", inner: "" };
  // For a write of the file itself, only formats that are edited as another text matter.
  const format = await formatOf(
    located,
    scope,
    purpose === "write" ? ({ parts }) => parts?.ofWholeFile === true : undefined,
  );
  return format ? { ...target, format } : target;
}

/** The format of an existing file, by name and first bytes. */
async function formatOf(
  located: Located,
  scope: CallScope,
  only: (format: Format) => boolean = () => true,
): Promise<Format | undefined> {
  if (located.stat?.kind !== "file") return undefined;
  const name = posix.basename(located.real);
  const claiming = scope.services.formats?.filter((format) => format.claims(name) && only(format)) ?? [];
  if (claiming.length === 0) return undefined;
  const head = await formatFile(located, scope).bytes({ start: 0, end: 64 });
  return claiming.find((format) => format.recognises?.(head) ?? true);
}

/** A file and the part that leads inside it; the longest file name wins. */
async function targetInside(text: string, scope: CallScope): Promise<FileTarget | undefined> {
  for (const { path, separator, inner } of splits(text, scope)) {
    const located = await scope.paths.locate(path);
    const format = await formatOf(located, scope, (one) => one.separators.includes(separator));
    if (format) return { kind: "file", path: text, located, format, separator, inner };
  }
  return undefined;
}

interface Split {
  readonly path: string;
  readonly separator: ":" | "?";
  readonly inner: string;
}

function* splits(text: string, { services }: CallScope): Generator<Split> {
  const formats = services.formats ?? [];
  for (let at = text.length - 1; at > 0; at--) {
    const separator = text[at];
    if (separator !== ":" && separator !== "?") continue;
    const path = text.slice(0, at);
    const name = posix.basename(path);
    if (formats.some((format) => format.separators.includes(separator) && format.claims(name))) {
      yield { path, separator, inner: text.slice(at + 1) };
    }
  }
}

/**
 * A part of a file that will be created with it. Throws for a part that nothing can contain, because a file with that
 * whole name is not intended.
 */
async function newTargetInside(text: string, scope: CallScope): Promise<FileTarget | undefined> {
  for (const { path, separator, inner } of splits(text, scope)) {
    const format = scope.services.formats?.find(
      (one) => one.separators.includes(separator) && one.claims(posix.basename(path)),
    );
    if (!format) continue;
    const located = await scope.paths.locate(path);
    if (located.stat && located.stat.kind !== "file") continue;
    if (located.stat) {
      throw new ToolFailure(
        `${path} is no ${format.name} file by its content, so nothing can be written inside it. Nothing was written.`,
      );
    }
    if (format.parts) return { kind: "file", path: text, located, format, separator, inner };
    if (format.rows)
      throw new ToolFailure(`SQLite database '${path}' not found. Create it first. Nothing was written.`);
    throw new ToolFailure(
      `There is no ${path}, and a write does not create a ${format.name} file. Create it in the shell. Nothing was written.`,
    );
  }
  return undefined;
}

/** A file called `a.ts:5-9` next to a.ts is never intended, and reads of those lines would open it from then on. */
async function refuseLines(text: string, scope: CallScope): Promise<void> {
  const selected = splitSelector(text);
  if (!selected || !(await scope.paths.locate(selected.path)).stat) return;
  throw new ToolFailure(
    `${text} means a part of ${selected.path}, and only the whole file can be named here: ${selected.path}. Nothing was written.`,
  );
}

async function newFile(text: string, scope: CallScope): Promise<FileTarget> {
  await refuseLines(text, scope);
  const part = await newTargetInside(text, scope);
  if (part) return part;
  const target = await missingTarget(text, scope);
  const name = posix.basename(text);
  const format = scope.services.formats?.find(({ parts, claims }) => parts?.ofWholeFile && claims(name));
  return format ? { ...target, format } : target;
}

/** The meaning of the text after quotes, a home directory or `file://` are resolved. */
async function repairPath(text: string, purpose: "read" | "write", scope: CallScope): Promise<FileTarget | undefined> {
  const plain = unquotePath(text, scope.env);
  if (plain === undefined) return undefined;
  const found = await existingTarget(plain, purpose, scope);
  if (found) return found;
  // A quoted name that does not exist is not created with its quotes.
  return purpose === "write" ? newFile(plain, scope) : undefined;
}

async function rescuedTarget(text: string, scope: CallScope): Promise<FileTarget | undefined> {
  const selected = splitSelector(text);
  for (const path of selected ? [text, selected.path] : [text]) {
    const file = await rescuePath(path, scope);
    if (file === undefined) continue;
    const located = await scope.paths.locate(file);
    if (!located.stat) continue;
    const target = await wholeFileTarget(file, located, "read", scope);
    return { ...target, isRescued: true, ...(selected && path !== text ? { selector: selected.selector() } : {}) };
  }
  return undefined;
}

async function missingTarget(text: string, scope: CallScope): Promise<FileTarget> {
  return { kind: "file", path: text, located: await scope.paths.locate(text), separator: "", inner: "" };
}

function refuseUnknownScheme(text: string, { services }: CallScope): void {
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme === undefined || scheme.toLowerCase() === "file") return;
  const names = services.schemes?.names() ?? [];
  const there = names.length === 0 ? "this session has no addresses" : `known are ${names.join(", ")}, http and https`;
  throw new ToolFailure(`Nothing here opens ${scheme}:// addresses; ${there}.`);
}

/** The file of a target for formats: always the one that was judged. */
export function formatFile(located: Located, scope: CallScope): FormatFile {
  const { path, real, stat } = located;
  const same = stat?.file === undefined ? undefined : { ifFile: stat.file };
  return {
    path,
    real,
    size: stat?.size ?? 0,
    version: stat?.version,
    bytes: (range) => scope.env.readBytes(real, range, same),
    scope,
  };
}
