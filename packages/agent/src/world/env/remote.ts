// An environment on the far side of a program that runs a shell there (ssh, docker exec, podman exec). Files travel
// through standard input and output; commands carry the same marks as local ones and are ended on the far side.

import { posix } from "node:path";
import type { Duplex } from "node:stream";
import { type Clock, monotonicClock } from "../process/clock.ts";
import type { EnvVars } from "../process/env-policy.ts";
import { commandEnv } from "../process/env-policy.ts";
import { commandMark, type Mark, markVariables, ownerMark, SET_LOCKS } from "../process/marks.ts";
import { READ_RC } from "../process/prepared-shell.ts";
import { Processes } from "../process/processes.ts";
import type { RunRequest } from "../process/requests.ts";
import { frameScript, lastingScript, loader, stateText } from "../process/shell-script.ts";
import { readShellState } from "../process/shell-state.ts";
import { WATCHDOG_SCRIPT } from "../process/watchdog.ts";
import { HELD_SHELL, HeldShell } from "./held-shell.ts";
import { lineWindow } from "./lines.ts";
import { connectByForwarding, connectByRelay } from "./port.ts";
import { OWNS_PORT } from "./port-owners.ts";
import { startFar } from "./remote-process.ts";
import { remoteSearchFs } from "./remote-search.ts";
import { builtinSearch } from "./search/builtin.ts";
import { type ScriptCall, type ScriptResult, ShellFiles } from "./shell-files.ts";
import {
  type BackgroundCommand,
  type ConnectOptions,
  type DirEntry,
  EnvError,
  type ExecOptions,
  type ExecResult,
  type ExecutionEnvironment,
  type FileStat,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  type LastingShellOptions,
  type PathOptions,
  type ProcessOptions,
  type ProgramArgv,
  type TwoWayProcess,
  type WriteOptions,
} from "./types.ts";

/** The options that remote environments share. */
export interface RemoteOptions {
  /** Absolute, on the far side. */
  readonly cwd: string;
  /** The host's environment, for the program that connects; the far side gets none of it. */
  readonly baseEnv: EnvVars;
  readonly owner?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** How to run a shell script on the far side. */
export interface RemoteTransport {
  /** The name in error messages: `ssh host`, `container name`. */
  readonly name: string;
  /** Equal for transports that lead to the same place. */
  readonly target: string;
  /** The local program that runs `sh -c script lathe …args` on the far side, with stdin and stdout connected. */
  argv(script: string, args: readonly string[]): readonly [string, ...string[]];
  /**
   * The local program whose input and output lead to a port on the far side, if there is one; it prints `opened` to
   * stderr first.
   */
  forward?(port: number): { readonly argv: readonly [string, ...string[]]; readonly opened: string };
  /** Prepares the connection; called once before the first use. */
  open?(processes: Processes): Promise<void>;
  close?(processes: Processes): Promise<void>;
}

const SCRIPT_TIMEOUT_MS = 60_000;
/** Exit codes of ssh, podman and docker that mean our script, which does not use them, never ran. */
const CONNECTION_FAILED: readonly number[] = [255, 125];
/** Two seconds for SIGTERM, a few more for SIGKILL and the network. */
const END_TIMEOUT_MS = 8_000;
const RUN_COMMAND = `
${SET_LOCKS}
shift
cd "$1" || { echo "lathe: no such directory: $1" >&2; exit 126; }
shift
command=$1
shift
if command -v bash >/dev/null; then set -- "$@" bash -c "$command"; else set -- "$@" sh -c "$command"; fi
exec env "$@" </dev/null`;

/** Arguments: limit, directory, then the command line for `env`. A profile must not read the script from its input. */
const RUN_LASTING = `
${SET_LOCKS}
shift
cd "$1" || { echo "lathe: no such directory: $1" >&2; exit 126; }
shift
umask 077
exec env "$@" 3<&0 </dev/null`;

/** The same shells as on this machine (`waitingShell`). */
const FRESH_BASH = ["bash", "--norc", "--noprofile", "-c", loader(3, ""), "bash"];
const LOGIN_BASH = ["bash", "--login", "-i", "-c", loader(3, READ_RC), "bash"];

const TAKE_REPORT = '[ -O "$1" ] && [ -f "$1" ] && [ ! -L "$1" ] && cat -- "$1"; rm -f -- "$1"';

const WATCH = `exec env -i PATH="$PATH" sh -c "$1" lathe-watchdog "$2" "$3"`;

/** Works wherever a local program can reach a shell; the base of the ssh and container environments. */
export class RemoteEnvironment implements ExecutionEnvironment {
  readonly identity: string;
  readonly #options: RemoteOptions;
  readonly #transport: RemoteTransport;
  readonly #processes: Processes;
  readonly #files: ShellFiles;
  readonly #held: HeldShell;
  /** Different from the mark of local commands, because over loopback both run on one machine. */
  readonly #farOwner: string;
  #opened: Promise<void> | undefined;
  #system = { name: "Linux", version: "unknown" };
  #watchdog: BackgroundCommand | undefined;
  #bash: Promise<boolean> | undefined;
  #commands = 0;
  #writes = 0;

