// The interface of file formats that contain more than lines of text: archives, databases, notebooks, documents. The
// formats themselves are in ../formats; code that resolves a path or stages an edit knows only this interface.

import type { JsonValue } from "@lathe/llm";
import type { CallScope } from "../../contract/tool.ts";
import type { Selector } from "./selector.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** The formats that open files by type; if absent, every file is text or a picture. */
    readonly formats?: readonly Format[];
  }
}

/** A file format. All methods throw a ToolFailure of one line that names the path. */
export interface Format {
  readonly name: string;
  /** Decides by the file's name alone; this determines the meaning of a colon in a path. */
  claims(fileName: string): boolean;
  /** Decides by the first bytes (up to 64), if a name is not enough: a text file called x.db is a text file. */
  recognises?(head: Uint8Array): boolean;
  /** Separators that may follow the file's path and lead inside; empty if there are none. */
  readonly separators: readonly (":" | "?")[];
  read(file: FormatFile, request: ReadRequest): Promise<FormatContent>;
  /** What can be searched and found inside; absent if nothing can. */
  list?(file: FormatFile): Promise<readonly FormatEntry[]>;
  /** Texts inside that are edited like files, with all guarantees of a file edit. */
  readonly parts?: PartCodec;
  /** Writes that are not text of a file: a row of a database. */
  readonly rows?: RowWriter;
}

/** A file that a format opens. */
export interface FormatFile {
  /** The name in the call, without the part that leads inside. */
  readonly path: string;
  /** The path that was judged. */
  readonly real: string;
  readonly size: number;
  /** Changes whenever the file changes; absent if the environment does not know. */
  readonly version?: string | undefined;
  /** Reads through the environment, so it also works over ssh. */
  bytes(range?: { readonly start: number; readonly end: number }): Promise<Uint8Array>;
  readonly scope: CallScope;
}

/** The requested part of a file. */
export interface ReadRequest {
  /**
   * The text after the separator; "" for the file itself. May still end like a selector, because an existing name
   * inside takes precedence.
   */
  readonly inner: string;
  /** ":" or "?"; "" without an inner part. */
  readonly separator: "" | ":" | "?";
  /** The selector of a file without an inner part. */
  readonly selector?: Selector | undefined;
}

/** What a format shows of a file or of a part of it. */
export type FormatContent =
  /** Lines, numbered and cut like those of a file. */
  | {
      readonly kind: "text";
      readonly text: string;
      /** The inner part without its selector, as an edit would refer to it. */
      readonly inner: string;
      readonly selector?: Selector | undefined;
      /** Whether `parts` can write it, so that it gets a tag. */
      readonly isEditable: boolean;
      /** Shown before the text, one per line. */
      readonly notes?: readonly string[] | undefined;
    }
  | {
      readonly kind: "image";
      readonly bytes: Uint8Array;
      readonly mediaType: string;
      readonly notes?: readonly string[];
    }
  /** Ready to show: a listing, a table. */
  | { readonly kind: "shown"; readonly text: string; readonly details?: JsonValue | undefined };

/** A text inside a file, for searches. */
export interface FormatEntry {
  /** The inner part that leads to it, after the separator. */
  readonly inner: string;
  readonly size: number;
  /** Decoded text, for a search; undefined if it is not text. Throws if it is too large. */
  text(): Promise<string | undefined>;
}

/** Extracts texts from a file and writes them back. Everything else in the file keeps its bytes. */
export interface PartCodec {
  /**
   * The file itself is edited as a text that differs from its bytes: a notebook as cells. The inner part is then "".
   */
  readonly ofWholeFile?: true;
  /** The canonical form of an inner part, used by locks and records. Throws if it cannot be written, such as `../x`. */
  normalise(inner: string, path: string): string;
  /** `file`: undefined if it does not exist yet. Returns undefined if the part does not exist. */
  extract(file: Uint8Array | undefined, inner: string, scope: CallScope): Promise<Uint8Array | undefined>;
  /** The whole file with these parts set, or removed if the content is undefined. All of them or none. */
  replace(
    file: Uint8Array | undefined,
    parts: ReadonlyMap<string, Uint8Array | undefined>,
    scope: CallScope,
  ): Promise<Uint8Array>;
}

/** Writes a row in one transaction. */
export interface RowWriter {
  /** `planOnly`: change nothing; the result says what would change. */
  write(file: FormatFile, inner: string, content: string, how: { readonly planOnly: boolean }): Promise<RowChange>;
}

/** What writing a row did, or would do. */
export interface RowChange {
  /** One line, such as `Updated row '3' in users`. */
  readonly summary: string;
  /** The row before and after, as lines. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}
