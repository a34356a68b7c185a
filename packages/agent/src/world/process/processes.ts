// The only spawner of the package. Each command runs in its own process group and carries the owner's mark; abort,
// timeout and cleanup end it with everything it started, and a watchdog does so if the host dies.

import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Capture, OUTPUT_LIMIT } from "./capture.ts";
import { childProcess, provideSetup } from "./child-process.ts";
import { type Clock, monotonicClock } from "./clock.ts";
import type { Confinement } from "./confinement.ts";
import { Governor } from "./governor.ts";
import { LiveCommands } from "./live-commands.ts";
import { commandMark, endMarked, groupMark, type Mark, markVariables, ownerMark, signalMarked } from "./marks.ts";
import { OutputRing } from "./output-ring.ts";
import { moreDescriptors, PreparedShells, ShellTalk, type Started, waitingShell } from "./prepared-shell.ts";
import { loadPty, startTerminal, type TerminalRequest } from "./pty.ts";
import {
  neverStarted,
  type OpenedProcess,
  type OpenRequest,
  type ProcessesOptions,
  type RunRequest,
} from "./requests.ts";
import { markedProgram, markedShell, ownMark } from "./shell-argv.ts";
import { lastingScript, stateText, TALK } from "./shell-script.ts";
import { readShellState, type ShellState } from "./shell-state.ts";
import {
  cancelledError,
  type ProgramRequest,
  refuseHiddenDirectory,
  refuseMissingProgram,
  refuseZeroBytes,
  spawnError,
} from "./spawn-error.ts";
import { TwoWay } from "./two-way.ts";
import type { BackgroundCommand, ExecResult, ProgramArgv, TerminalCommand } from "./types.ts";
import { Watch, type Watched } from "./watchdog.ts";

/** Starts commands, and ends them with everything they started, even if this process dies. */
export class Processes {
  readonly owner: string;
  readonly #clock: Clock;
  readonly #confinement: Confinement | undefined;
  readonly #governor: Governor;
  readonly #running = new Set<Promise<unknown>>();
  readonly #open = new Set<TwoWay>();
  readonly #prepared = new PreparedShells();
  readonly #watch: Watch;
  readonly #live = new LiveCommands();
  #commands = 0;

  constructor(options: ProcessesOptions = {}) {
    this.owner = options.owner ?? randomUUID();
    this.#clock = options.clock ?? monotonicClock;
    this.#confinement = options.confinement;
    this.#watch = new Watch(ownerMark(this.owner), this.#clock, () => options.confinement?.folder);
    this.#governor = new Governor({ limits: options.limits ?? {}, clock: this.#clock, owner: this.owner });
  }

  get hasStarted(): boolean {
    return this.#commands > 0;
  }

  /** See `ExecutionEnvironment.hasRoom`. */
  hasRoom = (ahead: number): boolean => this.#governor.hasRoom(ahead);

  run(request: RunRequest): Promise<ExecResult> {
    const run = this.#run(request);
    this.#remember(run);
    return run;
  }

