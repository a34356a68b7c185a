// The files of one call. Every dialect stages its changes here, on top of earlier changes of the same call; nothing is
// written to disk until all of them are verified.

import { similarPaths } from "../../contract/paths/similar-paths.ts";
import { type CallScope, PlanChanged, ToolFailure } from "../../contract/tool.ts";
import { EnvError, type ExecutionEnvironment } from "../../world/env/types.ts";
import { splitSelector } from "../target/selector.ts";
import { forEachBounded } from "./bounded-concurrency.ts";
import { commitChanges } from "./commit.ts";
import { DocumentError, decodeDocument, editDocument, encodeDocument, type TextDocument } from "./document.ts";
import type { TextEdit } from "./endings.ts";
import { formatText } from "./format.ts";
import { generatedMarker } from "./guards.ts";
import { planOf } from "./plan.ts";
import type { ShownFiles, ShownVersion } from "./shown-files.ts";
import { contentOf, type FileContent, type StagedChange, textDigest } from "./staged.ts";
import { resolveTargets, type Target, type TargetPart } from "./target.ts";

/** A larger file would not fit in a string with room for the work. */
const MOST_BYTES = 256 << 20;

interface Entry {
  readonly target: Target;
  /** Content of the file that contains a part; absent if it does not exist yet. */
  file?: FileContent;
  before?: FileContent;
  after?: FileContent;
  /** The content that was moved here. */
  origin?: FileContent;
  formatNote?: string;
}

/** The context of an edit. */
export interface EditScope extends CallScope {
  /** Do not write anything: the changes are for a preview. */
  readonly planOnly?: boolean;
  /** Only exactly these changes may be written. */
  readonly approvedPlan?: string;
}

/** Locks the files that `paths` refer to, then lets `work` stage and commit changes to them. */
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

