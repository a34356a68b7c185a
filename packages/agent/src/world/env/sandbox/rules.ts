// What a sandbox protects, whatever the system that enforces it.

/** Absolute, real paths. */
export interface SandboxRules {
  /** Folders that may be written to; asked anew for each command. */
  readonly roots: () => readonly string[];
  /** Not readable: credential stores. What does not exist is skipped. */
  readonly hidden: readonly string[];
  /** Read-only although they may be inside of a root. */
  readonly fixed: readonly string[];
  /** The same for names at the top of every root, such as the agent's own settings. */
  readonly fixedNames: readonly string[];
}
