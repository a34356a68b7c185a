// What a sandbox protects, on every system that enforces it.

/** Absolute, real paths. */
export interface SandboxRules {
  /** Writable folders; evaluated again for each command. */
  readonly roots: () => readonly string[];
  /** Unreadable paths: credential stores. Missing ones are skipped. */
  readonly hidden: readonly string[];
  /** Read-only, even inside a root. */
  readonly fixed: readonly string[];
  /** Names at the top of every root that are read-only, such as the agent's own settings. */
  readonly fixedNames: readonly string[];
}