/** The call names a file that does not exist. */
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
  const near = await similarPaths(env, path);
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
    await forEachBounded([...this.#targets.values()], async (target) => {
      if (this.#entries.has(keyOf(target))) return;
      const entry: Entry = { target };
      this.#entries.set(keyOf(target), entry);
      const read = await this.#read(target);
      if (read && target.part) entry.file = read;
      const content = target.part ? await this.#extract(target.part, read) : read;
      if (!content && target.part) await this.#refuseLines(target, target.part, read);
      if (content) Object.assign(entry, { before: content, after: content });
    });
    refuseFileAndPart([...this.#entries.values()]);
  }

  async #extract({ codec, inner }: TargetPart, file: FileContent | undefined): Promise<FileContent | undefined> {
    const bytes = await codec.extract(file?.bytes, inner, this.#scope);
    return bytes && contentOf(bytes);
  }

  /** A new part called `x.c:5-9` next to x.c is never intended. */
  async #refuseLines({ path }: Target, { codec, inner }: TargetPart, file: FileContent | undefined): Promise<void> {
    const selected = splitSelector(inner);
    if (!selected || !(await codec.extract(file?.bytes, selected.path, this.#scope))) return;
    const whole = path.slice(0, path.length - inner.length + selected.path.length);
    throw new ToolFailure(
      `${path} means a part of ${whole}, and only the whole text can be named here: ${whole}. Nothing was written.`,
    );
  }

  /** The path was resolved before the lock was taken, so the file may have been created or deleted since. */
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

  /** The text with the changes of this call so far. */
  document(path: string): TextDocument {
    const entry = this.#entry(path);
    if (!entry.after) throw new MissingFile(path, "");
    return this.#decode(entry);
  }

  /** For overwriting, which works even if the old content is unreadable. */
  documentIfText(path: string): TextDocument | undefined {
    const entry = this.#entry(path);
    return entry.after && this.#tryDecode(entry);
  }

  edit(path: string, edits: readonly TextEdit[]): void {
    const document = this.document(path);
    this.write(path, editDocument(document, edits));
  }

  write(path: string, document: TextDocument, options: { readonly executable?: boolean } = {}): void {
    const entry = this.#entry(path);
    const current = entry.after && this.#tryDecode(entry);
    const marker = current && generatedMarker(current.text);
    if (marker) {
      throw new ToolFailure(
        `${path} is generated ("${marker.length > 100 ? `${marker.slice(0, 100)}…` : marker}"): a change here would be overwritten. Change what it is generated from and run the generator. Nothing was written.`,
      );
    }
    entry.after = { ...entry.after, ...contentOf(this.#encode(path, document)), document, ...options };
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
    for (const { target } of [source, destination]) {
      // A move would move only the text the file is edited as, without the rest of it.
      if (target.part?.codec.ofWholeFile)
        throw new ToolFailure(`${target.path} is not plain text; move it with the shell. Nothing was written.`);
    }
    destination.after = source.after;
    if (source.before) destination.origin = source.before;
    delete source.after;
  }

  /** Whether the path refers to something inside a file. */
  isPart(path: string): boolean {
    return this.#target(path).part !== undefined;
  }

  absolute(path: string): string {
    return this.#target(path).absolute;
  }

  /** The last shown version of the file, if the disk now has different content. */
  staleBase(path: string): ShownVersion | undefined {
    const entry = this.#entry(path);
    const shown = this.#shown?.latest(entry.target.absolute);
    if (!shown || !entry.after || entry.after !== entry.before) return undefined;
    const { text } = this.#decode(entry);
    const same = shown.text === undefined ? shown.digest === textDigest(entry.after) : shown.text === text;
    return same ? undefined : shown;
  }

  changes(): StagedChange[] {
    return [...this.#entries.values()].filter(
      ({ before, after }) => !(before && after && Buffer.compare(before.bytes, after.bytes) === 0) && before !== after,
    );
  }

  /** Formats the staged changes, then writes all of them or none. `isExact`: skip formatting. */
  async commit({ isExact = false }: { readonly isExact?: boolean } = {}): Promise<StagedChange[]> {
    if (!isExact) await this.#format();
    const changes = this.changes();
    const { planOnly, approvedPlan, signal, services } = this.#scope;
    if (planOnly) return changes;
    if (approvedPlan !== undefined && planOf(changes) !== approvedPlan) throw new PlanChanged();
    const files = await this.#files(changes);
    const overwrote = await commitChanges(this.#env, [...new Set(files.values())], signal, services.commitJournal);
    const made: StagedChange[] = [];
    for (const change of changes) {
      const file = files.get(change) as StagedChange;
      const { target, after } = { ...change, ...(await this.#readBack(change, file)) };
      if (!after) this.#shown?.forget(target.absolute);
      else if (after.document) {
        this.#shown?.record(target.absolute, after.document.text, { edited: true, digest: textDigest(after) });
      }
      made.push({
        ...change,
        ...(after ? { after } : {}),
        ...(file === change ? {} : { inFile: file }),
        ...(overwrote.has(file) ? { overwrote: true } : {}),
      });
    }
    return made;
  }

  /** Before the plan is compared with the approved one, because users approve the text that is written. */
  async #format(): Promise<void> {
    if (!this.#scope.services.formatter) return;
    for (const entry of this.#entries.values()) {
      const { target, after, before, origin = before } = entry;
      if (target.part || !after?.document || after === origin) continue;
      const earlier = origin && textOf(origin);
      const { document, note } = await formatText(this.#scope, target.real, earlier ?? "", after.document);
      if (document) entry.after = { ...after, ...contentOf(this.#encode(target.path, document)), document };
      if (note !== undefined) entry.formatNote = note;
    }
  }

  /**
   * A file that is edited as another text may read back differently from what was written: new cells of a notebook get
   * their numbers.
   */
  async #readBack({ target }: StagedChange, { after }: StagedChange): Promise<{ readonly after?: FileContent }> {
    if (!target.part?.codec.ofWholeFile || !after) return {};
    const content = await this.#extract(target.part, after);
    return content ? { after: { ...content, document: decodeDocument(content.bytes) } } : {};
  }

  /** The file change that each change results in. Parts of the same file are written together. */
  async #files(changes: readonly StagedChange[]): Promise<Map<StagedChange, StagedChange>> {
    const files = new Map<StagedChange, StagedChange>();
    const parts = new Map<string, StagedChange[]>();
    for (const change of changes) {
      const { part, real } = change.target;
      if (part) parts.set(real, [...(parts.get(real) ?? []), change]);
      else files.set(change, change);
    }
    for (const group of parts.values()) {
      const { target } = group[0] as StagedChange;
      const { file } = this.#entries.get(keyOf(target)) as Entry;
      const { part: _, ...whole } = target;
      if (target.part?.codec.ofWholeFile && !group[0]?.after) {
        for (const one of group) files.set(one, { target: whole, ...(file ? { before: file } : {}) });
        continue;
      }
      const contents = new Map(group.map(({ target: one, after }) => [one.part?.inner ?? "", after?.bytes]));
      const bytes = await (target.part as TargetPart).codec.replace(file?.bytes, contents, this.#scope);
      const change: StagedChange = {
        target: whole,
        ...(file ? { before: file } : {}),
        after: { ...file, ...contentOf(bytes) },
      };
      for (const one of group) files.set(one, change);
    }
    return files;
  }

  #target(path: string): Target {
    const target = this.#targets.get(path);
    if (!target) throw new Error(`${path} is not part of this call`);
    return target;
  }

  #entry(path: string): Entry {
    const entry = this.#entries.get(keyOf(this.#target(path)));
    if (!entry) throw new Error(`${path} was not loaded`);
    return entry;
  }

  #decode(entry: Entry): TextDocument {
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

  #tryDecode(entry: Entry): TextDocument | undefined {
    try {
      return this.#decode(entry);
    } catch (error) {
      if (error instanceof ToolFailure) return undefined;
      throw error;
    }
  }

  #encode(path: string, document: TextDocument): Uint8Array {
    try {
      return encodeDocument(document);
    } catch (error) {
      if (error instanceof DocumentError) throw new ToolFailure(`${path} ${error.message}. Nothing was written.`);
      throw error;
    }
  }
}

/** Undefined if it is not text. */
function textOf({ document, bytes }: FileContent): string | undefined {
  try {
    return (document ?? decodeDocument(bytes)).text;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

const keyOf = ({ real, part }: Target): string => (part ? `${real}\0${part.inner}` : real);

/** A call may write either the file or parts inside it. */
function refuseFileAndPart(entries: readonly Entry[]): void {
  const whole = new Map(entries.flatMap(({ target }) => (target.part ? [] : [[target.real, target] as const])));
  for (const { target } of entries) {
    const file = target.part && whole.get(target.real);
    if (!file) continue;
    throw new ToolFailure(
      `The call names ${target.path} and also ${file.path}, which holds it. Change one of them at a time. Nothing was written.`,
    );
  }
}

function refuseLink(target: Target, what: string): void {
  if (!target.stat?.isSymlink || (target.part && !target.part.codec.ofWholeFile)) return;
  throw new ToolFailure(
    `${target.path} is a symbolic link and is not ${what} here; use the shell. Nothing was written.`,
  );
}
