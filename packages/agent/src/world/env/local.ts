// The environment of the local machine: files directly, commands through `Processes`, search through ripgrep.

import { readFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Duplex } from "node:stream";
import type { Clock } from "../process/clock.ts";
import type { Confinement } from "../process/confinement.ts";
import { commandEnv, type EnvPolicy, type EnvVars, withheldNames } from "../process/env-policy.ts";
import type { GovernorLimits } from "../process/governor.ts";
import { Processes } from "../process/processes.ts";
import type { OpenedProcess } from "../process/requests.ts";
import { BASH, SH, shellArgv } from "../process/shell-argv.ts";
import { fromErrno, pathError } from "./fs-error.ts";
import { Gate } from "./gate.ts";
import { isInside } from "./is-inside.ts";
import { lineWindow } from "./lines.ts";
import * as files from "./local-files.ts";
import type { LocalPorts } from "./port.ts";
import type { PortOwners } from "./port-owners.ts";
import { RenameWatches } from "./rename-watch.ts";
import type { Search, SearchEngine } from "./search/types.ts";
import {
  type BackgroundCommand,
  type ByteRange,
  type ConnectOptions,
  type DeleteOptions,
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
  type PathOptions,
  type ProcessOptions,
  type ProgramArgv,
  type ReadOptions,
  type TerminalCommand,
  type TerminalOptions,
  type WriteOptions,
} from "./types.ts";

type Surroundings = Pick<ExecOptions, "cwd" | "env" | "internal" | "isUsers">;

/** The directory of a local environment, and what its commands see. */
export interface LocalEnvironmentOptions {
  /** Absolute. */
  readonly cwd: string;
  /** The host's environment, usually `process.env`. */
  readonly baseEnv: EnvVars;
  /** Which of these variables commands see; `filtered` if absent. */
  readonly envPolicy?: EnvPolicy | undefined;
  /** Names, or patterns with `*`, of variables that commands see in addition. */
  readonly envPass?: readonly string[] | undefined;
  /**
   * Called once, before the first command, with the names of `baseEnv` that are hidden from commands; not called if
   * there are none.
   */
  readonly onWithheld?: ((names: readonly string[]) => void) | undefined;
  /** File operations outside these directories are refused (symlinks resolved). Commands are not confined. */
  readonly roots?: readonly string[] | undefined;
  /** Value of the mark on our commands; unique on the machine. */
  readonly owner?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Limits for all commands together, and the expected memory of one; a command waits while less is free. */
  readonly limits?: GovernorLimits | undefined;
  /** Commands and searches run inside it; SandboxedLocalEnvironment supplies one. */
  readonly confinement?: Confinement | undefined;
  /** `ripgrep` fails without the program, `builtin` never starts one; the default uses ripgrep if it is available. */
  readonly search?: SearchEngine | undefined;
}

/** Number of file operations that run in parallel: more are no faster, and each may hold files open. */
const MOST_AT_ONCE = 32;

/** Files and commands of the machine that this process runs on. */
export class LocalEnvironment implements ExecutionEnvironment {
  /** Number of environments with a confinement in this process. */
  static #confined = 0;
  readonly identity: string;
  readonly #options: LocalEnvironmentOptions;
  readonly #processes: Processes;
  readonly #disk = new Gate(MOST_AT_ONCE);
  #engine: Promise<Search> | undefined;
  #writes = 0;
  readonly #renames = new RenameWatches();
  #toldWithheld = false;
  #connecting: Promise<typeof import("./port.ts")> | undefined;
  #ports: LocalPorts | undefined;
  #owners: Promise<PortOwners> | undefined;

  constructor(options: LocalEnvironmentOptions) {
    if (!isAbsolute(options.cwd)) throw new TypeError(`cwd must be an absolute path: ${options.cwd}`);
    this.#options = options;
    // A confinement may show other files and ports.
    this.identity = options.confinement ? `confined ${++LocalEnvironment.#confined}` : `local ${options.cwd}`;
    this.#processes = new Processes(options);
  }

