// What searching needs of a file system, where ripgrep is not at hand.

export type FileKind = "file" | "directory";

/** The little that searching needs of a file system. Links are neither files nor directories here. */
export interface SearchFs {
  /** Links are followed here. */
  kinds(paths: readonly string[]): Promise<(FileKind | undefined)[]>;
  entries(directory: string): Promise<readonly SearchEntry[]>;
  /** Contents in the order of `paths`; what cannot be read is empty. */
  read(paths: readonly string[]): Promise<Buffer[]>;
  mtimeMs(path: string): Promise<number>;
  /** The person's own ignore file, where there is one. */
  globalIgnore?(): Promise<string | undefined>;
}

export interface SearchEntry {
  readonly name: string;
  readonly kind: FileKind;
}
