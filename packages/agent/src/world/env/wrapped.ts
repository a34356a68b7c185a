// An environment that delegates everything. Wrappers override what they change and inherit the rest.

import type { Duplex } from "node:stream";
import type {
  BackgroundCommand,
  ByteRange,
  ConnectOptions,
  DeleteOptions,
  DirEntry,
  ExecOptions,
  ExecResult,
  ExecutionEnvironment,
  FileStat,
  GlobOptions,
  GlobResult,
  GrepOptions,
  GrepResult,
  PathOptions,
  ProcessOptions,
  ProgramArgv,
  ReadOptions,
  TerminalCommand,
  TerminalOptions,
  TwoWayProcess,
  WriteOptions,
} from "./types.ts";

/** Delegates everything to another environment; extend it and override what should differ. */
export class WrappedEnvironment implements ExecutionEnvironment {
  protected readonly inner: ExecutionEnvironment;
  /** Present only when the wrapped environment can keep background commands. */
  readonly startCommand?: (command: string, options?: ExecOptions) => BackgroundCommand;

  /** Present only when the wrapped environment can keep two-way processes. */
  readonly startProcess?: (argv: ProgramArgv, options?: ProcessOptions) => Promise<TwoWayProcess>;

  /** Present only when the wrapped environment has terminals. */
  readonly startTerminal?: (command: string, options: TerminalOptions) => Promise<TerminalCommand>;

  constructor(inner: ExecutionEnvironment) {
    this.inner = inner;
    if (inner.startTerminal !== undefined) {
      this.startTerminal = (command, options) => this.startInnerTerminal(command, options);
    }
    if (inner.startCommand !== undefined) {
      this.startCommand = (command, options) => this.startInner(command, options);
    }
    if (inner.startProcess !== undefined) {
      this.startProcess = (argv, options) => this.startInnerProcess(argv, options);
    }
  }

  protected startInner(command: string, options: ExecOptions = {}): BackgroundCommand {
    return this.inner.startCommand!(command, options);
  }

  protected startInnerProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<TwoWayProcess> {
    return this.inner.startProcess!(argv, options);
  }

  protected startInnerTerminal(command: string, options: TerminalOptions): Promise<TerminalCommand> {
    return this.inner.startTerminal!(command, options);
  }

  get identity(): string {
    return this.inner.identity;
  }

  get isSandboxed(): boolean {
    return this.inner.isSandboxed ?? false;
  }

  get showsCommands(): boolean {
    return this.inner.showsCommands ?? false;
  }

  get privateFolders(): readonly string[] {
    return this.inner.privateFolders ?? [];
  }

  get home(): string | undefined {
    return this.inner.home;
  }

  get exported(): ReadonlySet<string> | undefined {
    return this.inner.exported;
  }

  workingDirectory(): string {
    return this.inner.workingDirectory();
  }

  platform(): "darwin" | "linux" | "windows" | "wasm" {
    return this.inner.platform();
  }

  osVersion(): string {
    return this.inner.osVersion();
  }

  resolve(path: string): string {
    return this.inner.resolve(path);
  }

  readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return this.inner.readFile(path, offset, limit);
  }

  readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array> {
    return this.inner.readBytes(path, range, options);
  }

  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
    return this.inner.writeFile(path, content, options);
  }

  deleteFile(path: string, options?: DeleteOptions): Promise<void> {
    return this.inner.deleteFile(path, options);
  }

  moveFile(from: string, to: string, options?: PathOptions): Promise<void> {
    return this.inner.moveFile(from, to, options);
  }

  fileExists(path: string): Promise<boolean> {
    return this.inner.fileExists(path);
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.inner.stat(path);
  }

  listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    return this.inner.listDirectory(path, depth);
  }

  async localPath(realPath: string, purpose: "read" | "write"): Promise<string | undefined> {
    return this.inner.localPath?.(realPath, purpose);
  }

  async unsavedFiles(): Promise<readonly string[]> {
    return (await this.inner.unsavedFiles?.()) ?? [];
  }

  hasRoom(ahead: number): boolean {
    return this.inner.hasRoom?.(ahead) ?? true;
  }

  execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    return this.inner.execCommand(command, timeoutMs, options);
  }

  connect(port: number, options?: ConnectOptions): Promise<Duplex> {
    return this.inner.connect(port, options);
  }

  async ownsPort(port: number): Promise<boolean> {
    return (await this.inner.ownsPort?.(port)) ?? false;
  }

  grep(pattern: string, path: string, options: GrepOptions = {}): Promise<GrepResult> {
    return this.inner.grep(pattern, path, options);
  }

  glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    return this.inner.glob(pattern, path, options);
  }

  initialize(): Promise<void> {
    return this.inner.initialize();
  }

  async endLeftBehind(): Promise<number> {
    return (await this.inner.endLeftBehind?.()) ?? 0;
  }

  cleanup(): Promise<void> {
    return this.inner.cleanup();
  }
}
