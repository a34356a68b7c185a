// The only spawner of the package. Each command runs in its own process group and carries the owner's mark; abort,
// timeout and cleanup end it with everything it started, a watchdog does so when the host dies.

import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { type BackgroundCommand, EnvError, type ExecResult, type OutputSpill } from "../env/types.ts";
import { BoundedOutput, Spilling, WholeCharacters } from "./bounded-output.ts";
import { childProcess, unrefPipe } from "./child-process.ts";
import { type Clock, monotonicClock } from "./clock.ts";
import { commandMark, endMarked, type Mark, markVariables, ownerMark, SET_LOCKS } from "./marked.ts";
import { OutputRing } from "./output-ring.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/** Kept in memory per stream, and of both together. */
export const OUTPUT_LIMIT = 1 << 20;
/** How long a pipe that a daemon still holds may stay silent before the call returns without its end. */
const DRAIN_IDLE_MS = 20;
const DRAIN_MAX_MS = 500;

export interface ProcessesOptions {
  /** Value of the mark; must be unique on the machine. */
  readonly owner?: string;
  readonly clock?: Clock;
}

export interface RunRequest {
  /** Program and arguments; a shell command is `shellArgv(command)`. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** 0: none. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Closed stdin when absent; `held` keeps the pipe open as long as we live. */
  readonly stdin?: Uint8Array | "held";
  readonly onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Raw bytes of stdout as they come; nothing of it is then kept in the result. */
  readonly onStdout?: (chunk: Buffer) => void;
  /** A shell's stderr goes into its stdout: two pipes would not tell what was written first. */
  readonly interleaved?: boolean;
  readonly spill?: OutputSpill;
  /** Called before the command is ended by abort or timeout: ends what it started elsewhere. */
  readonly endFirst?: () => Promise<void>;
}

const BASH = "/bin/bash";
const SHELLS: readonly string[] = [BASH, "/bin/sh"];

export function shellArgv(command: string): readonly [string, ...string[]] {
  return [SHELLS.find((shell) => existsSync(shell)) ?? "/bin/sh", "-c", command];
}

/** `parameter`: what the tool at hand calls its time. */
export function timeoutNotice(timeoutMs: number, parameter = "timeout_ms"): string {
  return (
    `[ERROR: Command timed out after ${timeoutMs}ms. Partial output is shown above.\n` +
    `You can retry with a longer timeout by setting the ${parameter} parameter.]`
  );
}

export class Processes {
  readonly owner: string;
  readonly #clock: Clock;
  readonly #running = new Set<Promise<unknown>>();
  #watchdog: Watchdog | undefined;
  #commands = 0;

  constructor(options: ProcessesOptions = {}) {
    this.owner = options.owner ?? randomUUID();
    this.#clock = options.clock ?? monotonicClock;
  }

  run(request: RunRequest): Promise<ExecResult> {
    const run = this.#run(request);
    this.#running.add(run);
    const forget = () => this.#running.delete(run);
    run.then(forget, forget);
    return run;
  }

  /** A command that outlives the call; it ends by itself, by `stop` or with `cleanup`. */
  start(command: string, request: Omit<RunRequest, "timeoutMs">): BackgroundCommand {
    const stop = new AbortController();
    const ring = new OutputRing(OUTPUT_LIMIT);
    const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
    let running = true;
    const done = this.run({
      ...request,
      timeoutMs: 0,
      signal,
      onOutput: (chunk, stream) => {
        ring.push(Buffer.from(chunk));
        request.onOutput?.(chunk, stream);
      },
    }).finally(() => {
      running = false;
    });
    // A caller that never looks at `done` must not crash the host.
    done.catch(() => {});
    return {
      command,
      done,
      get running() {
        return running;
      },
      read: (from) => ring.read(from),
      stop: async () => {
        stop.abort();
        await Promise.allSettled([done]);
      },
    };
  }

  /** Ends everything that carries the mark, daemons included. May be used again afterwards. */
  async cleanup(): Promise<void> {
    if (this.#commands > 0) await endMarked(ownerMark(this.owner), this.#clock);
    await Promise.allSettled(this.#running);
    this.#watchdog?.release();
    this.#watchdog = undefined;
  }

  async #run(request: RunRequest): Promise<ExecResult> {
    const started = this.#clock.now();
    if (request.signal?.aborted) return neverStarted();
    if (request.argv.some((argument) => argument.includes("\0"))) {
      throw new EnvError("io", "A command cannot hold a zero byte. Remove it, or write the bytes to a file first.");
    }
    const number = ++this.#commands;
    const child = this.#spawn(request, number);
    this.#watch(child);
    const capture = new Capture(child, request);
    return new Promise((resolve, reject) => {
      let ending: Promise<void> | undefined;
      let timedOut = false;
      let aborted = false;
      const mark = commandMark(this.owner, number);
      const end = () => {
        ending ??= this.#end(request, child.pid === undefined ? mark : { ...mark, group: child.pid });
      };
      const onAbort = () => {
        aborted = true;
        end();
      };
      const cancelTimer =
        request.timeoutMs > 0 && Number.isFinite(request.timeoutMs)
          ? this.#clock.after(request.timeoutMs, () => {
              timedOut = true;
              end();
            })
          : () => {};
      request.signal?.addEventListener("abort", onAbort, { once: true });
      const settle = () => {
        cancelTimer();
        request.signal?.removeEventListener("abort", onAbort);
      };
      child.once("error", (error: NodeJS.ErrnoException) => {
        settle();
        reject(spawnError(error, request));
      });
      child.once("exit", async (code, signal) => {
        await capture.drained();
        await ending;
        settle();
        resolve({
          ...capture.result(),
          exitCode: code ?? -1,
          ...(signal === null ? {} : { signal }),
          timedOut,
          aborted: aborted && !timedOut,
          durationMs: Math.round(this.#clock.now() - started),
        });
      });
    });
  }