  /** Every policy passes it on, except the one that passes nothing. */
  get home(): string | undefined {
    return this.#options.envPolicy === "inherit_none" ? undefined : this.#options.baseEnv["HOME"];
  }

  get exported(): ReadonlySet<string> {
    return new Set(Object.keys(this.#surroundings({ internal: true }).env));
  }

  workingDirectory(): string {
    return this.#options.cwd;
  }

  platform(): "darwin" | "linux" | "windows" | "wasm" {
    return process.platform === "darwin" ? "darwin" : process.platform === "win32" ? "windows" : "linux";
  }

  osVersion(): string {
    // Reading the release from a file is faster than loading node:os.
    const release = process.platform === "linux" ? kernelRelease() : undefined;
    return release === undefined ? `${os.type()} ${os.release()}` : `Linux ${release}`;
  }

  resolve(path: string): string {
    return resolve(this.#options.cwd, path);
  }

  async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return lineWindow((await this.readBytes(path)).toString("utf8"), offset, limit);
  }

  async readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Buffer> {
    const allowed = await this.#checkAllowed(path);
    return this.#disk.run(() => files.readBytes(allowed, range, options));
  }

  async writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    const target = await this.#resolveForChange(path, "target", options);
    const temp = options.temp ?? this.#tempName();
    await this.#disk.run(() =>
      files.writeAtomically(target.path, content, temp, { ...options, ...target }, this.#renames),
    );
  }

  async deleteFile(path: string, options: DeleteOptions = {}): Promise<void> {
    const entry = await this.#resolveForChange(path, "entry", options);
    const temp = options.temp ?? this.#tempName();
    await this.#disk.run(() => files.deleteFile(entry.path, temp, { ...options, ...entry }));
  }

  async moveFile(from: string, to: string, options: PathOptions = {}): Promise<void> {
    const source = await this.#resolveForChange(from, "entry", options);
    const target = await this.#resolveForChange(to, "entry", options);
    const temp = this.#tempName();
    await this.#disk.run(() => files.moveFile(source.path, target.path, temp, source));
  }

  async fileExists(path: string): Promise<boolean> {
    const stat = await this.stat(path);
    return stat !== undefined && stat.kind !== "dangling";
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return files.statFile(await this.#checkAllowed(path));
  }

  async listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    const allowed = await this.#checkAllowed(path);
    return this.#disk.run(() => files.listDirectory(allowed, depth));
  }

  localPath(realPath: string): Promise<string> {
    return this.#checkAllowed(realPath);
  }

  execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    return this.#processes.run({ ...this.#request(command, options), timeoutMs });
  }

  startCommand(command: string, options: ExecOptions = {}): BackgroundCommand {
    return this.#processes.start(command, this.#request(command, options));
  }

  startProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<OpenedProcess> {
    return this.#processes.open({ ...options, argv, ...this.#surroundings(options) });
  }

  startTerminal(command: string, options: TerminalOptions): Promise<TerminalCommand> {
    return this.#processes.terminal(command, { ...options, ...this.#surroundings(options) });
  }

