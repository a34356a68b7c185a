// Another machine, reached through the OpenSSH client. A control master in a private directory keeps one connection
// open; file operations share a session on it, and each command has its own.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Processes } from "../process/processes.ts";
import { RemoteEnvironment, type RemoteOptions, type RemoteTransport } from "./remote.ts";
import { quoteShell } from "./shell-quote.ts";
import { EnvError } from "./types.ts";

/** The machine to work on, and how to reach it. */
export interface SshOptions extends RemoteOptions {
  /** `host`, `user@host` or an alias from the user's ssh configuration. */
  readonly host: string;
  /** Further arguments of the client, such as `-p 2222` or `-i key`. */
  readonly sshArgs?: readonly string[] | undefined;
}

const CONNECT_TIMEOUT_MS = 20_000;

/** Works on another machine through the `ssh` program, over a single connection. */
export class SshEnvironment extends RemoteEnvironment {
  constructor(options: SshOptions) {
    super(new SshTransport(options), options);
  }
}

class SshTransport implements RemoteTransport {
  readonly name: string;
  readonly target: string;
  readonly #options: SshOptions;
  #directory: string | undefined;

  constructor(options: SshOptions) {
    this.#options = options;
    this.name = `ssh ${options.host}`;
    this.target = JSON.stringify(["ssh", ...(options.sshArgs ?? []), options.host]);
  }

  argv(script: string, args: readonly string[]): readonly [string, ...string[]] {
    const command = ["exec", "sh", "-c", script, "lathe", ...args].map(quoteShell).join(" ");
    return ["ssh", ...this.#clientArguments(), "--", this.#options.host, command];
  }

  /** The control master knows when the far side has connected, but only the client's log tells us. */
  forward(port: number): { argv: readonly [string, ...string[]]; opened: string } {
    const args = ["-o", "LogLevel=DEBUG1", ...this.#clientArguments(), "-W", `localhost:${port}`];
    return { argv: ["ssh", ...args, "--", this.#options.host], opened: "master session id" };
  }

  async open(processes: Processes): Promise<void> {
    // mkdtemp sets mode 0700: a user who may open the socket controls the connection.
    this.#directory = await mkdtemp(join(tmpdir(), "lathe-ssh-"));
    const result = await this.#control(processes, ["-fN", "-o", "ControlMaster=yes", "-o", "ControlPersist=yes"]);
    if (result.exitCode !== 0) {
      await this.#removeDirectory();
      const reason = result.timedOut ? "no answer within 20 s" : result.stderr.trim() || "connection failed";
      throw new EnvError(
        "unavailable",
        `${this.name}: ${reason}. Check the host name, the key and that sshd runs there.`,
      );
    }
  }

  async close(processes: Processes): Promise<void> {
    await this.#control(processes, ["-O", "exit"]);
    await this.#removeDirectory();
  }

  async #removeDirectory(): Promise<void> {
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }

  #control(processes: Processes, args: readonly string[]) {
    return processes.run({
      argv: ["ssh", ...args, ...this.#clientArguments(), "--", this.#options.host],
      cwd: "/",
      env: Object.fromEntries(
        Object.entries(this.#options.baseEnv).filter((pair): pair is [string, string] => !!pair[1]),
      ),
      timeoutMs: CONNECT_TIMEOUT_MS,
    });
  }

  #clientArguments(): string[] {
    const control = this.#directory === undefined ? [] : ["-o", `ControlPath=${join(this.#directory, "control")}`];
    return ["-T", "-o", "BatchMode=yes", ...control, ...(this.#options.sshArgs ?? [])];
  }
}