  constructor(transport: RemoteTransport, options: RemoteOptions) {
    this.#options = options;
    this.#transport = transport;
    this.identity = `${transport.target} ${options.cwd}`;
    this.#processes = new Processes(options);
    this.#farOwner = `${this.#processes.owner}@far`;
    this.#files = new ShellFiles((call) => this.#script(call));
    this.#held = new HeldShell(
      () => this.#processes.open({ ...this.#local(HELD_SHELL, []), program: transport.name }),
      options.clock ?? monotonicClock,
    );
  }

  workingDirectory(): string {
    return this.#options.cwd;
  }

  platform(): "darwin" | "linux" | "windows" | "wasm" {
    return this.#system.name === "Darwin" ? "darwin" : "linux";
  }

  osVersion(): string {
    return `${this.#system.name} ${this.#system.version}`;
  }

  resolve(path: string): string {
    return posix.resolve(this.#options.cwd, path);
  }

  async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return lineWindow((await this.readBytes(path)).toString("utf8"), offset, limit);
  }

  readBytes(path: string, range?: { start: number; end: number }): Promise<Buffer> {
    return this.#files.readBytes(this.resolve(path), range);
  }

  writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    const temp = `.lathe-${this.#processes.owner.replace(/[^\w-]/g, "")}-${++this.#writes}.tmp`;
    return this.#files.writeFile(this.resolve(path), content, temp, options);
  }

  deleteFile(path: string, options: PathOptions = {}): Promise<void> {
    return this.#files.deleteFile(this.resolve(path), options);
  }

  moveFile(from: string, to: string, options: PathOptions = {}): Promise<void> {
    return this.#files.moveFile(this.resolve(from), this.resolve(to), options);
  }

  async fileExists(path: string): Promise<boolean> {
    const stat = await this.stat(path);
    return stat !== undefined && stat.kind !== "dangling";
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.#files.stat(this.resolve(path));
  }

  listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    return this.#files.listDirectory(this.resolve(path), depth);
  }

  async execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    await this.#open();
    const { shell } = options;
    if (shell && (await this.#hasBash())) return this.#runLasting(command, timeoutMs, shell, options);
    return this.#processes.run({ ...this.#request(command, { cwd: shell?.cwd, ...options }), timeoutMs });
  }

  startCommand(command: string, options: ExecOptions = {}): BackgroundCommand {
    return this.#processes.start(command, this.#request(command, options));
  }

  async startProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<TwoWayProcess> {
    await this.#open();
    const { mark, variables } = this.#nextCommand(options.env);
    const far = {
      name: this.#transport.name,
      processes: this.#processes,
      clock: this.#options.clock ?? monotonicClock,
      local: (script: string, args: readonly string[]) => this.#local(script, args),
      script: (script: string, args: readonly string[]) => this.#script({ script, args, once: true }),
      end: (ended: Mark) => this.#endFar(ended),
    };
    return startFar(far, { argv, mark, cwd: this.resolve(options.cwd ?? "."), variables }, options);
  }

  async connect(port: number, options: ConnectOptions = {}): Promise<Duplex> {
    await this.#open();
    const forward = this.#transport.forward?.(port);
    if (!forward) return connectByRelay(this, port, options);
    const program = { ...this.#local("", []), ...forward };
    const clock = this.#options.clock ?? monotonicClock;
    const forwarded = await connectByForwarding(this.#processes, program, port, { ...options, clock });
    // Forwarding may be forbidden on the far side; the relay can report the cause.
    return forwarded ?? connectByRelay(this, port, options);
  }

  async ownsPort(port: number): Promise<boolean> {
    const { entry, locks } = ownerMark(this.#farOwner);
    return (await this.#script({ script: OWNS_PORT, args: [String(port), entry, locks] })).exitCode === 0;
  }

  grep(pattern: string, path: string, options: GrepOptions = {}): Promise<GrepResult> {
    const { base = this.#options.cwd } = options;
    return builtinSearch(this.#searchFs()).grep(pattern, this.resolve(path), base, options);
  }

  glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    const { base = this.#options.cwd } = options;
    return builtinSearch(this.#searchFs()).glob(pattern, this.resolve(path), base, options);
  }

  async initialize(): Promise<void> {
    const script = '[ -d "$1" ] && uname -s && uname -r';
    const { stdout } = await this.#script({ script, args: [this.#options.cwd] });
    const [name, version] = stdout.toString("utf8").split("\n");
    if (!name || !version) {
      const message = `Directory not found on ${this.#transport.name}: ${this.#options.cwd}. Create it or choose another.`;
      throw new EnvError("not_found", message, { path: this.#options.cwd });
    }
    this.#system = { name, version };
  }

  async cleanup(): Promise<void> {
    this.#processes.expectEnd();
    if (this.#opened !== undefined) {
      await this.#held.end();
      if (this.#watchdog?.running) await this.#endFar(ownerMark(this.#farOwner));
      await this.#transport.close?.(this.#processes);
    }
    this.#watchdog = undefined;
    this.#opened = undefined;
    await this.#processes.cleanup();
  }

  #open(): Promise<void> {
    if (this.#opened !== undefined) return this.#opened;
    const opening = this.#transport.open?.(this.#processes) ?? Promise.resolve();
    this.#opened = opening;
    // The next call tries again.
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined;
    });
    return opening;
  }

  #request(command: string, options: ExecOptions): Omit<RunRequest, "timeoutMs"> {
    const { cwd, env, shell: _, ...rest } = options;
    const { mark, variables } = this.#nextCommand(env);
    return {
      ...rest,
      ...this.#local(options.interleaved ? `${RUN_COMMAND} 2>&1` : RUN_COMMAND, [
        mark.locks,
        this.resolve(cwd ?? "."),
        command,
        ...variables,
      ]),
      endFirst: () => this.#endFar(mark),
    };
  }

  /** Other shells cannot report their state, so without bash no state is kept. */
  #hasBash(): Promise<boolean> {
    this.#bash ??= this.#script({ script: "command -v bash", args: [] }).then(({ exitCode }) => exitCode === 0);
    this.#bash.catch(() => {
      this.#bash = undefined;
    });
    return this.#bash;
  }

  /** The state travels over the connection with the command, and comes back in a file that we fetch. */
  async #runLasting(
    command: string,
    timeoutMs: number,
    shell: LastingShellOptions,
    options: ExecOptions,
  ): Promise<ExecResult> {
    const { cwd, env, shell: _, ...rest } = options;
    const { mark, variables } = this.#nextCommand({ ...env, BASH_ENV: "" });
    const file = `/tmp/lathe-shell-${mark.locks}-${this.#processes.owner.replace(/[^\w-]/g, "")}`;
    const script = lastingScript({ ...shell, command, startEnv: env ?? {}, report: { file } });
    const run = options.interleaved ? `${RUN_LASTING} 2>&1` : RUN_LASTING;
    const result = await this.#processes.run({
      ...rest,
      ...this.#local(run, [
        mark.locks,
        this.resolve(cwd ?? "."),
        ...variables,
        ...(shell.login ? LOGIN_BASH : FRESH_BASH),
      ]),
      stdin: Buffer.concat([frameScript(stateText(shell.state, env ?? {})), frameScript(script)]),
      timeoutMs,
      endFirst: () => this.#endFar(mark),
    });
    const isWhole = !result.timedOut && !result.aborted && result.signal === undefined;
    // A command that was cut off may write its report later; it cannot affect the next one, whose file has another
    // name.
    const { stdout } = await this.#script({ script: TAKE_REPORT, args: [file] });
    const state = isWhole ? readShellState(stdout.toString("utf8")) : undefined;
    return state ? { ...result, shell: state } : result;
  }

  #nextCommand(env: ExecOptions["env"]): { mark: Mark; variables: readonly string[] } {
    const number = ++this.#commands;
    const owner = this.#farOwner;
    this.#watch();
    const variables = Object.entries({ ...env, ...markVariables(owner, number) }).map((pair) => pair.join("="));
    return { mark: commandMark(owner, number), variables };
  }

  /** A watchdog on the far side: its input ends when we or the connection do. */
  #watch(): void {
    if (this.#watchdog?.running) return;
    const { entry, locks } = ownerMark(this.#farOwner);
    const request = this.#local(WATCH, [WATCHDOG_SCRIPT, entry, locks]);
    this.#watchdog = this.#processes.start("watchdog", { ...request, stdin: "held" });
  }

  /** Best effort: if the far side cannot be reached, its watchdog ends what we started there. */
  async #endFar({ entry, locks }: Mark): Promise<void> {
    try {
      const call = { script: `${WATCH} </dev/null`, args: [WATCHDOG_SCRIPT, entry, locks] };
      await this.#ownProgram(call, END_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof EnvError)) throw error;
    }
  }

  async #script(call: ScriptCall): Promise<ScriptResult> {
    await this.#open();
    const result = await this.#held.run(call, SCRIPT_TIMEOUT_MS);
    if (typeof result === "object") return result;
    if (result === "late") throw this.#unavailable(noAnswer(SCRIPT_TIMEOUT_MS));
    if (result === "ended") throw this.#unavailable("it was closed during the operation");
    if (result === "died" && call.once) throw this.#unavailable("connection lost during the operation");
    return this.#ownProgram(call, SCRIPT_TIMEOUT_MS);
  }

  async #ownProgram({ script, args, stdin }: ScriptCall, timeoutMs: number): Promise<ScriptResult> {
    await this.#open();
    const chunks: Buffer[] = [];
    const { exitCode, stderr, timedOut } = await this.#processes.run({
      ...this.#local(script, args),
      timeoutMs,
      stdin: stdin ?? new Uint8Array(),
      onStdout: (chunk) => chunks.push(chunk),
    });
    if (timedOut) throw this.#unavailable(noAnswer(timeoutMs));
    if (CONNECTION_FAILED.includes(exitCode)) throw this.#unavailable(stderr.trim() || "connection failed");
    return { exitCode, stderr, stdout: Buffer.concat(chunks) };
  }

  #unavailable(reason: string): EnvError {
    return new EnvError("unavailable", `${this.#transport.name}: ${reason}. Check that it is reachable and try again.`);
  }

  #local(script: string, args: readonly string[]): Pick<RunRequest, "argv" | "cwd" | "env"> {
    return {
      argv: this.#transport.argv(script, args),
      cwd: "/",
      env: commandEnv(this.#options.baseEnv, { policy: "inherit_all" }),
    };
  }

  #searchFs() {
    return remoteSearchFs((call) => this.#script(call));
  }
}

const noAnswer = (timeoutMs: number): string => `no answer within ${timeoutMs / 1000} s`;
