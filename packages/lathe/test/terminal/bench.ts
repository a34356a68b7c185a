// The shared setup of tests of the interactive mode: its own home, a scripted model, and the command at a terminal.

import { type ModelServer, startModelServer } from "@lathe/testkit";
import { type Sandbox, sandbox } from "../command.ts";
import { type TerminalOptions, TerminalRun } from "./emulator.ts";

export const SONNET = ["--model", "anthropic/claude-sonnet-4-5"];

/**
 * Runs the command as a process on a pseudo-terminal, for signals, kills, programs that get the terminal, and the
 * kernel's handling of typed keys.
 */
export const BUILT = { inside: false } as const;

export class TerminalBench {
  readonly box: Sandbox;
  readonly server: ModelServer;
  readonly #runs: TerminalRun[] = [];

  private constructor(box: Sandbox, server: ModelServer) {
    this.box = box;
    this.server = server;
  }

  static async open(script?: Parameters<typeof startModelServer>[0]): Promise<TerminalBench> {
    return new TerminalBench(await sandbox(), await startModelServer(script ?? {}));
  }

  get env(): Record<string, string> {
    return { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: this.server.baseUrl("anthropic"), LATHE_NO_TITLE: "1" };
  }

  /** Starts the command, inside the test unless excluded, without waiting for it. */
  start(args: readonly string[] = SONNET, options: TerminalOptions = {}): TerminalRun {
    const needsProcess = options.program !== undefined || options.env?.["NODE_OPTIONS"] !== undefined;
    const env = { ...this.env, ...options.env };
    const run = new TerminalRun(this.box, args, { inside: !needsProcess, ...options, env });
    this.#runs.push(run);
    return run;
  }

  /** Starts the command and waits until it takes keys. */
  async open(args: readonly string[] = SONNET, options: TerminalOptions = {}): Promise<TerminalRun> {
    const run = this.start(args, options);
    await run.see(/\/help/);
    return run;
  }

  /** Text of the last message of a request. */
  lastMessageText(index: number): string {
    return this.server.requests[index]?.view.messages.at(-1)?.text ?? "";
  }

  async close(): Promise<void> {
    for (const run of this.#runs) await run.close();
    await this.server.close();
    await this.box.remove();
  }
}
