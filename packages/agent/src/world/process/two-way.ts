// A started program with all three of its pipes: what an ExecutionEnvironment returns as TwoWayProcess.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { WholeCharacters } from "./bounded-output.ts";
import { unrefPipe } from "./child-process.ts";
import type { Clock } from "./clock.ts";
import { InputQueue } from "./input-queue.ts";
import { OutputRing } from "./output-ring.ts";
import { PipeReader } from "./pipe-reader.ts";
import type { ProcessExit, ProcessOptions, TwoWayProcess } from "./types.ts";

const STDERR_LIMIT = 64 << 10;
const WRITE_TIMEOUT_MS = 30_000;
const STOP_GRACE_MS = 500;

export interface TwoWaySetup extends Pick<ProcessOptions, "signal" | "writeTimeoutMs" | "onStderr"> {
  /** The name used in error messages. */
  readonly program: string;
  readonly clock: Clock;
  /** Ends the program, unless it has exited, with everything it started. */
  readonly end: () => Promise<void>;
  /** The limit that ended it; undefined if none did. */
  readonly limitNote?: (() => string | undefined) | undefined;
  /** Passes a signal on to where the program really runs; to our child's process group if absent. */
  readonly sendSignal?: ((name: NodeJS.Signals) => Promise<void>) | undefined;
}

export class TwoWay implements TwoWayProcess {
  readonly stdout: PipeReader;
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #setup: TwoWaySetup;
  readonly #input: InputQueue;
  readonly #stderr = new OutputRing(STDERR_LIMIT);
  #ending: Promise<void> | undefined;
  #endExpected = false;

  constructor(child: ChildProcessWithoutNullStreams, setup: TwoWaySetup) {
    const { program, clock, signal, writeTimeoutMs = WRITE_TIMEOUT_MS } = setup;
    const started = clock.now();
    this.#child = child;
    this.#setup = setup;
    this.#input = new InputQueue(child.stdin, program, clock, writeTimeoutMs);
    this.#listenToStderr();
    const onAbort = () => void this.#end();
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, name) => {
        signal?.removeEventListener("abort", onAbort);
        this.#input.destroy(`${program} has exited (${name ?? `code ${code}`}).`);
        // A process that the program left running may hold the pipes; that must not keep the host alive.
        for (const pipe of [child.stdout, child.stderr]) unrefPipe(pipe);
        const limitNote = setup.limitNote?.();
        resolve({
          exitCode: code ?? -1,
          ...(name === null ? {} : { signal: name }),
          stopped: this.#endExpected,
          ...(limitNote === undefined ? {} : { limitNote }),
          durationMs: Math.round(clock.now() - started),
        });
      });
    });
    this.stdout = new PipeReader(child.stdout, this.exited, clock);
  }

  write(bytes: string | Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  endInput(): Promise<void> {
    return this.#input.end();
  }

  readStderr(from?: number): { text: string; next: number; missed: number } {
    return this.#stderr.read(from);
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (this.#setup.sendSignal !== undefined) await this.#setup.sendSignal(name);
    else process.kill(-pid, name);
  }

  /** The environment is about to end it. */
  expectEnd(): void {
    this.#endExpected = true;
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<ProcessExit> {
    this.#endExpected = true;
    if (this.#ending === undefined && graceMs > 0) await this.#exitsByItself(graceMs);
    await this.#end();
    return this.exited;
  }

  async #exitsByItself(graceMs: number): Promise<void> {
    // Not awaited: the program may never read the queued data.
    void this.#input.end();
    let cancel = () => {};
    const overdue = new Promise<void>((resolve) => {
      cancel = this.#setup.clock.after(graceMs, resolve);
    });
    await Promise.race([this.exited, overdue]);
    cancel();
  }

  #end(): Promise<void> {
    this.#endExpected = true;
    this.#ending ??= this.#setup.end();
    return this.#ending;
  }

  #listenToStderr(): void {
    const characters = new WholeCharacters();
    const take = (bytes: Buffer) => {
      if (bytes.length === 0) return;
      this.#stderr.push(bytes);
      this.#setup.onStderr?.(bytes.toString("utf8"));
    };
    this.#child.stderr.on("data", (chunk: Buffer) => take(characters.push(chunk)));
    this.#child.stderr.once("end", () => take(characters.flush()));
    // The pipe closes with the program; the program's exit tells the rest.
    this.#child.stderr.on("error", () => {});
  }
}
