// The files of a project as the user's editor and the disk hold them: what the session reads when the two differ, and where it writes.
// A file that both have changed is merged, or refused with both named; nothing is taken from one side silently.

import { EnvError, type ExecutionEnvironment } from "@lathe/agent";
import { DocumentError, decodeDocument, encodeDocument, mergeLines, type TextDocument } from "@lathe/agent/files";
import type { WriteOptions } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";

/** What the client can do with files, by the paths of this machine. */
export interface Editor {
  /** Undefined: the editor does not have this file, or cannot say. Absent: it offers no reading. */
  read?(path: string): Promise<string | undefined>;
  /** Absent: it offers no writing. */
  write?(path: string, text: string): Promise<void>;
}

/** A larger file is read and written on the disk alone. */
const MOST_BYTES = 16 << 20;

/** What is known of one file. */
interface Known {
  /** The text that both sides come from. */
  base: string;
  /** The last text that the editor was given, for an editor that cannot be asked; it counts while the disk holds `besides`. */
  given?: { readonly text: string; readonly besides: string };
}

/** One look at both sides. Texts have "\n" endings and no byte order mark. */
interface Look {
  readonly bytes: Uint8Array;
  /** The editor's, when it has one; `raw` as it sent it. */
  readonly editor?: { readonly text: string; readonly raw: string };
  readonly disk: string;
}

export class EditorFiles {
  readonly #disk: ExecutionEnvironment;
  readonly #editor: Editor;
  readonly #known = new Map<string, Known>();

  constructor(disk: ExecutionEnvironment, editor: Editor) {
    this.#disk = disk;
    this.#editor = editor;
  }

  get canWrite(): boolean {
    return this.#editor.write !== undefined;
  }

  /** `bytes`: what the disk holds. */
  async read(path: string, bytes: Uint8Array): Promise<Uint8Array> {
    return (await this.#look(path, bytes))?.bytes ?? bytes;
  }

  /** A file that the session has written and that the editor has not saved yet. */
  async readUnsaved(path: string): Promise<Uint8Array | undefined> {
    return this.#known.has(path) ? (await this.#look(path, undefined))?.bytes : undefined;
  }

  /** False: this is no text for an editor, so the disk is written. */
  async write(path: string, content: Uint8Array, options: WriteOptions): Promise<boolean> {
    const { write } = this.#editor;
    const next = documentOf(content);
    if (!write || !next) return false;
    const onDisk = await this.#bytesOnDisk(path);
    const look = await this.#look(path, onDisk);
    if (onDisk && !look) return false;
    await this.#mustFit(path, look, options);
    const wasThere = look?.editor;
    // An editor that keeps line endings to itself is given none of ours.
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

  /** Files of which the editor and the disk hold different texts. */
  async unsaved(): Promise<readonly string[]> {
    const differing = [...this.#known.keys()].map(async (path) => {
      const [bytes, held] = await Promise.all([this.#bytesOnDisk(path), this.#heldText(path)]);
      return held !== undefined && held !== (bytes && documentOf(bytes)?.text) ? [path] : [];
    });
    return (await Promise.all(differing)).flat();
  }

  forget(path: string): void {
    this.#known.delete(path);
  }

  /** Undefined: this is no text for an editor, or neither side has it. `bytes` absent: there is no file on the disk. */
  async #look(path: string, bytes: Uint8Array | undefined): Promise<Look | undefined> {
    const document = documentOf(bytes ?? new Uint8Array());
    if (!document) return undefined;
    const disk = document.text;
    const raw = this.#editor.read ? await this.#editor.read(path) : this.#given(path, disk);
    if (raw === undefined || (raw === "" && !bytes)) return bytes && { bytes, disk };
    const text = plainText(raw);
    const editor = { text, raw };
    const known = this.#known.get(path);
    if (bytes && text === disk) {
      this.#known.set(path, { base: disk });
      return { bytes, editor, disk };
    }
    // Seen for the first time: what is not on the disk was typed in the editor.
    const base = known?.base ?? disk;
    this.#known.set(path, { ...known, base });
    const present = presentText(path, { base, editor: text, disk });
    const isDisk = bytes !== undefined && present === disk;
    return { bytes: isDisk ? bytes : encoded(path, { ...document, ...formOf(document, raw) }, present), editor, disk };
  }

  #given(path: string, disk: string): string | undefined {
    const given = this.#known.get(path)?.given;
    return given?.besides === disk ? given.text : undefined;
  }

  async #heldText(path: string): Promise<string | undefined> {
    const raw = this.#editor.read ? await this.#editor.read(path) : this.#known.get(path)?.given?.text;
    return raw === undefined ? undefined : plainText(raw);
  }

  /** The last look before the write: the protocol knows no condition. */
  async #mustFit(path: string, look: Look | undefined, { ifVersion, ifContent, noLinks }: WriteOptions): Promise<void> {
    const stat = await this.#disk.stat(path);
    if (noLinks && stat && stat.realPath !== path) throw changed(path, "It now leads through a link.");
    if (ifContent && (!look || Buffer.compare(look.bytes, ifContent) !== 0)) throw changed(path);
    if (ifVersion !== "absent") return;
    if (stat) throw changed(path, "There is a file now.");
    if (look) throw changed(path, "The editor has a file of this name that is not saved yet.");
  }

  /** Some clients answer before the user has accepted the change: only what the editor holds afterwards counts. */
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
    // What else it holds was typed or formatted there meanwhile, and is found by the next read.
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

/** The text to work with, out of what both sides have made of the base. */
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

/** Endings and mark of the disk, unless the editor sends its own. */
function formOf({ bom, endings }: TextDocument, raw: string): Pick<TextDocument, "bom" | "endings"> {
  if (raw.includes("\r")) return { bom, endings: decodeDocument(Buffer.from(raw)).endings };
  return { bom, endings: typeof endings === "string" ? endings : "\n" };
}

function encoded(path: string, document: TextDocument, text: string): Uint8Array {
  try {
    return encodeDocument({ ...document, text });
  } catch (error) {
    if (error instanceof DocumentError) throw new EnvError("io", `${path} ${error.message}.`, { path, cause: error });
    throw error;
  }
}

/** Undefined for what an editor would not hold as text. */
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

const changed = (path: string, why = "The editor or another program has changed it."): EnvError =>
  new EnvError("changed", `Not written: ${path}. ${why} Read it again and repeat the edit.`, { path });
