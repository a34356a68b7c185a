// Reads a server's edit as a refactoring: texts, and files that it creates, moves or deletes. It is complete or fails:
// nothing is left out, and nothing outside the project is touched.

import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { visibleName } from "@lathe/agent/base";
import type { Refactoring, TextEdit } from "@lathe/agent/tools";
import { isJsonObject } from "@lathe/llm";
import { toPath } from "./addresses.ts";
import type { LiveServer } from "./live-server.ts";
import { shortPath, shownPath } from "./places.ts";
import { columnOf, type Encoding, linesOf, type Position, type Range } from "./positions.ts";
import { isRange } from "./protocol.ts";

interface ServerEdit {
  readonly range: Range;
  readonly newText: string;
}

const NOT_AN_EDIT = "The server sent an invalid edit. Nothing was written.";

export async function refactoringOf(
  answer: unknown,
  live: LiveServer,
  env: ExecutionEnvironment,
): Promise<Refactoring> {
  const reader = new WorkspaceEditReader(live, env);
  for (const step of stepsOf(answer)) await reader.add(step);
  return reader.refactoring();
}

/** The steps of an edit: ordered ones, or the edits of each file, whose order does not matter. */
function stepsOf(answer: unknown): Readonly<Record<string, unknown>>[] {
  if (!isJsonObject(answer)) return [];
  const { changes, documentChanges } = answer;
  if (!Array.isArray(documentChanges))
    return Object.entries(isJsonObject(changes) ? changes : {}).map(([uri, edits]) => ({
      textDocument: { uri },
      edits,
    }));
  if (!documentChanges.every(isJsonObject)) throw new ToolFailure(NOT_AN_EDIT);
  return documentChanges;
}

/** Later steps refer to files by the paths that earlier steps gave them. */
class WorkspaceEditReader {
  readonly #live: LiveServer;
  readonly #env: ExecutionEnvironment;
  /** Edits by the file's current path on disk. */
  readonly #edits = new Map<string, { readonly seen: string; readonly edits: ServerEdit[] }>();
  readonly #created = new Map<string, string>();
  /** Old paths by new ones. */
  readonly #moved = new Map<string, string>();
  readonly #deleted = new Map<string, string>();

  constructor(live: LiveServer, env: ExecutionEnvironment) {
    this.#live = live;
    this.#env = env;
  }

  async add(step: Readonly<Record<string, unknown>>): Promise<void> {
    const { kind, textDocument, uri, oldUri, newUri, options } = step;
    const given = isJsonObject(options) ? options : {};
    if (kind === "create") return this.#create(this.#inside(uri), given["ignoreIfExists"] === true);
    if (kind === "rename") return this.#move(this.#inside(oldUri), this.#inside(newUri));
    if (kind === "delete") return this.#delete(this.#inside(uri), given["ignoreIfNotExists"] === true);
    const edits = step["edits"];
    if (kind !== undefined || !isJsonObject(textDocument) || !isEditList(edits)) throw new ToolFailure(NOT_AN_EDIT);
    await this.#edit(this.#inside(textDocument["uri"]), edits);
  }

  refactoring(): Refactoring {
    const short = (path: string): string => shortPath(path, this.#env);
    const { encoding } = this.#live;
    const files = [...this.#edits].map(([path, { seen, edits }]) => ({
      path: short(path),
      seen,
      edits: textEdits(path, seen, edits, encoding),
    }));
    return {
      files: files.filter(({ edits }) => edits.length > 0),
      moves: [...this.#moved].map(([to, from]) => ({ from: short(from), to: short(to) })),
      creates: [...this.#created].map(([path, text]) => ({ path: short(path), text })),
      deletes: [...this.#deleted].map(([path, seen]) => ({ path: short(path), seen })),
      notes: [],
    };
  }

  // ---- internals ----

  #inside(uri: unknown): string {
    const path = typeof uri === "string" ? toPath(uri) : undefined;
    if (path?.startsWith(`${this.#env.workingDirectory()}/`) && !path.includes("/../")) return path;
    throw new ToolFailure(
      `The server would change ${visibleName(path ?? String(uri))}, which is not in the project. Nothing was written.`,
    );
  }

  async #create(path: string, mayExist: boolean): Promise<void> {
    const exists = this.#created.has(path) || (await this.#env.stat(path)) !== undefined;
    if (exists && !mayExist)
      throw new ToolFailure(`The server would create ${this.#short(path)}, which already exists. Nothing was written.`);
    if (!exists) this.#created.set(path, "");
  }

