// What an analysis of shell text says. Everything that decides about a command (rules, plan mode, snapshots, audit) reads these
// records, so one parse serves all of them. `analyseShell` returns a promise: the grammar is loaded when the first command comes up.

/** One simple command that would run, wherever it stands: in a pipe, a list, `$(…)`, `sh -c "…"`, behind xargs, in a trap. */
export interface ShellPart {
  /** The text as it was written, for people. */
  readonly text: string;
  /** The words after quote removal, behind wrappers, program first; empty for a statement that only assigns or redirects. */
  readonly words: readonly string[];
  /** Positions in `words` whose value is not known before it runs (`$x`, a glob, a substitution): only a last `*` covers them. */
  readonly unknown: readonly number[];
  /** Every word and every target is known before it runs. */
  readonly isLiteral: boolean;
  /** The same command with its wrappers, outermost first: `sudo git log` beside `git log`. Empty without wrappers. */
  readonly outer: readonly OuterForm[];
  /** Wrappers it was reached through: ["sudo", "xargs"]. */
  readonly through: readonly string[];
  /** A wrapper changes who or where it runs (sudo, ssh, docker exec): a rule must name the wrapper as well. */
  readonly isElsewhere: boolean;
  readonly assignments: readonly ShellAssignment[];
  /**
   * Files it writes, as written: targets of redirections and of listed programs such as `mkdir`, `tee`, `sed -i`. Relative to `cwd`.
   * They are judged as writes of their own, whatever else is said of the part.
   */
  readonly writes: readonly string[];
  /** Files that a redirection or a listed program reads, as written; may hold globs. */
  readonly reads: readonly string[];
  /** Folders whose files it may read, however deep: of `grep -r`, `rg`, `cp -r`, and what `find` hands over. */
  readonly trees: readonly string[];
  /** Folders whose files git shows, as far as it keeps them: for rules alone, since what is kept there is no place for keys. */
  readonly tracked: readonly string[];
  /** It follows the links that it finds in there. */
  readonly followsLinks?: boolean | undefined;
  /** What it copies stays a link where it is one: whoever writes there later writes where the link leads. */
  readonly copiesLinks?: boolean | undefined;
  /** Globs of the names that it picks there, hidden ones included: `--include=…`, `-name …`. */
  readonly picks: readonly string[];
  /** Names of files that other commands hand to it: which ones, only the disk tells. */
  readonly found?: readonly FoundFiles[] | undefined;
  /** What it does with them: it tells their names and sizes, reads them, or changes them. */
  readonly foundUse?: "name" | "read" | "write" | undefined;
  /** Where it runs; undefined when that is not known before it runs. */
  readonly cwd: string | undefined;
  /** It runs, or may run, in another directory than the one where the text starts. */
  readonly isMoved: boolean;
  readonly danger?: ShellDanger | undefined;
  /** On the list of harmless everyday commands with permitted options only. Says nothing about `writes` and `reads`. */
  readonly isHarmless: boolean;
  /** The word of a listed program that is not understood, so that it is not harmless. */
  readonly strange?: string | undefined;
  /** What it does without an option that it lacks, as a clause: "netstat without -n asks name servers". */
  readonly lacking?: string | undefined;
  /** Harmless, and proven to change nothing (plan mode). */
  readonly isReadOnly: boolean;
  /** Why it must be asked about whatever the rules say: unknown syntax, `PATH=…`, a program that is not known before it runs. */
  readonly doubt?: string | undefined;
}

/** What a command prints that prints nothing but names of files: those below `roots`, as far as the other fields leave them. */
export interface FoundFiles {
  /** As written; may hold globs. */
  readonly roots: readonly string[];
  /** Globs of names that it looks for, hidden ones included. They may not be the only ones that it finds. */
  readonly names: readonly string[];
  /** A glob that every name fits, whatever the case of its letters. */
  readonly only?: string | undefined;
  /** Globs of folders that are not entered, written from the root on: a leading star stands for any folders. */
  readonly without?: readonly string[] | undefined;
  /** How far down it looks. */
  readonly depth?: number | undefined;
  readonly skipsHidden?: boolean | undefined;
  readonly skipsLinks?: boolean | undefined;
  /** What lies behind links is found as well. */
  readonly followsLinks?: boolean | undefined;
  /** The names in a folder are printed without the folder. */
  readonly isBare?: boolean | undefined;
  /** Its names begin at the top of the repository. */
  readonly isFromTop?: boolean | undefined;
  /** Git's index holds the names, also those of files that are not there. */
  readonly isTracked?: boolean | undefined;
}

/** How found files are looked up in `ShellContext.plainFound`. */
export const foundKey = (found: FoundFiles, cwd: string): string => JSON.stringify([cwd, found]);

/** A command as written, from one of its wrappers on. */
export interface OuterForm {
  readonly words: readonly string[];
  readonly unknown: readonly number[];
  /** Where the wrapped command begins in `words`; undefined when it does not stand there as it runs (`sh -c "…"`). */
  readonly program?: number | undefined;
}

/** A variable that a command gets. */
export interface ShellAssignment {
  readonly name: string;
  /** Undefined when it is not known before it runs. */
  readonly value?: string | undefined;
}

/** A shape that destroys work or hands the machine over: asked about unless a rule names it. */
export interface ShellDanger {
  /** For people: "rm -r". */
  readonly shape: string;
  readonly reason: string;
  /** Positions in `words` that make it dangerous: a rule must name each of them literally. Undefined: no rule can allow it. */
  readonly named?: readonly number[] | undefined;
}

/** Everything that a text would run. */
export interface ShellAnalysis {
  readonly parts: readonly ShellPart[];
  /** Why the text as a whole must be asked about: it did not parse, or holds something that is not understood. */
  readonly doubt?: string | undefined;
}

/** Where a text starts. */
export interface ShellContext {
  /** Absolute path. */
  readonly cwd: string;
  /** For `~` and `$HOME`; without it they are not known. */
  readonly home?: string | undefined;
  /** The folder of the session. */
  readonly root?: string | undefined;
  /** Where the session's repository begins; `root` when absent. */
  readonly top?: string | undefined;
  /** Variables that programs are given already; any name in capitals may be one when absent. */
  readonly exported?: ReadonlySet<string> | undefined;
  /** The user trusts the folder of the session. */
  readonly isTrusted?: boolean | undefined;
  /** Folders of the session's repository in which git starts no program of its settings; only `cwd` when absent. */
  readonly sameRepository?: ReadonlySet<string> | undefined;
  /** Folders in which no name begins with a dash, so that no glob becomes an option. */
  readonly plainNames?: ReadonlySet<string> | undefined;
  /** Keys of the found files of which none becomes an option, or another file when its name is cut at blanks. */
  readonly plainFound?: Pick<ReadonlySet<string>, "has"> | undefined;
}
