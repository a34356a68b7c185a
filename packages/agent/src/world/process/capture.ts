// Captures the output of a command while it runs and until its pipes fall silent.

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { BoundedOutput, Spilling, WholeCharacters } from "./bounded-output.ts";
import { unrefPipe } from "./child-process.ts";
import type { ExecResult, OutputSpill } from "./types.ts";

/** Bytes kept in memory per stream, and of both together. */
export const OUTPUT_LIMIT = 1 << 20;
/** How long a pipe that a daemon still holds may stay silent before the call returns without waiting for its end. */
const DRAIN_IDLE_MS = 20;
const DRAIN_MAX_MS = 500;

/** The input of a command, and where its output goes. */
export interface CaptureRequest {
  /** Closed stdin if absent; `held` keeps the pipe open as long as this process lives. */
  readonly stdin?: Uint8Array | "held" | undefined;
  readonly onOutput?: ((chunk: string, stream: "stdout" | "stderr") => void) | undefined;
  /** Raw bytes of stdout as they arrive; the result then contains none of it. */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  readonly spill?: OutputSpill | undefined;
}

type Stream = "stdout" | "stderr";

/** Collects both streams of a command. */
export class Capture {
  readonly #stdout = new BoundedOutput(OUTPUT_LIMIT);
  readonly #stderr = new BoundedOutput(OUTPUT_LIMIT);
  readonly #both: Spilling;
  readonly #request: CaptureRequest;
  readonly #streams: Readable[];
  readonly #closed: Promise<unknown>;
  readonly #flush: (() => void)[] = [];
  #sawData = false;
  #detached = false;

  constructor(child: ChildProcess, request: CaptureRequest) {
    this.#request = request;
    this.#both = new Spilling(OUTPUT_LIMIT, request.spill);
    const { stdout, stderr, stdin } = child;
    this.#streams = stdout === null || stderr === null ? [] : [stdout, stderr];
    if (stdout !== null && stderr !== null) {
      this.#listen(stdout, "stdout", this.#stdout);
      this.#listen(stderr, "stderr", this.#stderr);
    }
    this.#closed = Promise.all(this.#streams.map((stream) => whenClosed(stream)));
    if (stdin !== null) {
      // A program that does not read its input closes the pipe early; its exit code is reported.
      stdin.on("error", () => {});
      if (request.stdin === "held") unrefPipe(stdin);
      else stdin.end(request.stdin);
    }
  }

  #listen(stream: Readable, name: Stream, kept: BoundedOutput): void {
    const characters = new WholeCharacters();
    const take = (bytes: Buffer) => {
      if (bytes.length === 0) return;
      kept.push(bytes);
      this.#both.push(bytes);
      this.#request.onOutput?.(bytes.toString("utf8"), name);
    };
    const raw = name === "stdout" ? this.#request.onStdout : undefined;
    stream.on("data", (chunk: Buffer) => {
      if (this.#detached) return;
      this.#sawData = true;
      if (raw !== undefined) raw(chunk);
      else take(characters.push(chunk));
    });
    this.#flush.push(() => take(characters.flush()));
  }

  /** Resolves when both pipes have ended, or have fallen silent while a daemon holds them. */
  async whenDrained(): Promise<void> {
    let open = true;
    const closed = this.#closed.then(() => {
      open = false;
    });
    for (let waited = 0; open && waited < DRAIN_MAX_MS; waited += DRAIN_IDLE_MS) {
      this.#sawData = false;
      // Timers run before pipes are polled, so a busy process may not have read the bytes in them yet.
      const idle = new Promise((resolve) => setTimeout(() => setImmediate(resolve), DRAIN_IDLE_MS));
      await Promise.race([closed, idle]);
      if (!this.#sawData && open) break;
    }
    this.#detached = true;
    for (const flush of this.#flush) flush();
    // Keep reading and discard: a closed pipe would kill the daemon at its next write. The pipe must not keep the host
    // alive either.
    if (open) for (const stream of this.#streams) unrefPipe(stream);
  }

  result(): Pick<ExecResult, "stdout" | "stderr" | "output" | "outputBytes" | "truncated"> {
    const { kept } = this.#both;
    return {
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      output: kept.text(),
      outputBytes: kept.bytes,
      truncated: kept.truncated,
    };
  }
}

/** A shell that was started in advance may already have closed a pipe. */
function whenClosed(stream: Readable): Promise<unknown> {
  return stream.closed ? Promise.resolve() : new Promise((done) => stream.once("close", done));
}
