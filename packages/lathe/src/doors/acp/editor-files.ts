// Reconciles the files of a project in the editor with those on the disk: what the session reads when the two differ,
// and where it writes. A file changed on both sides is merged, or refused with an error that names both; neither side
// is silently dropped.

import { EnvError, type ExecutionEnvironment } from "@lathe/agent";
import { DocumentError, decodeDocument, encodeDocument, mergeLines, type TextDocument } from "@lathe/agent/files";
import type { WriteOptions } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";

/** The client's file functions; paths are those of this machine. */
export interface Editor {
  /** Resolves to undefined if the editor does not have this file or cannot tell. Absent if it cannot read. */
  read?(path: string): Promise<string | undefined>;
  /** Absent if it cannot write. */
  write?(path: string, text: string): Promise<void>;
}

/** Larger files are read and written on the disk only. */
const MOST_BYTES = 16 << 20;

/** What we remember about one file. */
interface KnownFile {
  /** The common ancestor of both sides. */
  base: string;
  /**
   * The last text we sent to an editor that cannot read files back; valid as long as the disk still holds `besides`.
   */
  given?: { readonly text: string; readonly besides: string };
}

/** Both sides of a file, compared. Texts have "\n" endings and no byte order mark. */
interface Comparison {
  readonly bytes: Uint8Array;
  /** The editor's text, if it has the file; `raw` is the text as the editor sent it. */
  readonly editor?: { readonly text: string; readonly raw: string };
  readonly disk: string;
}

export class EditorFiles {
  readonly #disk: ExecutionEnvironment;
  readonly #editor: Editor;
  readonly #known = new Map<string, KnownFile>();

  constructor(disk: ExecutionEnvironment, editor: Editor) {
    this.#disk = disk;
    this.#editor = editor;
  }

  get canWrite(): boolean {
    return this.#editor.write !== undefined;
  }

  /** `bytes` is the content on the disk. */
  async read(path: string, bytes: Uint8Array): Promise<Uint8Array> {
    return (await this.#compare(path, bytes))?.bytes ?? bytes;
  }

  /** Reads a file that the session has written but the editor has not saved yet. */
  async readUnsaved(path: string): Promise<Uint8Array | undefined> {
    return this.#known.has(path) ? (await this.#compare(path, undefined))?.bytes : undefined;
  }

  /** Returns false if an editor cannot hold this content as text; the caller then writes to the disk. */
  async write(path: string, content: Uint8Array, options: WriteOptions): Promise<boolean> {
    const { write } = this.#editor;
    const next = documentOf(content);
    if (!write || !next) return false;
    const onDisk = await this.#bytesOnDisk(path);
    const look = await this.#compare(path, onDisk);
    if (onDisk && !look) return false;
    await this.#checkConditions(path, look, options);
    const wasThere = look?.editor;
    // Do not send line endings to an editor that normalizes them.
    const keepsEndings = wasThere === undefined || wasThere.raw.includes("\r");
    const keepsMark = wasThere === undefined || wasThere.raw.startsWith("\uFEFF");
    const { text } = next;
    const raw = keepsEndings
      ? Buffer.from(content)
          .toString("utf8")
          .replace(/^\uFEFF/, "")
      : text;
    const before = look?.disk ?? "";
    try {
      await write(path, keepsMark && next.bom ? `\uFEFF${raw}` : raw);
    } catch (error) {
      throw new EnvError("io", `The editor did not write ${path}: ${messageOf(error)}`, { path, cause: error });
    }
    await this.#afterWrite(path, text, { before, wasThere: wasThere?.text });
    return true;
  }

  /** Files whose text in the editor differs from the disk. */
  async listUnsaved(): Promise<readonly string[]> {
    const differing = [...this.#known.keys()].map(async (path) => {
      const [bytes, held] = await Promise.all([this.#bytesOnDisk(path), this.#heldText(path)]);
      return held !== undefined && held !== (bytes && documentOf(bytes)?.text) ? [path] : [];
    });
    return (await Promise.all(differing)).flat();
  }

  forget(path: string): void {
    this.#known.delete(path);
  }

  /**
   * Undefined if an editor cannot hold the file as text, or neither side has it. `bytes` is undefined if there is no
   * file on the disk.
   */
  async #compare(path: string, bytes: Uint8Array | undefined): Promise<Comparison | undefined> {
    const document = documentOf(bytes ?? new Uint8Array());
    if (!document) return undefined;
    const disk = document.text;
    const raw = this.#editor.read ? await this.#editor.read(path) : this.#lastSent(path, disk);
    if (raw === undefined || (raw === "" && !bytes)) return bytes && { bytes, disk };
    const text = plainText(raw);
    const editor = { text, raw };
    const known = this.#known.get(path);
    if (bytes && text === disk) {
      this.#known.set(path, { base: disk });
      return { bytes, editor, disk };
    }
    // On first sight, any difference from the disk was typed in the editor.
    const base = known?.base ?? disk;
    this.#known.set(path, { ...known, base });
    const present = presentText(path, { base, editor: text, disk });
    const isDisk = bytes !== undefined && present === disk;
    return {
      bytes: isDisk ? bytes : encodeText(path, { ...document, ...formOf(document, raw) }, present),
      editor,
      disk,
    };
  }

  #lastSent(path: string, disk: string): string | undefined {
    const given = this.#known.get(path)?.given;
    return given?.besides === disk ? given.text : undefined;
  }

