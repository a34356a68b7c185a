// How commands are put into a sandbox: the environment decides what is visible inside, the process owner starts them through it.

import type { ExecResult, ProgramArgv } from "./types.ts";

/** A program as it has to be started to end up confined. */
export interface ConfinedStart {
  readonly argv: ProgramArgv;
  /** What the starter itself sees: never what a project or a model decides. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the starter is started: the command's working directory, as this machine names it. */
  readonly cwd: string;
  /** The starter reads this from descriptor 3. */
  readonly setup?: Uint8Array;
}

/** Where things are that a sandbox shows under another name. */
export interface InsideNames {
  /** Where a path that commands use lies on this machine: the same, unless the sandbox shows a folder of its own there. */
  hostPath(path: string): string;
  /** The other way round. */
  insidePath(path: string): string;
}

/** Puts commands into a sandbox. */
export interface Confinement extends InsideNames {
  /** Resolves when commands can be confined; rejects with an EnvError that says why they cannot. */
  ready(): Promise<void>;
  confine(
    argv: ProgramArgv,
    surroundings: {
      readonly cwd: string;
      readonly env: Record<string, string>;
      /** It gets a terminal of its own, which has to stay its controlling terminal. */
      readonly terminal?: boolean | undefined;
    },
  ): ConfinedStart;
  /** Ports inside are not those of this machine. */
  readonly hasOwnNetwork?: boolean | undefined;
  /** Names of the programs that only start the command and end with it: a polite signal to them would cut the command short. */
  readonly starters: ReadonlySet<string>;
  /** Folders, as commands name them, that only this sandbox sees: anything may be written there. */
  readonly privateFolders: readonly string[];
  /** Whether a path, as commands name it, lies in one of them. */
  isPrivate(path: string): boolean;
  /** Its own folder, which the watchdog removes when `end` can no longer be called. It is known once the confinement is ready. */
  readonly folder?: string | undefined;
  /** Whether the command has not begun, because something that the sandbox covers was gone when it was set up. */
  hasMissedItsStart?(result: ExecResult): boolean;
  /** Why the sandbox may have made this command fail. */
  explain(result: ExecResult): string | undefined;
  /** Ends what is still inside, whatever marks it has dropped. */
  end(): Promise<void>;
}