  async #move(from: string, to: string): Promise<void> {
    const text = this.#created.get(from);
    if (text !== undefined) {
      this.#created.delete(from);
      this.#created.set(to, text);
      return;
    }
    const origin = this.#moved.get(from) ?? from;
    await this.#textOf(origin, "moved");
    this.#moved.delete(from);
    this.#moved.set(to, origin);
  }

  async #delete(path: string, mayBeAbsent: boolean): Promise<void> {
    if (this.#created.delete(path)) return;
    if (mayBeAbsent && (await this.#env.stat(path)) === undefined) return;
    this.#deleted.set(path, await this.#textOf(path, "deleted"));
  }

  async #edit(path: string, edits: readonly ServerEdit[]): Promise<void> {
    const text = this.#created.get(path);
    if (text !== undefined) {
      this.#created.set(path, applyAll(text, textEdits(path, text, edits, this.#live.encoding)));
      return;
    }
    const origin = this.#moved.get(path) ?? path;
    const known = this.#edits.get(origin);
    const seen = known?.seen ?? (await this.#textOf(origin, "changed"));
    this.#edits.set(origin, { seen, edits: [...(known?.edits ?? []), ...edits] });
  }

  /** The text that the server has seen. */
  async #textOf(path: string, what: string): Promise<string> {
    const text = await this.#live.show(path);
    if (text === undefined)
      throw new ToolFailure(`${this.#short(path)} cannot be ${what}: it is not a readable file. Nothing was written.`);
    return linesOf(text).join("\n");
  }

  #short(path: string): string {
    return shownPath(path, this.#env);
  }
}

const isEditList = (value: unknown): value is ServerEdit[] =>
  Array.isArray(value) &&
  value.every((one) => isJsonObject(one) && isRange(one["range"]) && typeof one["newText"] === "string");

const applyAll = (text: string, edits: readonly TextEdit[]): string =>
  edits.reduceRight((result, { start, end, text: now }) => result.slice(0, start) + now + result.slice(end), text);

/** The edits as offsets into the text; those that overlap or lie outside are refused. */
export function textEdits(path: string, seen: string, answer: unknown, encoding: Encoding): TextEdit[] {
  const edits = answer ?? [];
  if (!isEditList(edits)) throw new ToolFailure(NOT_AN_EDIT);
  const lines = seen.split("\n");
  const starts: number[] = [0];
  for (const line of lines) starts.push((starts.at(-1) as number) + line.length + 1);
  const offsetOf = ({ line, character }: Position): number => {
    const text = lines[line];
    // Servers may write the end of a file as the line after the last.
    if (text === undefined && line === lines.length && character === 0) return seen.length;
    if (text === undefined)
      throw new ToolFailure(`The server would change lines that ${visibleName(path)} does not have.`);
    return (starts[line] as number) + columnOf(text, character, encoding);
  };
  const found = edits
    .map(({ range, newText }) => ({
      start: offsetOf(range.start),
      end: offsetOf(range.end),
      text: newText.replaceAll(/\r\n?/g, "\n"),
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  if (found.some(({ start, end }, at) => end < start || start < (found[at - 1]?.end ?? 0)))
    throw new ToolFailure(`The server's changes of ${visibleName(path)} overlap. Nothing was written.`);
  return found;
}
