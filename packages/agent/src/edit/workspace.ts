// The files of one call. Every dialect stages its changes here, against the state that earlier parts of the same call left;
// nothing reaches the disk before all of them are verified.

import type { ExecutionEnvironment } from "../env/types.ts";
import { type ToolContext, ToolFailure } from "../tools/types.ts";
import { commitChanges } from "./commit.ts";
import { DocumentError, decodeDocument, editDocument, encodeDocument, type TextDocument } from "./document.ts";
import type { TextEdit } from "./endings.ts";
import { generatedMarker } from "./guards.ts";
import { digestOf, type ShownFiles, type ShownVersion } from "./shown.ts";
import { resolveTargets, type Target } from "./target.ts";

/** Content of a file at one moment; `document` is decoded when first needed. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly document?: TextDocument;
  readonly mode?: number;
}

export interface FileChange {
  readonly target: Target;
  /** Absent: there was no file. */
  readonly before?: FileContent;
  /** Absent: the file goes away. */
  readonly after?: FileContent;
}

interface Entry {
  readonly target: Target;
  before?: FileContent;
  after?: FileContent;
}

/** Locks the files that `paths` mean, then lets `work` stage and commit changes to them. */
export async function withWorkspace<T>(
  context: ToolContext,
  paths: readonly string[],
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const targets = await resolveTargets(context.env, paths);
  const run = () => work(new Workspace(context, targets));
  const locks = context.services.pathLocks;
  return locks
    ? locks.run(
        [...targets.values()].map((target) => target.real),
        run,
      )
    : run();
}

export class Workspace {
  readonly #env: ExecutionEnvironment;
  readonly #signal: AbortSignal;
  readonly #shown: ShownFiles | undefined;
  readonly #targets: ReadonlyMap<string, Target>;
  /** By real path, in order of first use. */
  readonly #entries = new Map<string, Entry>();

  constructor(context: ToolContext, targets: ReadonlyMap<string, Target>) {
    this.#env = context.env;
    this.#signal = context.signal;
    this.#shown = context.services.shownFiles;
    this.#targets = targets;
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#entry(path)).after !== undefined;
  }

  /** The text as this call has left it so far. */
  async document(path: string): Promise<TextDocument> {
    const entry = await this.#entry(path);
    if (!entry.after) throw new ToolFailure(`${path} does not exist. Check the path. Nothing was written.`);
    return this.#decoded(entry);
  }

  /** For overwriting, where unreadable old content is no obstacle. */
  async documentIfText(path: string): Promise<TextDocument | undefined> {
    const entry = await this.#entry(path);
    if (!entry.after) return undefined;
    try {
      return this.#decoded(entry);
    } catch (error) {
      if (error instanceof ToolFailure) return undefined;
      throw error;
    }
  }

  async edit(path: string, edits: readonly TextEdit[]): Promise<void> {
    const document = await this.document(path);
    await this.write(path, editDocument(document, edits));
  }

  async write(path: string, document: TextDocument): Promise<void> {
    const entry = await this.#entry(path);
    const current = entry.after && this.#decodedOrNothing(entry);
    const marker = current && generatedMarker(current.text);
    if (marker) {
      throw new ToolFailure(
        `${path} is generated ("${clip(marker)}"): a change here would be overwritten. Change what it is generated from and run the generator. Nothing was written.`,
      );
    }
    entry.after = { ...entry.after, bytes: this.#encoded(path, document), document };
  }

  async remove(path: string): Promise<void> {
    const entry = await this.#entry(path);
    if (!entry.after) throw new ToolFailure(`${path} does not exist, so it cannot be deleted. Nothing was written.`);
    refuseLink(entry.target, "deleted");
    delete entry.after;
  }

  /** Returns whether a file was there before. */
  async move(from: string, to: string): Promise<boolean> {
    const source = await this.#entry(from);
    const destination = await this.#entry(to);
    if (!source.after) throw new ToolFailure(`${from} does not exist, so it cannot be moved. Nothing was written.`);
    refuseLink(source.target, "moved");
    if (source === destination) throw new ToolFailure(`${from} cannot be moved onto itself. Nothing was written.`);
    const replaced = destination.after !== undefined;
    destination.after = source.after;
    delete source.after;
    return replaced;
  }

  absolute(path: string): string {
    return this.#target(path).absolute;
  }

  /** What was last shown of the file, when the disk now holds something else. */
  async staleBase(path: string): Promise<ShownVersion | undefined> {
    const entry = await this.#entry(path);
    const shown = this.#shown?.latest(entry.target.absolute);
    if (!shown || !entry.after || entry.after !== entry.before) return undefined;
    const { text } = this.#decoded(entry);
    const same = shown.text === undefined ? shown.digest === digestOf(text) : shown.text === text;
    return same ? undefined : shown;
  }

  changes(): FileChange[] {
    return [...this.#entries.values()].filter(
      ({ before, after }) => !(before && after && Buffer.compare(before.bytes, after.bytes) === 0) && before !== after,
    );
  }

  /** Writes everything staged, or nothing. */
  async commit(): Promise<FileChange[]> {
    const changes = this.changes();
    await commitChanges(this.#env, changes, this.#signal);
    for (const { target, after } of changes) {
      if (!after) this.#shown?.forget(target.absolute);
      else if (after.document) this.#shown?.record(target.absolute, after.document.text, { edited: true });
    }
    return changes;
  }

  #target(path: string): Target {
    const target = this.#targets.get(path);
    if (!target) throw new Error(`${path} is not part of this call`);
    return target;
  }

  async #entry(path: string): Promise<Entry> {
    const target = this.#target(path);
    const known = this.#entries.get(target.real);
    if (known) return known;
    const entry: Entry = { target };
    if (target.stat) {
      const bytes = await this.#env.readBytes(target.real);
      entry.before = { bytes, mode: target.stat.mode };
      entry.after = entry.before;
    }
    this.#entries.set(target.real, entry);
    return entry;
  }

  #decoded(entry: Entry): TextDocument {
    const content = entry.after as FileContent;
    if (content.document) return content.document;
    try {
      const decoded = { ...content, document: decodeDocument(content.bytes) };
      if (entry.before === content) entry.before = decoded;
      entry.after = decoded;
      return decoded.document;
    } catch (error) {
      if (error instanceof DocumentError) {
        throw new ToolFailure(`${entry.target.path} ${error.message}. Nothing was written.`);
      }
      throw error;
    }
  }

  #decodedOrNothing(entry: Entry): TextDocument | undefined {
    try {
      return this.#decoded(entry);
    } catch (error) {
      if (error instanceof ToolFailure) return undefined;
      throw error;
    }
  }

  #encoded(path: string, document: TextDocument): Uint8Array {
    try {
      return encodeDocument(document);
    } catch (error) {
      if (error instanceof DocumentError) throw new ToolFailure(`${path} ${error.message}. Nothing was written.`);
      throw error;
    }
  }
}

function refuseLink(target: Target, what: string): void {
  if (!target.stat?.isSymlink) return;
  throw new ToolFailure(
    `${target.path} is a symbolic link and is not ${what} here; use the shell. Nothing was written.`,
  );
}

function clip(line: string): string {
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