  async connect(port: number, options: ConnectOptions = {}): Promise<Duplex> {
    // Loaded with the first connection.
    this.#connecting ??= import("./port.ts");
    const { connectByRelay, LocalPorts } = await this.#connecting;
    if (this.#options.confinement?.hasOwnNetwork) return connectByRelay(this, port, options);
    this.#ports ??= new LocalPorts();
    return this.#ports.connect(port, options);
  }

  async ownsPort(port: number): Promise<boolean> {
    // No other program can listen there.
    if (this.#options.confinement?.hasOwnNetwork) return true;
    if (!this.#processes.hasStarted) return false;
    this.#owners ??= import("./port-owners.ts").then(({ PortOwners }) => new PortOwners(this.#processes.owner));
    return (await this.#owners).owns(port);
  }

  async grep(pattern: string, path: string, options: GrepOptions = {}): Promise<GrepResult> {
    return (await this.#search()).grep(
      pattern,
      await this.#checkAllowed(path),
      options.base ?? this.#options.cwd,
      options,
    );
  }

  async glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    const directory = await this.#checkAllowed(path);
    if (this.#options.roots !== undefined) {
      const { globDirectory } = await import("./search/path-glob.ts");
      await this.#checkAllowed(resolve(directory, globDirectory(pattern)));
    }
    return (await this.#search()).glob(pattern, directory, options.base ?? this.#options.cwd, options);
  }

  async initialize(): Promise<void> {
    const { cwd } = this.#options;
    const stat = await fs.stat(cwd).catch((error: unknown) => {
      const cause = fromErrno(error, cwd);
      if (cause.code !== "not_found") throw cause;
      throw new EnvError("not_found", `The working directory ${cwd} does not exist.`, { path: cwd, cause });
    });
    if (!stat.isDirectory())
      throw new EnvError("not_directory", `The working directory ${cwd} is not a directory.`, { path: cwd });
  }

  hasRoom(ahead: number): boolean {
    return this.#processes.hasRoom(ahead);
  }

  endLeftBehind(): Promise<number> {
    return this.#processes.endLeftBehind();
  }

  async cleanup(): Promise<void> {
    this.#ports?.end();
    await this.#processes.cleanup();
  }

  #request(command: string, { shell, ...options }: ExecOptions) {
    // Internal commands need no bash, which takes twice as long to start.
    const argv: ProgramArgv = options.internal ? [SH, "-c", command] : shellArgv(command);
    if (shell === undefined || argv[0] !== BASH)
      return { ...options, argv, ...this.#surroundings({ cwd: shell?.cwd, ...options }) };
    return { ...options, argv, ...this.#surroundings(options), shell: { ...shell, command } };
  }

  #surroundings({ cwd, env, internal = false, isUsers = false }: Surroundings) {
    const { baseEnv, envPolicy = "filtered", envPass = [], onWithheld } = this.#options;
    const rules = { policy: isUsers ? "inherit_all" : envPolicy, pass: envPass } as const;
    if (!internal && !isUsers && !this.#toldWithheld && onWithheld !== undefined) {
      this.#toldWithheld = true;
      const names = withheldNames(baseEnv, rules);
      if (names.length > 0) onWithheld(names);
    }
    return {
      cwd: cwd === undefined ? this.#options.cwd : this.resolve(cwd),
      env: commandEnv(baseEnv, rules, env),
    };
  }

  #search(): Promise<Search> {
    const { search, baseEnv, confinement } = this.#options;
    const onDisk = (path: string): string => confinement?.hostPath(path) ?? path;
    // Loaded with the first search.
    this.#engine ??= import("./search/local.ts").then(({ localSearch }) =>
      localSearch(search ?? "auto", this.#processes, baseEnv, onDisk),
    );
    return this.#engine;
  }

  #tempName(): string {
    return `.lathe-${this.#processes.owner.replace(/[^\w-]/g, "")}-${++this.#writes}.tmp`;
  }

  /**
   * For changes: with roots, the real path is checked and then used, so that a link created meanwhile cannot redirect
   * the change.
   */
  async #resolveForChange(path: string, what: "target" | "entry", { noLinks = false }: PathOptions) {
    const full = this.resolve(path);
    if (this.#options.roots === undefined || noLinks) return { path: await this.#checkAllowed(full), noLinks };
    // Deleting or moving a link changes the link itself, not its target.
    const real =
      what === "target"
        ? await files.realOrNearest(full)
        : join(await files.realOrNearest(dirname(full)), basename(full));
    return { path: await this.#checkAllowed(real), noLinks: true };
  }

  async #checkAllowed(path: string): Promise<string> {
    const full = this.resolve(path);
    const { roots } = this.#options;
    if (roots === undefined) return full;
    const real = await files.realOrNearest(full);
    for (const root of roots) {
      if (isInside(real, await files.realOrNearest(resolve(root)))) return full;
    }
    throw pathError("outside_root", full);
  }
}

function kernelRelease(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/osrelease", "utf8").trim();
  } catch {
    return undefined; // no /proc here
  }
}
