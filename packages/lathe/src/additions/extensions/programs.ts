// Programs that extensions run. We own them; they end with their signal, their deadline or the session.

import { commandEnv, Processes } from "@lathe/agent/world";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { ExtensionExec } from "../../platform/extension-api/index.ts";

const TIMEOUT_MS = 60_000;

export class Programs {
  readonly #processes: Processes;
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#processes = new Processes({ owner: workspace.machine.deps.uuid() });
  }

  /** Runs a program, which also ends when `until` aborts. */
  exec(until: AbortSignal | undefined): ExtensionExec {
    return async (command, args = [], { cwd, stdin, signal, timeoutMs = TIMEOUT_MS } = {}) => {
      const { env, settings, cwd: here } = this.#workspace;
      const signals = [signal, until].filter((one) => one !== undefined);
      const result = await this.#processes.run({
        argv: [command, ...args],
        cwd: cwd ?? here,
        env: commandEnv(env, { policy: settings["shell.environment"], pass: settings["shell.env.pass"] }),
        timeoutMs,
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
        ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin) }),
      });
      if (result.aborted) throw new Error(`${command} was stopped`);
      const { stdout, stderr, exitCode } = result;
      return { stdout, stderr, code: exitCode < 0 ? null : exitCode };
    };
  }

  close(): Promise<void> {
    return this.#processes.cleanup();
  }
}
