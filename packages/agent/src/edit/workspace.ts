// The files of one call. Every dialect stages its changes here, against the state that earlier parts of the same call left;
// nothing reaches the disk before all of them are verified.

import { blobHash } from "../blobs/store.ts";
import { type CallScope, PlanChanged, ToolFailure } from "../contract/tool.ts";
import { EnvError, type ExecutionEnvironment } from "../env/types.ts";
import { nearPaths } from "../paths/near-names.ts";
import { eachAtOnce } from "./at-once.ts";
import { commitChanges } from "./commit.ts";
import { DocumentError, decodeDocument, editDocument, encodeDocument, type TextDocument } from "./document.ts";
import type { TextEdit } from "./endings.ts";
import { generatedMarker } from "./guards.ts";
import { planOf } from "./plan.ts";
import { digestOf, type ShownFiles, type ShownVersion } from "./shown.ts";
import { resolveTargets, type Target } from "./target.ts";

/** Content of a file at one moment; `document` is decoded when first needed. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, computed once: the plan, the blob and the record of shown files are all named by it. */
  readonly digest: () => string;
  readonly document?: TextDocument;
  readonly mode?: number;
  /** Of the file that was read. */
  readonly version?: string;
  /** Made runnable when it is written. */
  readonly executable?: boolean;
}

/** A file before and after the call. */
export interface StagedChange {
  readonly target: Target;
  /** Absent: there was no file. */
  readonly before?: FileContent;
  /** Absent: the file goes away. */
  readonly after?: FileContent;
  /** Set when it was made: what something else wrote in the same moment is gone. */
  readonly overwrote?: true;
}

/** A larger file does not fit in one string with room for the work. */
const MOST_BYTES = 256 << 20;

interface Entry {
  readonly target: Target;
  before?: FileContent;
  after?: FileContent;
}

/** What an edit works with. */
export interface EditScope extends CallScope {
  /** Nothing is written: the changes are wanted for a preview. */
  readonly planOnly?: boolean;
  /** Only exactly these changes may be written. */
  readonly approvedPlan?: string;
}

/** Locks the files that `paths` mean, then lets `work` stage and commit changes to them. */
export async function withWorkspace<T>(
  context: EditScope,
  paths: readonly string[],
  work: (workspace: EditWorkspace) => Promise<T>,
): Promise<T> {
  const targets = await resolveTargets(context, paths);
  const run = async () => {
    const workspace = new EditWorkspace(context, targets);
    await workspace.load();
    try {
      return await work(workspace);
    } catch (error) {
      if (error instanceof MissingFile) throw await withNearNames(context.env, error);
      throw error;
    }
  };
  const locks = context.services.pathLocks;
  return locks
    ? locks.run(
        [...targets.values()].map((target) => target.real),
        run,
      )
    : run();
}

/** The call names a file that is not there. */
class MissingFile extends ToolFailure {
  readonly path: string;
  readonly what: string;
  constructor(path: string, what: string) {
    super(`${path} does not exist${what}. Check the path. Nothing was written.`);
    this.path = path;
    this.what = what;
  }
}

async function withNearNames(env: ExecutionEnvironment, { path, what, message }: MissingFile): Promise<ToolFailure> {
  const near = await nearPaths(env, path);
  if (near.length === 0) return new ToolFailure(message);
  return new ToolFailure(`${path} does not exist${what}. Did you mean ${near.join(" or ")}? Nothing was written.`);
}

export class EditWorkspace {
  readonly #scope: EditScope;
  readonly #env: ExecutionEnvironment;
  readonly #shown: ShownFiles | undefined;
  readonly #targets: ReadonlyMap<string, Target>;
  /** By real path, in order of first use. */
  readonly #entries = new Map<string, Entry>();

  constructor(scope: EditScope, targets: ReadonlyMap<string, Target>) {
    this.#scope = scope;
    this.#env = scope.env;
    this.#shown = scope.services.shownFiles;
    this.#targets = targets;
  }

