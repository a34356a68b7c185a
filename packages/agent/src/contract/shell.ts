// The result of analysing shell text. Everything that decides about a command (rules, plan mode, snapshots, audit) uses
// these records, so that the text is parsed once. `analyseShell` returns a promise, because the grammar is loaded on
// first use.

/** A simple command that would run, at any depth: in a pipe, a list, `$(…)`, `sh -c "…"`, behind xargs, in a trap. */
export interface ShellPart {
  /** The text as written, for display. */
  readonly text: string;
  /**
   * The words after quote removal and without wrappers, program first; empty for a statement that only assigns or
   * redirects.
   */
  readonly words: readonly string[];
  /**
   * Positions in `words` whose value is unknown until the command runs (`$x`, a glob, a substitution); in a rule, only
   * a trailing `*` matches them.
   */
  readonly unknown: readonly number[];
  /**
   * For a command with unknown words: what each word may be as a path, with globs as written; undefined if that is
   * unknown. Absent for harmless commands.
   */
  readonly guesses?: readonly (readonly string[] | undefined)[];
  /** Paths in the words that lead to another place through a link on the disk, with the real path. */
  readonly links?: readonly { readonly text: string; readonly path: string }[];
  /** Every word and every redirection target is known in advance. */
  readonly isLiteral: boolean;
  /**
   * The same command with its wrappers, outermost first: `sudo git log` in addition to `git log`. Empty if there are no
   * wrappers.
   */
  readonly outer: readonly OuterForm[];
  /** The wrappers around it: ["sudo", "xargs"]. */
  readonly through: readonly string[];
  /**
   * A wrapper changes the user or machine that runs it (sudo, ssh, docker exec), so a rule must name the wrapper too.
   */
  readonly isElsewhere: boolean;
  readonly assignments: readonly ShellAssignment[];
  /**
   * Files it writes, as written in the text: targets of redirections and of known programs such as `mkdir`, `tee`,
   * `sed -i`. Relative to `cwd`. They are always judged as separate writes.
   */
  readonly writes: readonly string[];
  /** Files that a redirection or a known program reads, as written; may contain globs. */
  readonly reads: readonly string[];
  /** Folders that it may read recursively: with `grep -r`, `rg`, `cp -r`, and what `find` passes on. */
  readonly trees: readonly string[];
  /** How it reads these folders; absent if it shows nothing of the files in them. */
  readonly readsTrees?: TreeReading | undefined;
  /** Files with keys that it would read there; only the disk tells which ones. */
  readonly treeKeys?: readonly TreeKey[] | undefined;
  /**
   * Folders of which git shows the tracked files. Only rules use them, since keys are not expected among tracked files.
   */
  readonly tracked: readonly string[];
  /** It follows links found in those folders. */
  readonly followsLinks?: boolean | undefined;
  /** It copies links as links, so a later write there goes to the link's target. */
  readonly copiesLinks?: boolean | undefined;
  /** Globs of the names that it selects there, including hidden files: `--include=…`, `-name …`. */
  readonly picks: readonly string[];
  /** Files whose names other commands pass to it; only the disk tells which ones. */
  readonly found?: readonly FoundFiles[] | undefined;
  /** What it does with these files: it shows their names and sizes, reads them, or changes them. */
  readonly foundUse?: "name" | "read" | "write" | undefined;
  /** Its working directory; undefined if unknown until it runs. */
  readonly cwd: string | undefined;
  /** It runs, or may run, in a directory other than the one where the text starts. */
  readonly isMoved: boolean;
  readonly danger?: ShellDanger | undefined;
  /**
   * It is a known harmless everyday command and uses only permitted options. Says nothing about `writes` and `reads`.
   */
  readonly isHarmless: boolean;
  /** The word of a known program that the analysis does not understand, so that the command is not harmless. */
  readonly strange?: string | undefined;
  /** What happens because an option is missing, as a clause: "netstat without -n asks name servers". */
  readonly lacking?: string | undefined;
  /** Harmless, and known to change nothing (plan mode). */
  readonly isReadOnly: boolean;
  /**
   * Why the user must be asked regardless of rules: unknown syntax, `PATH=…`, a program that is unknown until it runs.
   */
  readonly doubt?: string | undefined;
}

