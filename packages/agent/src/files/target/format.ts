// What a kind of file is that holds more than lines of text: an archive, a database, a notebook, a document. The formats themselves are
// in ../ops/formats; code that resolves a path or stages an edit knows them by this shape only.

import type { JsonValue } from "@lathe/llm";
import type { CallScope } from "../../contract/tool.ts";
import type { Selector } from "./selector.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Kinds of files that are opened by what they are; absent: every file is text or a picture. */
    readonly formats?: readonly Format[];
  }
}

/** A kind of file. All methods fail with a ToolFailure of one line that names the path. */
export interface Format {
  readonly name: string;
  /** By the file's name alone, which decides what a colon in a path means. */
  claims(fileName: string): boolean;
  /** By the first bytes (up to 64), where a name is not enough: a text file called x.db is a text file. */
  recognises?(head: Uint8Array): boolean;
  /** What may follow the file's path and lead inside; none when empty. */
  readonly separators: readonly (":" | "?")[];
  read(file: FormatFile, request: ReadRequest): Promise<FormatContent>;
  /** What can be searched and found inside; absent: nothing. */
  list?(file: FormatFile): Promise<readonly FormatEntry[]>;
  /** Texts inside that are edited like files, with every promise an edit of a file has. */
  readonly parts?: PartCodec;
  /** A write that is no text of a file: a row of a database. */
  readonly rows?: RowWriter;
}

/** A file that a format opens. */
export interface FormatFile {
  /** As the call names it, without what leads inside. */
  readonly path: string;
  /** The path that was judged. */
  readonly real: string;
  readonly size: number;
  /** Changes with every change of the file; absent where the environment does not know. */
  readonly version?: string | undefined;
  /** Reads through the environment, so also over ssh. */
  bytes(range?: { readonly start: number; readonly end: number }): Promise<Uint8Array>;
  readonly scope: CallScope;
}

/** Which part of a file is wanted. */
export interface ReadRequest {
  /** What follows the separator; "" for the file itself. May still end like a selector: a name inside wins over it. */
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
      /** The inner part without its selector, as an edit would name it. */
      readonly inner: string;
      readonly selector?: Selector | undefined;
      /** Whether `parts` can write it, so that it gets a tag. */
      readonly isEditable: boolean;
      /** Said before the text, each in a line. */
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

/** One text inside a file, for searches. */
export interface FormatEntry {
  /** Leads to it behind the separator. */
  readonly inner: string;
  readonly size: number;
  /** Decoded text, for a search; undefined when it is no text. Fails when it is too large. */
  text(): Promise<string | undefined>;
}

/** Takes texts out of a file and puts them back. Everything else in the file keeps its bytes. */
export interface PartCodec {
  /** The file itself is edited as a text that is not its bytes: a notebook as cells. The inner part is then "". */
  readonly ofWholeFile?: true;
  /** The inner part in its one spelling, which locks and records name it by. Fails for one that cannot be written, such as `../x`. */
  normalise(inner: string, path: string): string;
  /** `file`: undefined when there is none yet. Undefined: the part is not there. */
  extract(file: Uint8Array | undefined, inner: string, scope: CallScope): Promise<Uint8Array | undefined>;
  /** The whole file with these parts set, or removed where the content is undefined. All of them or none. */
  replace(
    file: Uint8Array | undefined,
    parts: ReadonlyMap<string, Uint8Array | undefined>,
    scope: CallScope,
  ): Promise<Uint8Array>;
}

/** Writes one row in one transaction. */
export interface RowWriter {
  /** `planOnly`: nothing is changed; the answer says what would be. */
  write(file: FormatFile, inner: string, content: string, how: { readonly planOnly: boolean }): Promise<RowChange>;
}

/** What a write of a row did, or would do. */
export interface RowChange {
  /** One line, such as `Updated row '3' in users`. */
  readonly summary: string;
  /** The row before and after, in lines. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}
