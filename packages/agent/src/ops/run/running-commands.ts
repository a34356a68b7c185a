// Commands that calls wait for right now, so that a person can send them to the background: the call then ends with what there is,
// and the command goes on as a job.

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** Absent where nobody could send a command to the background. */
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

  list(): readonly RunningCommand[] {
    return [...this.#running];
  }

  /** Returns how to take it off the list again. */
  add(command: RunningCommand): () => void {
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
}
