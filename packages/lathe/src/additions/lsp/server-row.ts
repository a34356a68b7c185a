// The description of one language server.

/** How a language server starts, which files it handles, and its peculiarities. */
export interface ServerRow {
  readonly name: string;
  /** A program on PATH or of the project, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** The program's names on systems that install several versions of it side by side. */
  readonly otherNames?: readonly string[];
  /** Endings with their dot, or whole file names. */
  readonly fileTypes: readonly string[];
  /** Names or globs; a folder that contains one of them needs the server. */
  readonly rootMarkers: readonly string[];
  /** It reports problems and formats, but knows no definitions. */
  readonly isLinter?: boolean;
  /** It runs code or configuration of the project, so it starts only in a trusted folder. */
  readonly runsCode?: boolean;
  readonly initOptions?: Readonly<Record<string, unknown>>;
  /** Its configuration, by section. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** It publishes the problems of a file only when they have changed. */
  readonly publishesChanges?: boolean;
  /** It reads other files from the disk, even if it was sent a different text. */
  readonly readsDisk?: boolean;
  readonly isDisabled?: boolean;
  /** How long it may take to start. */
  readonly startTimeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Language ids of the protocol by ending, for files that differ from the usual ones. */
  readonly languages?: Readonly<Record<string, string>>;
  /** Capabilities beyond the protocol. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** How to install it. */
  readonly install?: string;
}
