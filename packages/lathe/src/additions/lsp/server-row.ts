// How one language server is known: how it is started, which files are its own, what is special about it.

/** How a language server is started and which files are its own. */
export interface ServerRow {
  readonly name: string;
  /** A program on PATH or of the project, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** What systems call the program that have several versions of it side by side. */
  readonly otherNames?: readonly string[];
  /** Endings with their dot, or whole names of files. */
  readonly fileTypes: readonly string[];
  /** Names or globs, one of which is in a folder that the server is meant for. */
  readonly rootMarkers: readonly string[];
  /** It reports problems and formats; it knows no definitions. */
  readonly isLinter?: boolean;
  /** It runs code or configuration of the project, so it starts only in a trusted folder. */
  readonly runsCode?: boolean;
  readonly initOptions?: Readonly<Record<string, unknown>>;
  /** What it gets when it asks for configuration, by section. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** It publishes the problems of a file only when they have changed. */
  readonly publishesChanges?: boolean;
  /** It reads other files from the disk, whatever text it was shown. */
  readonly readsDisk?: boolean;
  readonly isDisabled?: boolean;
  /** How long it may take to start. */
  readonly startTimeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What the protocol calls the languages of its files, where it differs from the usual, by ending. */
  readonly languages?: Readonly<Record<string, string>>;
  /** What it can do beyond the protocol. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** How one gets it. */
  readonly install?: string;
}
