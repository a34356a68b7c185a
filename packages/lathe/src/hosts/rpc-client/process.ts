// The agent as a child process: lines in and out, its stderr, and when it ended.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LineSplitter } from "../wire/lines.ts";

/** Enough of stderr to show why the agent failed. */
const STDERR_CHARS = 16_384;
const STOP_WITHIN_MS = 5_000;

/** Which program to start, with which arguments, and where. */
export interface AgentProcessOptions {
  /** Program and first arguments; the command of this package when absent. */
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  /** Added to this process's variables; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** An agent that takes and sends the frames of RPC mode. */
export interface AgentConnection {
  readonly pid: number | undefined;
  /** Resolves when the agent has ended; never rejects. */
  readonly ended: Promise<Error>;
  send(frame: object): void;
  /** Returns the exit code; null if there is none. */
  stop(): Promise<number | null>;
}

export class AgentProcess implements AgentConnection {
  readonly #child: ChildProcessWithoutNullStreams;
  #stderr = "";
  readonly ended: Promise<Error>;

  constructor(options: AgentProcessOptions, onFrame: (frame: Record<string, unknown>) => void) {
    const [program = process.execPath, ...first] = options.command ?? [process.execPath, ownCommand()];
    this.#child = spawn(program, [...first, "--mode", "rpc", ...(options.args ?? [])], {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
    });
    const splitter = new LineSplitter(Number.MAX_SAFE_INTEGER);
    this.#child.stdout.on("data", (chunk: Buffer) => {
      for (const line of splitter.feed(chunk)) if ("text" in line && line.text !== "") this.#take(line.text, onFrame);
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    // A write to a process that has just ended fails; `ended` reports that.
    this.#child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => {
      this.#child.on("error", (error) => resolve(new Error(`The agent could not be started: ${error.message}`)));
      this.#child.on("close", (code, signal) => {
        const said = this.#stderr.trim();
        resolve(new Error(`The agent ended (${signal ?? `exit code ${code}`})${said === "" ? "." : `: ${said}`}`));
      });
    });
  }

  /** A program that writes anything but JSON is not the agent: it is killed, and its output is the reason. */
  #take(line: string, onFrame: (frame: Record<string, unknown>) => void): void {
    let frame: Record<string, unknown>;
    try {
      frame = JSON.parse(line);
    } catch {
      this.#stderr = `${this.#stderr}\nnot a protocol line: ${line}`.slice(-STDERR_CHARS);
      this.#child.kill();
      return;
    }
    onFrame(frame);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(frame: object): void {
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** Closes the agent's input and waits; an agent that does not end by itself is killed. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined) {
      const closed = once(this.#child, "close");
      this.#child.stdin.end();
      const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_WITHIN_MS);
      await closed;
      clearTimeout(timer);
    }
    return this.#child.exitCode;
  }
}

/** dist/cli.js, relative to the built library next to it or to the sources. */
export function ownCommand(): string {
  const built = fileURLToPath(new URL("../cli.js", import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
}
