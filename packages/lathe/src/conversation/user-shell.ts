// `!command` and `!!command`: a person runs a command in the session. One at a time; it can be cancelled.

import type { Session, UserCommandResult } from "@lathe/agent";
import { usageError } from "../platform/usage/exit.ts";

/** A command of the person's own. */
export interface BangCommand {
  readonly command: string;
  /** `!`: the model gets to see it; `!!`: it does not. */
  readonly isSent: boolean;
}

/** Undefined when the text is no such command. */
export function bangCommand(text: string): BangCommand | undefined {
  const [whole, bangs, command = ""] = /^(!!?)\s*([^!].*)?$/s.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  if (command === "")
    throw usageError("Name a command, such as !git status. With !! the model does not get to see it.");
  return { command, isSent: bangs === "!" };
}

export class UserShell {
  readonly #session: () => Session;
  #running: { readonly command: string; readonly controller: AbortController } | undefined;

  constructor(session: () => Session) {
    this.#session = session;
  }

  /** The command that runs now. */
  get running(): string | undefined {
    return this.#running?.command;
  }

  /** `timeoutMs` absent: as long as it takes. */
  async run(
    { command, isSent }: BangCommand,
    options: { readonly onOutput?: (chunk: string) => void; readonly timeoutMs?: number } = {},
  ): Promise<UserCommandResult> {
    if (this.#running)
      throw usageError(`A command is already running: ${this.#running.command}. Wait for it, or cancel it.`);
    const controller = new AbortController();
    this.#running = { command, controller };
    try {
      return await this.#session().beside.runCommand(command, { isSent, signal: controller.signal, ...options });
    } finally {
      this.#running = undefined;
    }
  }

  /** Whether there was one to cancel. */
  cancel(): boolean {
    this.#running?.controller.abort();
    return this.#running !== undefined;
  }
}
