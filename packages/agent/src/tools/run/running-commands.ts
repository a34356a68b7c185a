// Commands that calls wait for right now, so that a person can send them to the background: the call then ends with what there is,
// and the command goes on as a job.

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Absent where no user could send a command to the background. */
    readonly runningCommands?: RunningCommands;
  }
}

/** A command that a call waits for. */
export interface RunningCommand {
  readonly command: string;
  /** The call stops waiting. */
  detach(): void;
}

/** The commands that the calls of a session and of its children wait for. */
export class RunningCommands {
  readonly #running = new Set<RunningCommand>();
  /** Calls that run a command and have begun: their commands start once the call is allowed and its files are known. */
  readonly #begun = new Set<string>();
  #detachesNext = false;

  list(): readonly RunningCommand[] {
    return [...this.#running];
  }

  /** Returns how to take it off the list again. */
  add(command: RunningCommand): () => void {
    if (this.#detachesNext) {
      this.#detachesNext = false;
      command.detach();
      return () => {};
    }
    this.#running.add(command);
    return () => void this.#running.delete(command);
  }

  /** All of them; their commands, as written. */
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

  /** The command that starts next is detached at once; false when no call is about to start one. */
  detachNext(): boolean {
    this.#detachesNext = this.#begun.size > 0;
    return this.#detachesNext;
  }
}