  /** A command that outlives the call; it ends on its own, by `stop` or with `cleanup`. */
  start(command: string, request: Omit<RunRequest, "timeoutMs">): BackgroundCommand {
    const stop = new AbortController();
    const ring = new OutputRing(OUTPUT_LIMIT);
    const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
    let running = true;
    const done = this.run({
      ...request,
      timeoutMs: 0,
      stays: true,
      signal,
      onOutput: (chunk, stream) => {
        ring.push(Buffer.from(chunk));
        request.onOutput?.(chunk, stream);
      },
    }).finally(() => {
      running = false;
    });
    // If the caller never awaits `done`, a rejection must not crash the host.
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

  /** A program whose stdin stays open; it ends on its own, by `stop` or with `cleanup`. */
  async open(request: OpenRequest): Promise<OpenedProcess> {
    const { argv, program = argv[0] } = request;
    if (request.signal?.aborted) throw cancelledError(program);
    refuseZeroBytes(argv);
    refuseMissingProgram(request);
    const confinement = this.#confinementOf(request);
    if (confinement) await confinement.ready();
    refuseHiddenDirectory(confinement, request);
    if (!(await this.#governor.waitForTurn({ ...request, stays: true }))) throw cancelledError(program);
    const number = ++this.#commands;
    const mark = this.#markOf(number);
    const child = this.#spawn(request, number, "pipe", (confined) =>
      markedProgram(mark, confined ?? argv, false, this.#governor.prelude),
    );
    this.#watch.follow(child);
    const kills = this.#governor.memoryKills();
    let limitNote: string | undefined;
    this.#govern(child, true, (why) => {
      limitNote = why;
      void this.#end(request, groupMark(mark, child));
    });
    const spawned = new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(spawnError(error, request)));
    });
    const opened = new TwoWay(child as ChildProcessWithoutNullStreams, {
      ...request,
      ...(confinement ? { sendSignal: (name) => signalMarked(mark, name) } : {}),
      program,
      clock: this.#clock,
      end: () => this.#end(request, groupMark(mark, child)),
      limitNote: () => limitNote ?? (this.#governor.memoryKills() > kills ? this.#governor.memoryNote() : undefined),
    });
    await spawned;
    this.#open.add(opened);
    this.#remember(opened.exited.then(() => this.#open.delete(opened)));
    return opened;
  }

  /** A command in its own terminal; it ends by itself, by `stop` or with `cleanup`. */
  async terminal(command: string, request: TerminalRequest): Promise<TerminalCommand> {
    const pty = await loadPty();
    const program = "The command";
    const confinement = this.#confinementOf(request);
    if (confinement) await confinement.ready();
    if (!(await this.#governor.waitForTurn({ ...request, stays: true }))) throw cancelledError(program);
    const number = ++this.#commands;
    const mark = this.#markOf(number);
    const started = startTerminal(pty, command, {
      ...request,
      mark,
      variables: markVariables(this.owner, number),
      prelude: this.#governor.prelude,
      confinement,
      clock: this.#clock,
      end: (group) => this.#end({}, group === undefined ? mark : { ...mark, group }),
    });
    this.#watch.follow(started);
    this.#live.note(number, started);
    this.#govern(started, true, () => void started.command.stop());
    this.#remember(started.command.done);
    return started.command;
  }

  /** Tells two-way processes that their end is now intended. */
  expectEnd(): void {
    for (const opened of this.#open) opened.expectEnd();
  }

  /** See `ExecutionEnvironment.endLeftBehind`. */
  endLeftBehind = async (): Promise<number> =>
    this.#commands === 0 ? 0 : this.#live.endOthers(this.owner, this.#clock);

  /** Ends everything that carries the mark, including daemons. The object may be used again afterwards. */
  async cleanup(): Promise<void> {
    this.expectEnd();
    this.#prepared.end();
    if (this.#commands > 0) await endMarked(this.#withStarters(ownerMark(this.owner)), this.#clock);
    await this.#confinement?.end();
    await Promise.allSettled(this.#running);
    this.#governor.end();
    this.#watch.release();
  }

  async #run(request: RunRequest, isRetry = false): Promise<ExecResult> {
    const started = this.#clock.now();
    if (request.signal?.aborted) return neverStarted();
    refuseZeroBytes(request.argv);
    const confinement = this.#confinementOf(request);
    if (confinement) await confinement.ready();
    refuseHiddenDirectory(confinement, request);
    if (!request.internal && !(await this.#governor.waitForTurn(request))) return neverStarted();
    const { child, mark, talk, hasWaited = false } = request.shell ? this.#shell(request) : this.#command(request);
    const kills = this.#governor.memoryKills();
    const capture = new Capture(child, request);
    return new Promise((resolve, reject) => {
      let ending: Promise<void> | undefined;
      let timedOut = false;
      let aborted = false;
      const end = () => {
        ending ??= this.#end(request, groupMark(mark, child));
      };
      let limitNote: string | undefined;
      if (!request.internal)
        this.#govern(child, request.stays ?? false, (why) => {
          limitNote = why;
          end();
        });
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
      if (request.signal?.aborted) onAbort();
      const settle = () => {
        cancelTimer();
        request.signal?.removeEventListener("abort", onAbort);
      };
      child.once("error", (error: NodeJS.ErrnoException) => {
        settle();
        reject(spawnError(error, request));
      });
      child.once("exit", async (code, signal) => {
        await capture.whenDrained();
        await ending;
        settle();
        const shell = talk && readShellState(await talk.report());
        if (hasWaited && ending === undefined && !talk?.hasBegun) {
          // The shell was killed while it waited; another shell runs the command.
          settle();
          resolve(this.#run(request));
          return;
        }
        // The caller of this command continues first; the next command finds its shell ready.
        if (request.shell) setImmediate(() => this.#prepare(request, shell ?? request.shell?.state));
        const result: ExecResult = {
          ...capture.result(),
          exitCode: code ?? -1,
          ...(signal === null ? {} : { signal }),
          timedOut,
          aborted: aborted && !timedOut,
          durationMs: Math.round(this.#clock.now() - started),
          // A shell ended by SIGTERM reports what the command had done by then.
          ...(shell && ending === undefined && signal === null ? { shell } : {}),
        };
        if (!isRetry && confinement?.hasMissedItsStart?.(result)) return resolve(this.#run(request, true));
        if (result.exitCode !== 0 && this.#governor.memoryKills() > kills) limitNote ??= this.#governor.memoryNote();
        const note = limitNote ?? confinement?.explain(result);
        resolve(note === undefined ? result : { ...result, note });
      });
    });
  }

  #command(request: RunRequest): Started {
    const number = ++this.#commands;
    const mark = this.#markOf(number);
    const { argv, interleaved = false, stdin } = request;
    const prelude = request.internal ? "" : this.#governor.prelude;
    const child = this.#spawn(request, number, stdin === undefined ? "ignore" : "pipe", (confined) =>
      confined
        ? markedProgram(mark, confined, interleaved, prelude)
        : markedShell(mark, argv, request.env, interleaved, prelude),
    );
    if (request.internal && !this.#watch.isOn) this.#watch.followIfLong(child);
    else this.#watch.follow(child);
    return { child, mark };
  }

  /** The shell for a command that takes over a state: the waiting one, if there is one. */
  #shell(request: RunRequest): Started {
    const { command, state, login = false, cwd, variables } = request.shell!;
    const first = stateText(state, request.env);
    const waiting = login ? undefined : this.#prepared.take(first, (number) => this.#shellKey(request, number));
    const started = waiting ?? this.#newShell(request, login);
    started.talk.run(first, lastingScript({ command, state, cwd, variables, startEnv: request.env, report: TALK }));
    return { ...started, hasWaited: waiting !== undefined };
  }

  #prepare(request: RunRequest, state: ShellState | undefined): void {
    // If there is no watchdog, the environment has been cleaned up meanwhile.
    if (this.#prepared.isReady || !this.#watch.isOn) return;
    try {
      const { number, ...shell } = this.#newShell(request, false);
      this.#prepared.keep({ ...shell, number, key: this.#shellKey(request, number) });
      this.#prepared.preload(stateText(state, request.env));
    } catch {
      // The next command starts its own shell and reports why that fails.
    }
  }

  #newShell(request: RunRequest, login: boolean) {
    const number = ++this.#commands;
    const mark = this.#markOf(number);
    const { prelude } = this.#governor;
    const { interleaved = false } = request;
    const isConfined = this.#confinementOf(request) !== undefined;
    const asked = {
      ...request,
      ...waitingShell(request, login, isConfined ? "" : ownMark(mark, interleaved, prelude)),
    };
    const child = this.#spawn({ ...asked, talks: true }, number, "ignore", (confined) =>
      confined ? markedProgram(mark, confined, interleaved, prelude) : asked.argv,
    );
    this.#watch.follow(child);
    return { child, mark, number, talk: new ShellTalk(child) };
  }

  /** Identifies what a shell was started with; if this would be different now, another shell is needed. */
  #shellKey(request: RunRequest, number: number): string {
    const { argv, cwd, env } = { ...request, ...waitingShell(request, false, "") };
    const confined = this.#confinementOf(request)?.confine(argv, {
      cwd,
      env: { ...env, ...markVariables(this.owner, number) },
    });
    const setup = confined?.setup && Buffer.from(confined.setup).toString("latin1");
    return JSON.stringify([
      request.outside ?? false,
      request.interleaved ?? false,
      argv,
      cwd,
      env,
      confined?.cwd,
      setup,
    ]);
  }

  #govern(child: Watched, stays: boolean, end: (why: string) => void): void {
    const { pid } = child;
    if (pid === undefined) this.#governor.gaveUp();
    else child.once("exit", this.#governor.noteStart({ pid, stays, end }));
  }

  #remember(run: Promise<unknown>): void {
    this.#running.add(run);
    const forget = () => this.#running.delete(run);
    run.then(forget, forget);
  }

  async #end({ endFirst }: Pick<RunRequest, "endFirst">, mark: Mark): Promise<void> {
    try {
      await endFirst?.();
    } catch {
      // The remote process cannot be reached; we still end the local one, and the result says so.
    }
    await endMarked(mark, this.#clock);
  }

  #confinementOf({ outside }: Pick<RunRequest, "outside">): Confinement | undefined {
    return outside ? undefined : this.#confinement;
  }

  #markOf(number: number): Mark {
    return this.#withStarters(commandMark(this.owner, number));
  }

  #withStarters(mark: Mark): Mark {
    return this.#confinement ? { ...mark, starters: this.#confinement.starters } : mark;
  }

  /** `marked`: the arguments that also set the mark, for the program itself or for its confinement. */
  #spawn(
    request: ProgramRequest & Pick<RunRequest, "outside" | "internal"> & { readonly talks?: boolean },
    number: number,
    stdin: "ignore" | "pipe",
    marked: (confined?: ProgramArgv) => ProgramArgv,
  ): ChildProcess {
    const { cwd } = request;
    const variables = markVariables(this.owner, number);
    const env = { ...request.env, ...variables };
    const confined = this.#confinementOf(request)?.confine(request.argv, { cwd, env });
    const [program, ...args] = marked(confined?.argv);
    try {
      const child = childProcess().spawn(program, args, {
        cwd: confined?.cwd ?? cwd,
        env: confined ? { ...confined.env, ...variables } : env,
        detached: true,
        stdio: [stdin, "pipe", "pipe", ...moreDescriptors(confined?.setup !== undefined, request.talks ?? false)],
      });
      if (confined?.setup) provideSetup(child, confined.setup);
      this.#live.note(number, child);
      return child;
    } catch (error) {
      if (!request.internal) this.#governor.gaveUp();
      throw spawnError(error as NodeJS.ErrnoException, { ...request, cwd: confined?.cwd ?? cwd });
    }
  }
}
