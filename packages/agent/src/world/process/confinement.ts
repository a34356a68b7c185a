// How commands are put into a sandbox: the environment decides what is visible inside, and `Processes` starts them
// through it.

import type { ExecResult, ProgramArgv } from "./types.ts";

/** The program to start so that a command ends up confined. */
export interface ConfinedStart {
  readonly argv: ProgramArgv;
  /** The environment of the starter itself, which contains nothing that a project or model controls. */
  readonly env: Readonly<Record<string, string>>;
  /** The starter's working directory: the command's, under its name on this machine. */
  readonly cwd: string;
  /** The starter reads this from descriptor 3. */
  readonly setup?: Uint8Array;
}

/** Maps paths that a sandbox shows under other names. */
export interface InsideNames {
  /** The path on this machine of a path that commands use: the same, unless the sandbox shows its own folder there. */
  hostPath(path: string): string;
  /** The reverse of `hostPath`. */
  insidePath(path: string): string;
}

/** Puts commands into a sandbox. */
export interface Confinement extends InsideNames {
  /** Resolves when commands can be confined; rejects with an EnvError that explains why they cannot. */
  ready(): Promise<void>;
  confine(
    argv: ProgramArgv,
    surroundings: {
      readonly cwd: string;
      readonly env: Record<string, string>;
      /** The command gets its own terminal, which must stay its controlling terminal. */
      readonly terminal?: boolean | undefined;
    },
  ): ConfinedStart;
  /** Ports inside are not those of this machine. */
  readonly hasOwnNetwork?: boolean | undefined;
  /** Names of the programs that only start the command and end with it: SIGTERM to them would cut the command short. */
  readonly starters: ReadonlySet<string>;
  /** Folders, as commands name them, that only this sandbox sees: anything may be written there. */
  readonly privateFolders: readonly string[];
  /** Whether a path, as commands name it, is in one of these folders. */
  isPrivate(path: string): boolean;
  /**
   * The sandbox's own folder, which the watchdog removes if `end` is never called. Known once the confinement is ready.
   */
  readonly folder?: string | undefined;
  /** Whether the command never began because something that the sandbox covers disappeared during setup. */
  hasMissedItsStart?(result: ExecResult): boolean;
  /** Why the sandbox may have made this command fail. */
  explain(result: ExecResult): string | undefined;
  /** Ends the processes that are still inside, whatever marks they have dropped. */
  end(): Promise<void>;
}