  async #heldText(path: string): Promise<string | undefined> {
    const raw = this.#editor.read ? await this.#editor.read(path) : this.#known.get(path)?.given?.text;
    return raw === undefined ? undefined : plainText(raw);
  }

  /** The protocol has no conditional writes, so we check just before writing. */
  async #checkConditions(
    path: string,
    look: Comparison | undefined,
    { ifVersion, ifContent, noLinks }: WriteOptions,
  ): Promise<void> {
    const stat = await this.#disk.stat(path);
    if (noLinks && stat && stat.realPath !== path) throw changedError(path, "It now leads through a link.");
    if (ifContent && (!look || Buffer.compare(look.bytes, ifContent) !== 0)) throw changedError(path);
    if (ifVersion !== "absent") return;
    if (stat) throw changedError(path, "There is a file now.");
    if (look) throw changedError(path, "The editor has a file of this name that is not saved yet.");
  }

  /**
   * Some clients answer before the user has accepted the change, so only the editor's text afterwards proves the write.
   */
  async #afterWrite(
    path: string,
    text: string,
    { before, wasThere }: { readonly before: string; readonly wasThere: string | undefined },
  ): Promise<void> {
    const bytes = await this.#bytesOnDisk(path);
    const disk = bytes && documentOf(bytes)?.text;
    if (!this.#editor.read) {
      if (disk === text) this.#known.set(path, { base: text });
      else this.#known.set(path, { base: before, given: { text, besides: disk ?? "" } });
      return;
    }
    const held = await this.#heldText(path);
    this.#known.set(path, { base: disk !== undefined && disk === held ? disk : before });
    if (held === text) return;
    if (held === undefined) {
      if (disk === text || (disk !== undefined && disk !== before)) return;
      throw new EnvError(
        "io",
        `The editor answered, but neither it nor the disk has the new text of ${path}: perhaps the user has not accepted the change. Ask the user before you try again.`,
        { path },
      );
    }
    // The editor has other text: the user or a formatter changed it meanwhile. The next read picks that up.
    if (held !== wasThere) return;
    throw new EnvError(
      "io",
      `The editor answered, but still holds the earlier text of ${path}: perhaps the user has not accepted the change. Ask the user before you try again.`,
      { path },
    );
  }

  async #bytesOnDisk(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#disk.readBytes(path);
    } catch (error) {
      if (error instanceof EnvError && error.code === "not_found") return undefined;
      throw error;
    }
  }
}

/** The text to work with: the base with the changes of both sides. */
function presentText(path: string, sides: Readonly<Record<"base" | "editor" | "disk", string>>): string {
  const { base, editor, disk } = sides;
  if (editor === base) return disk;
  if (disk === base) return editor;
  const merged = mergeLines(base.split("\n"), editor.split("\n"), disk.split("\n"));
  if (merged) return merged.join("\n");
  throw new EnvError(
    "changed",
    `${path} has unsaved changes in the editor, and the file on the disk was changed in or next to the same lines. Neither is used. Ask the user to save or reload it in the editor, then read it again.`,
    { path },
  );
}

/** Endings and byte order mark of the disk, unless the editor sends its own endings. */
function formOf({ bom, endings }: TextDocument, raw: string): Pick<TextDocument, "bom" | "endings"> {
  if (raw.includes("\r")) return { bom, endings: decodeDocument(Buffer.from(raw)).endings };
  return { bom, endings: typeof endings === "string" ? endings : "\n" };
}

function encodeText(path: string, document: TextDocument, text: string): Uint8Array {
  try {
    return encodeDocument({ ...document, text });
  } catch (error) {
    if (error instanceof DocumentError) throw new EnvError("io", `${path} ${error.message}.`, { path, cause: error });
    throw error;
  }
}

/** Undefined if an editor would not hold these bytes as text. */
function documentOf(bytes: Uint8Array): TextDocument | undefined {
  if (bytes.byteLength > MOST_BYTES) return undefined;
  try {
    const document = decodeDocument(bytes);
    return document.encoding === "utf-8" ? document : undefined;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

const plainText = (raw: string): string => raw.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");

const changedError = (path: string, why = "The editor or another program has changed it."): EnvError =>
  new EnvError("changed", `Not written: ${path}. ${why} Read it again and repeat the edit.`, { path });
