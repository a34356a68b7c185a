// What searching needs from a file system if ripgrep is not available.

export type FileKind = "file" | "directory";

/** The few operations that searching needs from a file system. Links are neither files nor directories here. */
export interface SearchFs {
  /** This one follows links. */
  kinds(paths: readonly string[]): Promise<(FileKind | undefined)[]>;
  entries(directory: string): Promise<readonly SearchEntry[]>;
  /** Contents in the order of `paths`; empty for unreadable files. */
  read(paths: readonly string[]): Promise<Buffer[]>;
  mtimeMs(path: string): Promise<number>;
  /** The user's global ignore file, if there is one. */
  globalIgnore?(): Promise<string | undefined>;
}

export interface SearchEntry {
  readonly name: string;
  readonly kind: FileKind;
}