  async #end(request: RunRequest, mark: Mark): Promise<void> {
    try {
      await request.endFirst?.();
    } catch {
      // Out of reach over there; what runs here is ended all the same, and the result says that it was.
    }
    await endMarked(mark, this.#clock);
  }

  #spawn(request: RunRequest, number: number): ChildProcess {
    const [program, ...args] = this.#marking(request, commandMark(this.owner, number));
    try {
      return childProcess().spawn(program, args, {
        cwd: request.cwd,
        env: { ...request.env, ...markVariables(this.owner, number) },
        detached: true,
        stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      });
    } catch (error) {
      throw spawnError(error as NodeJS.ErrnoException, request);
    }
  }

  /** What a shell starts may leave its group and its environment behind; a limit that it is born with stays. */
  #marking({ argv, interleaved }: RunRequest, mark: Mark): RunRequest["argv"] {
    const [program] = argv;
    if (!SHELLS.includes(program)) return argv;
    const linux = process.platform === "linux";
    if (!linux && !interleaved) return argv;
    // In POSIX mode bash leaves alone what $BASH_ENV names; the command's own shell will read it.
    const posix = program === BASH ? ["--posix"] : [];
    const script = `${linux ? `${SET_LOCKS}; ` : ""}shift; exec "$@"${interleaved ? " 2>&1" : ""}`;
    return [program, ...posix, "-c", script, "lathe", mark.locks, ...argv];
  }

  #watch(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    const watchdog = this.#watchdog ?? this.#newWatchdog();
    watchdog.commandStarted(pid);
    child.once("exit", () => watchdog.commandEnded(pid));
  }

  #newWatchdog(): Watchdog {
    const watchdog = startWatchdog(ownerMark(this.owner));
    this.#watchdog = watchdog;
    watchdog.process.once("exit", () => {
      if (this.#watchdog === watchdog) this.#watchdog = undefined;
    });
    return watchdog;
  }
}

type Stream = "stdout" | "stderr";

/** Collects both streams of one command. */
class Capture {
  readonly #stdout = new BoundedOutput(OUTPUT_LIMIT);
  readonly #stderr = new BoundedOutput(OUTPUT_LIMIT);
  readonly #both: Spilling;
  readonly #request: RunRequest;
  readonly #streams: Readable[];
  readonly #closed: Promise<unknown>;
  readonly #flush: (() => void)[] = [];
  #sawData = false;
  #detached = false;

  constructor(child: ChildProcess, request: RunRequest) {
    this.#request = request;
    this.#both = new Spilling(OUTPUT_LIMIT, request.spill);
    const { stdout, stderr, stdin } = child;
    this.#streams = stdout === null || stderr === null ? [] : [stdout, stderr];
    if (stdout !== null && stderr !== null) {
      this.#listen(stdout, "stdout", this.#stdout);
      this.#listen(stderr, "stderr", this.#stderr);
    }
    this.#closed = Promise.all(this.#streams.map((stream) => new Promise((done) => stream.once("close", done))));
    if (stdin !== null) {
      // A program that does not read its input closes the pipe early; its exit code tells the story.
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

  /** Resolves when both pipes have ended, or fall silent because a daemon holds them. */
  async drained(): Promise<void> {
    let open = true;
    const closed = this.#closed.then(() => {
      open = false;
    });
    for (let waited = 0; open && waited < DRAIN_MAX_MS; waited += DRAIN_IDLE_MS) {
      this.#sawData = false;
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, DRAIN_IDLE_MS))]);
      if (!this.#sawData && open) break;
    }
    this.#detached = true;
    for (const flush of this.#flush) flush();
    // Read on and forget: a closed pipe would kill the daemon at its next write. It must not keep the host alive either.
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

function neverStarted(): ExecResult {
  return {
    stdout: "",
    stderr: "",
    output: "",
    outputBytes: 0,
    truncated: false,
    exitCode: -1,
    timedOut: false,
    aborted: true,
    durationMs: 0,
  };
}

function spawnError(error: NodeJS.ErrnoException, request: RunRequest): EnvError {
  const program = request.argv[0];
  if (error.code === "ENOENT" && !existsSync(request.cwd)) {
    const message = `Working directory does not exist: ${request.cwd}. Run the command from an existing directory.`;
    return new EnvError("not_found", message, { path: request.cwd, cause: error });
  }
  if (error.code === "ENOTDIR") {
    const message = `Working directory is not a directory: ${request.cwd}. Name a directory to run the command in.`;
    return new EnvError("not_directory", message, { path: request.cwd, cause: error });
  }
  if (error.code === "ENOENT") {
    const message = `Program not found: ${program}. Install it or put it on PATH.`;
    return new EnvError("unavailable", message, { path: program, cause: error });
  }
  if (error.code === "E2BIG") {
    const message = "Command too long for the system. Write it to a script file and run that.";
    return new EnvError("io", message, { cause: error });
  }
  return new EnvError("io", `Could not start ${program}: ${error.message}. Check the program and try again.`, {
    path: program,
    cause: error,
  });
}
