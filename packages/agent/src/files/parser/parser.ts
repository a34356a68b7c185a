// Foreign bytes are parsed in a separate process, so that a loop, a bomb or a crash ends only that process. It starts
// with the first task, stays warm for the next, and is ended at a deadline, by an interrupt, when it has grown too
// large or when it is no longer needed.

import { type Clock, monotonicClock } from "../../world/process/clock.ts";
import { Processes } from "../../world/process/processes.ts";
import { EnvError, type ProgramArgv, type TwoWayProcess } from "../../world/process/types.ts";
import { parserArgv, parserFile } from "./entry.ts";
import { FrameReader, FrameTooLong, frameOf } from "./frames.ts";
import type { Answer } from "./serve.ts";
import type { TaskInput } from "./tasks/types.ts";

/** What a parser process needs from its host. */
export interface ParserOptions {
  readonly clock?: Clock | undefined;
  /** The program to run; Lathe's own if absent. */
  readonly file?: string | undefined;
  /** The platform whose memory limits apply; this machine's if absent. */
  readonly platform?: NodeJS.Platform | undefined;
  /** Starts the process near the files; on this machine if absent. */
  readonly start?: ((argv: ProgramArgv) => Promise<TwoWayProcess>) | undefined;
}

/** A task for the parser process, with its limits on time and size. */
export interface ParserJob {
  readonly task: string;
  readonly input: TaskInput;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** Why there is no result, as words that follow a colon. */
export class NotParsed extends Error {
  /** The task itself reported this; otherwise it was cut short. */
  readonly isRefused: boolean;
  constructor(why: string, isRefused = false) {
    super(why);
    this.isRefused = isRefused;
  }
}

const IDLE_MS = 60_000;
/** A process that uses more memory than this after its task is not kept. */
const MOST_KEPT_BYTES = 256 << 20;
const MOST_ANSWER_BYTES = 128 << 20;
const PATH = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin";

interface Warm {
  readonly process: TwoWayProcess;
  readonly memoryMb: number;
  readonly frames: FrameReader;
  hasExited: boolean;
}

/** A process that parses foreign bytes; started with its first task, ended and restarted whenever a task goes wrong. */
export class Parser {
  readonly #clock: Clock;
  readonly #options: ParserOptions;
  #processes: Processes | undefined;
  #warm: Warm | undefined;
  /** Serializes tasks. */
  #last: Promise<void> = Promise.resolve();
  #cancelIdle = () => {};

  constructor(options: ParserOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? monotonicClock;
  }

  /** Rejects with NotParsed. */
  async run(job: ParserJob): Promise<unknown> {
    const before = this.#last;
    let finish = () => {};
    this.#last = new Promise((resolve) => {
      finish = resolve;
    });
    try {
      await untilAborted(before, job.signal);
      return await this.#run(job);
    } finally {
      void before.then(finish);
    }
  }

  /** Ends the process. The parser may be used again. */
  async close(): Promise<void> {
    this.#cancelIdle();
    if (this.#warm && this.#options.start) await this.#drop(this.#warm);
    this.#warm = undefined;
    await this.#processes?.cleanup();
  }

  async #run({ task, input, signal, timeoutMs, memoryMb }: ParserJob): Promise<unknown> {
    this.#cancelIdle();
    let overdue = false;
    let fail = (_: unknown) => {};
    const ended = new Promise<never>((_, reject) => {
      fail = reject;
    });
    ended.catch(() => {}); // it may have ended before a caller waits for it
    const onAbort = () => fail(interruption());
    const cancelDeadline = this.#clock.after(timeoutMs, () => {
      overdue = true;
      fail(new NotParsed(`it took longer than ${timeoutMs / 1000} s`));
    });
    signal.addEventListener("abort", onAbort, { once: true });
    let warm: Warm | undefined;
    try {
      warm = await this.#ready(memoryMb);
      if (signal.aborted) onAbort();
      const answer = await Promise.race([exchange(warm, { task, input }), ended]);
      if (answer.rss > MOST_KEPT_BYTES) await this.#drop(warm);
      else this.#cancelIdle = this.#clock.after(IDLE_MS, () => void this.#drop(warm!));
      if (answer.kind === "result") return answer.result;
      throw new NotParsed(answer.why, true);
    } catch (error) {
      if (error instanceof NotParsed && !signal.aborted && !overdue) throw error;
      throw await this.#failure(error, warm);
    } finally {
      cancelDeadline();
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #ready(memoryMb: number): Promise<Warm> {
    const kept = this.#warm;
    if (kept && !kept.hasExited && kept.memoryMb >= memoryMb) return kept;
    if (kept) await this.#drop(kept);
    const { file = parserFile(), platform = process.platform, start } = this.#options;
    const argv = parserArgv(file, memoryMb, platform);
    const opened = await (start ? start(argv) : this.#startHere(argv));
    const warm: Warm = { process: opened, memoryMb, frames: new FrameReader(MOST_ANSWER_BYTES), hasExited: false };
    void opened.exited.then(() => {
      warm.hasExited = true;
    });
    this.#warm = warm;
    return warm;
  }

  #startHere(argv: ProgramArgv): Promise<TwoWayProcess> {
    this.#processes ??= new Processes({ clock: this.#clock });
    return this.#processes.open({ argv, program: "the parser process", cwd: "/", env: { PATH } });
  }

  /** When the caller learns of the failure, nothing of the task is still running. */
  async #failure(error: unknown, warm: Warm | undefined): Promise<NotParsed> {
    if (warm) await this.#drop(warm);
    if (error instanceof NotParsed) return error;
    if (error instanceof FrameTooLong) return new NotParsed("its content is too large to show");
    if (!(error instanceof EnvError) && !(error instanceof ProcessEnded)) throw error;
    if (warm === undefined) return new NotParsed(`its parser process could not be started (${error.message})`);
    const said = warm.process.readStderr().text;
    if (/out of memory|OOM|bad_alloc|cannot allocate memory|failed to allocate|memory allocation of/i.test(said))
      return new NotParsed(`it needs more than ${warm.memoryMb} MB of memory`);
    const { exitCode, signal } = await warm.process.exited;
    return new NotParsed(`its parser process ended unexpectedly (${signal ?? `exit code ${exitCode}`})`);
  }

  async #drop(warm: Warm): Promise<void> {
    if (this.#warm === warm) this.#warm = undefined;
    await warm.process.stop(0);
  }
}

class ProcessEnded extends Error {}

async function exchange({ process, frames }: Warm, request: { task: string; input: TaskInput }): Promise<Answer> {
  for (const piece of frameOf(request)) await process.write(piece);
  const pieces = process.stdout[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) throw new ProcessEnded("it ended");
    const [answer] = frames.push(value);
    if (answer !== undefined) return answer as Answer;
  }
}

const interruption = () => new NotParsed("interrupted");

function untilAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(interruption());
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(interruption());
    signal.addEventListener("abort", onAbort, { once: true });
    void wait.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}