/** How a command reads folders. */
export interface TreeReading {
  /**
   * `search`: it shows lines that match, or copies the files under their names. `compare`: it shows whole files.
   * `compare outside the repository`: the same, unless all folders are in the repository.
   */
  readonly how: "search" | "compare" | "compare outside the repository";
  /** Globs of file names; it reads only files that one of them matches, ignoring case. */
  readonly only?: readonly string[] | undefined;
  /** Names of files and folders that it leaves out. */
  readonly without?: { readonly files: readonly string[]; readonly folders: readonly string[] } | undefined;
  readonly depth?: number | undefined;
}

/** A file with keys in a folder that a command reads. */
export interface TreeKey {
  /** The folder as written. */
  readonly tree: string;
  /** The real path of the file; of the folder, if there are too many files in it to look at. */
  readonly path: string;
  readonly isUncertain?: true;
}

/** The output of a command that prints only file names: those below `roots` that the other fields do not exclude. */
export interface FoundFiles {
  /** As written; may contain globs. */
  readonly roots: readonly string[];
  /** Globs of names that it searches for, including hidden files. It may find other names as well. */
  readonly names: readonly string[];
  /** A glob that every name matches, ignoring case. */
  readonly only?: string | undefined;
  /** Globs of folders that it does not enter, starting at the root; a leading star matches any folders. */
  readonly without?: readonly string[] | undefined;
  /** Maximum depth of the search. */
  readonly depth?: number | undefined;
  readonly skipsHidden?: boolean | undefined;
  readonly skipsLinks?: boolean | undefined;
  /** It follows links. */
  readonly followsLinks?: boolean | undefined;
  /** It prints the names in a folder without the folder. */
  readonly isBare?: boolean | undefined;
  /** The printed names are relative to the top of the repository. */
  readonly isFromTop?: boolean | undefined;
  /** The names come from git's index, including those of files that no longer exist. */
  readonly isTracked?: boolean | undefined;
}

/** The key of found files in `ShellContext.plainFound`. */
export const foundKey = (found: FoundFiles, cwd: string): string => JSON.stringify([cwd, found]);

/** A command as written, starting at one of its wrappers. */
export interface OuterForm {
  readonly words: readonly string[];
  readonly unknown: readonly number[];
  /**
   * Position in `words` where the wrapped command begins; undefined if it is not there in the form in which it runs
   * (`sh -c "…"`).
   */
  readonly program?: number | undefined;
}

/** A variable set for a command. */
export interface ShellAssignment {
  readonly name: string;
  /** Undefined if unknown until the command runs. */
  readonly value?: string | undefined;
}

/**
 * A form of command that destroys work or hands over control of the machine: the user is asked unless a rule names it.
 */
export interface ShellDanger {
  /** The form, for display: "rm -r". */
  readonly shape: string;
  readonly reason: string;
  /**
   * Positions in `words` that make it dangerous; a rule must name each literally. Undefined if no rule can allow it.
   */
  readonly named?: readonly number[] | undefined;
}

/** Everything that a text would run. */
export interface ShellAnalysis {
  readonly parts: readonly ShellPart[];
  /**
   * Why the user must be asked about the text as a whole: it did not parse, or contains something the analysis does not
   * understand.
   */
  readonly doubt?: string | undefined;
}

/** The context in which a text runs. */
export interface ShellContext {
  /** Absolute path. */
  readonly cwd: string;
  /** For `~` and `$HOME`, which are unknown if absent. */
  readonly home?: string | undefined;
  /** The session's folder. */
  readonly root?: string | undefined;
  /** The top of the session's repository; `root` if absent. */
  readonly top?: string | undefined;
  /** Variables that programs already inherit. If absent, any name in capitals may be one. */
  readonly exported?: ReadonlySet<string> | undefined;
  /** The user trusts the session's folder. */
  readonly isTrusted?: boolean | undefined;
  /** Folders of the session's repository in which git starts no program from its settings; only `cwd` if absent. */
  readonly sameRepository?: ReadonlySet<string> | undefined;
  /** Folders in which no name begins with a dash, so that no glob can turn into an option. */
  readonly plainNames?: ReadonlySet<string> | undefined;
  /** Keys of the found files in which no name could turn into an option, or into another file if split at blanks. */
  readonly plainFound?: Pick<ReadonlySet<string>, "has"> | undefined;
}
