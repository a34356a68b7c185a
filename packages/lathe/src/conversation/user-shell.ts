// `!command` and `!!command`: the user runs a command in the session, one at a time, and can cancel it.

import type { Session, UserCommandResult } from "@lathe/agent";
import { usageError } from "../platform/usage/exit.ts";

/** A command that the user runs. */
export interface BangCommand {
  readonly command: string;
  /** True for `!`: the model sees the command and its output. With `!!` it does not. */
  readonly isSent: boolean;
}

/** Undefined if the text does not start with `!`. */
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

  /** The running command. */
  get running(): string | undefined {
    return this.#running?.command;
  }

  /** Without `timeoutMs`, the command may take as long as it needs. */
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

  /** Returns whether there was a command to cancel. */
  cancel(): boolean {
    this.#running?.controller.abort();
    return this.#running !== undefined;
  }
}
