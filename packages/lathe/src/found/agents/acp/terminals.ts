// Commands that an ACP agent runs through us: each was judged when it started, and ends with the agent.

import type { BackgroundCommand } from "@lathe/agent/world";

interface TerminalState {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: ExitStatus;
}

interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Terminal {
  readonly command: BackgroundCommand;
  readonly limit: number;
  exit: ExitStatus | undefined;
}

const MOST_OUTPUT_BYTES = 1 << 20;
const MOST_LEFT = 20_000;

export class Terminals {
  readonly #open = new Map<string, Terminal>();
  /** Last output of released terminals: a call that ran in one is reported after the release. */
  readonly #left = new Map<string, string>();
  #count = 0;

  /** Returns the terminal's id. */
  add(command: BackgroundCommand, limit = MOST_OUTPUT_BYTES): string {
    const id = `terminal-${++this.#count}`;
    const terminal: Terminal = { command, limit: Math.min(limit, MOST_OUTPUT_BYTES), exit: undefined };
    this.#open.set(id, terminal);
    command.done.then(
      ({ exitCode, signal }) => {
        terminal.exit = signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal };
      },
      () => {
        // The command could not be started: 127 is what a shell returns for a missing program.
        terminal.exit = { exitCode: 127, signal: null };
      },
    );
    return id;
  }

  state(id: string): TerminalState {
    const { command, limit, exit } = this.#terminal(id);
    const { text, missed } = command.read(0);
    const bytes = Buffer.from(text);
    const isLong = bytes.length > limit;
    // A character that is cut in two is dropped.
    const output = isLong
      ? bytes
          .subarray(bytes.length - limit)
          .toString()
          .replace(/^\ufffd+/, "")
      : text;
    return { output, truncated: isLong || missed > 0, ...(exit ? { exitStatus: exit } : {}) };
  }

  async exit(id: string): Promise<ExitStatus> {
    const terminal = this.#terminal(id);
    await Promise.allSettled([terminal.command.done]);
    return terminal.exit!;
  }

  async kill(id: string): Promise<void> {
    await this.#terminal(id).command.stop();
  }

  async release(id: string): Promise<void> {
    await this.kill(id);
    this.#left.set(id, this.state(id).output.slice(-MOST_LEFT));
    this.#open.delete(id);
  }

  outputOf(id: string): string {
    return this.#open.has(id) ? this.state(id).output : (this.#left.get(id) ?? "");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.release(id)));
  }

  #terminal(id: string): Terminal {
    const terminal = this.#open.get(id);
    if (!terminal) throw new Error(`there is no terminal ${id}`);
    return terminal;
  }
}