  /** Reads all files of the call; everything up to the commit then happens in memory. */
  async load(): Promise<void> {
    await eachAtOnce([...this.#targets.values()], async (target) => {
      if (this.#entries.has(target.real)) return;
      const entry: Entry = { target };
      this.#entries.set(target.real, entry);
      const content = await this.#read(target);
      if (content) Object.assign(entry, { before: content, after: content });
    });
  }

  /** The path was resolved before the lock was held, so the file may have come or gone since. */
  async #read({ path, real, stat }: Target): Promise<FileContent | undefined> {
    const known = stat && stat.version === undefined ? stat : await this.#env.stat(real);
    if (!known) return undefined;
    if (known.size > MOST_BYTES) {
      throw new ToolFailure(
        `${path} has ${known.size} bytes, too many to edit here. Change it with a program run in the shell. Nothing was written.`,
      );
    }
    try {
      const { mode, version } = known;
      return { ...contentOf(await this.#env.readBytes(real)), mode, ...(version === undefined ? {} : { version }) };
    } catch (error) {
      if (error instanceof EnvError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  exists(path: string): boolean {
    return this.#entry(path).after !== undefined;
  }

  size(path: string): number {
    return this.#entry(path).after?.bytes.byteLength ?? 0;
  }

  /** The text as this call has left it so far. */
  document(path: string): TextDocument {
    const entry = this.#entry(path);
    if (!entry.after) throw new MissingFile(path, "");
    return this.#decoded(entry);
  }

  /** For overwriting, where unreadable old content is no obstacle. */
  documentIfText(path: string): TextDocument | undefined {
    const entry = this.#entry(path);
    return entry.after && this.#decodedOrNothing(entry);
  }

  edit(path: string, edits: readonly TextEdit[]): void {
    const document = this.document(path);
    this.write(path, editDocument(document, edits));
  }

  write(path: string, document: TextDocument, options: { readonly executable?: boolean } = {}): void {
    const entry = this.#entry(path);
    const current = entry.after && this.#decodedOrNothing(entry);
    const marker = current && generatedMarker(current.text);
    if (marker) {
      throw new ToolFailure(
        `${path} is generated ("${clip(marker)}"): a change here would be overwritten. Change what it is generated from and run the generator. Nothing was written.`,
      );
    }
    entry.after = { ...entry.after, ...contentOf(this.#encoded(path, document)), document, ...options };
  }

  remove(path: string): void {
    const entry = this.#entry(path);
    if (!entry.after) throw new MissingFile(path, ", so it cannot be deleted");
    refuseLink(entry.target, "deleted");
    delete entry.after;
  }

  move(from: string, to: string): void {
    const source = this.#entry(from);
    const destination = this.#entry(to);
    if (!source.after) throw new MissingFile(from, ", so it cannot be moved");
    refuseLink(source.target, "moved");
    if (source === destination) throw new ToolFailure(`${from} cannot be moved onto itself. Nothing was written.`);
    destination.after = source.after;
    delete source.after;
  }

  absolute(path: string): string {
    return this.#target(path).absolute;
  }

  /** What was last shown of the file, when the disk now holds something else. */
  staleBase(path: string): ShownVersion | undefined {
    const entry = this.#entry(path);
    const shown = this.#shown?.latest(entry.target.absolute);
    if (!shown || !entry.after || entry.after !== entry.before) return undefined;
    const { text } = this.#decoded(entry);
    const same = shown.text === undefined ? shown.digest === textDigest(entry.after) : shown.text === text;
    return same ? undefined : shown;
  }

  changes(): StagedChange[] {
    return [...this.#entries.values()].filter(
      ({ before, after }) => !(before && after && Buffer.compare(before.bytes, after.bytes) === 0) && before !== after,
    );
  }

  /** Writes everything staged, or nothing. */
  async commit(): Promise<StagedChange[]> {
    const changes = this.changes();
    const { planOnly, approvedPlan, signal } = this.#scope;
    if (planOnly) return changes;
    if (approvedPlan !== undefined && planOf(changes) !== approvedPlan) throw new PlanChanged();
    const overwrote = await commitChanges(this.#env, changes, signal);
    for (const { target, after } of changes) {
      if (!after) this.#shown?.forget(target.absolute);
      else if (after.document) {
        this.#shown?.record(target.absolute, after.document.text, { edited: true, digest: textDigest(after) });
      }
    }
    return changes.map((change) => (overwrote.has(change) ? { ...change, overwrote: true } : change));
  }

  #target(path: string): Target {
    const target = this.#targets.get(path);
    if (!target) throw new Error(`${path} is not part of this call`);
    return target;
  }

  #entry(path: string): Entry {
    const entry = this.#entries.get(this.#target(path).real);
    if (!entry) throw new Error(`${path} was not loaded`);
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

function contentOf(bytes: Uint8Array): Pick<FileContent, "bytes" | "digest"> {
  let digest: string | undefined;
  return {
    bytes,
    digest: () => {
      digest ??= blobHash(bytes);
      return digest;
    },
  };
}

/** Digest of the text; where the bytes are nothing but the text, it is theirs. */
function textDigest({ document, digest }: FileContent): string | undefined {
  if (!document) return undefined;
  const { encoding, bom, endings, text } = document;
  return encoding === "utf-8" && !bom && endings === "\n" ? digest() : digestOf(text);
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
