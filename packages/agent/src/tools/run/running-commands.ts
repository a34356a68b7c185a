// Commands that calls are waiting for, so that the user can send them to the background: the call then ends with the
// output so far, and the command goes on as a job.

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Absent if no user could send a command to the background. */
    readonly runningCommands?: RunningCommands;
  }
}

/** A command that a call waits for. */
export interface RunningCommand {
  readonly command: string;
  /** Makes the call stop waiting. */
  detach(): void;
}

/** The commands that the calls of a session and of its children wait for. */
export class RunningCommands {
  readonly #running = new Set<RunningCommand>();
  /**
   * Calls that have begun but not started their command yet: it starts once the call is allowed and its files are
   * known.
   */
  readonly #begun = new Set<string>();
  #detachesNext = false;

  list(): readonly RunningCommand[] {
    return [...this.#running];
  }

  /** Returns a function that removes it from the list. */
  add(command: RunningCommand): () => void {
    if (this.#detachesNext) {
      this.#detachesNext = false;
      command.detach();
      return () => {};
    }
    this.#running.add(command);
    return () => void this.#running.delete(command);
  }

  /** Detaches all commands and returns them as written. */
  detachAll(): readonly string[] {
    const commands = this.list();
    this.#running.clear();
    for (const { detach } of commands) detach();
    return commands.map(({ command }) => command);
  }

  callBegins(callId: string): void {
    this.#begun.add(callId);
  }

  callEnds(callId: string): void {
    this.#begun.delete(callId);
    if (this.#begun.size === 0) this.#detachesNext = false;
  }

  /** Detaches the next command as soon as it starts. Returns false if no call is about to start one. */
  detachNext(): boolean {
    this.#detachesNext = this.#begun.size > 0;
    return this.#detachesNext;
  }
}
