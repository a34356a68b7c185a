// An environment without a disk: a map holds the files. For tests, for hosts without a file system and for dry runs.

import { randomUUID } from "node:crypto";
import { dirname, normalize, resolve } from "node:path/posix";
import { runnable } from "./file-mode.ts";
import { pathError } from "./fs-error.ts";
import { lineWindow } from "./lines.ts";
import { builtinSearch } from "./search/builtin.ts";
import type { SearchEntry, SearchFs } from "./search/search-fs.ts";
import {
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
  type WriteOptions,
} from "./types.ts";

/** The initial files of a memory environment, and the handler of its commands. */
export interface MemoryEnvironmentOptions {
  /** Absolute; `/work` if absent. */
  readonly cwd?: string | undefined;
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined;
  /** Timestamps for files; if absent, each write is one millisecond after the last. */
  readonly now?: (() => number) | undefined;
  /** Runs commands; if absent, commands are unavailable. */
  readonly exec?: ((command: string, timeoutMs: number, options: ExecOptions) => Promise<ExecResult>) | undefined;
}

interface MemoryFile {
  bytes: Buffer;
  mode: number;
  mtimeMs: number;
}

/** Files in memory, for tests and for hosts without a disk; commands only run if the host supplies them. */
export class MemoryEnvironment implements ExecutionEnvironment {
  readonly identity = `memory ${randomUUID()}`;
  readonly #cwd: string;
  readonly #files = new Map<string, MemoryFile>();
  readonly #directories = new Set<string>(["/"]);
  readonly #exec: MemoryEnvironmentOptions["exec"];
  readonly #now: () => number;

  constructor(options: MemoryEnvironmentOptions = {}) {
    let ticks = 0;
    this.#now = options.now ?? (() => ++ticks);
    this.#cwd = normalize(options.cwd ?? "/work");
    this.#exec = options.exec;
    this.#addDirectories(this.#cwd);
    for (const [path, content] of Object.entries(options.files ?? {})) this.#put(this.resolve(path), content, 0o644);
  }

  workingDirectory(): string {
    return this.#cwd;
  }

  platform(): "wasm" {
    return "wasm";
  }

  osVersion(): string {
    return "memory";
  }

  resolve(path: string): string {
    return resolve(this.#cwd, path);
  }

  async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return lineWindow(this.#file(path).bytes.toString("utf8"), offset, limit);
  }

  async readBytes(path: string, range?: { start: number; end: number }): Promise<Uint8Array> {
    const { bytes } = this.#file(path);
    return Buffer.from(range === undefined ? bytes : bytes.subarray(range.start, Math.max(range.start, range.end)));
  }

  async writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    const full = this.resolve(path);
    if (this.#directories.has(full)) throw pathError("is_directory", full);
    const mode = options.mode ?? this.#files.get(full)?.mode ?? 0o644;
    this.#put(full, content, options.executable ? runnable(mode) : mode);
  }

  async deleteFile(path: string): Promise<void> {
    this.#file(path);
    this.#files.delete(this.resolve(path));
  }

  async moveFile(from: string, to: string): Promise<void> {
    const [source, target] = [this.resolve(from), this.resolve(to)];
    if (this.#directories.has(target)) throw pathError("is_directory", target);
    if (this.#directories.has(source)) {
      for (const [path, file] of [...this.#files]) {
        if (!path.startsWith(`${source}/`)) continue;
        this.#files.delete(path);
        this.#insert(target + path.slice(source.length), file);
      }
      for (const path of [...this.#directories]) {
        if (path !== source && !path.startsWith(`${source}/`)) continue;
        this.#directories.delete(path);
        this.#addDirectories(target + path.slice(source.length));
      }
      return;
    }
    const file = this.#file(source);
    this.#files.delete(source);
    this.#insert(target, file);
  }

  async fileExists(path: string): Promise<boolean> {
    const full = this.resolve(path);
    return this.#files.has(full) || this.#directories.has(full);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const full = this.resolve(path);
    const file = this.#files.get(full);
    if (file !== undefined) {
      const { bytes, mtimeMs, mode } = file;
      return { kind: "file", size: bytes.length, mtimeMs, mode, realPath: full, isSymlink: false };
    }
    if (!this.#directories.has(full)) return undefined;
    return { kind: "directory", size: 0, mtimeMs: 0, mode: 0o755, realPath: full, isSymlink: false };
  }

  async listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    const full = this.#directory(path);
    const result: DirEntry[] = [];
    const walk = (directory: string, prefix: string, left: number): void => {
      for (const { name, kind } of this.#entries(directory)) {
        const child = resolve(directory, name);
        if (kind === "directory") {
          result.push({ name: prefix + name, isDir: true });
          if (left > 1) walk(child, `${prefix}${name}/`, left - 1);
        } else result.push({ name: prefix + name, isDir: false, size: this.#files.get(child)!.bytes.length });
      }
    };
    walk(full, "", depth);
    return result;
  }

  async execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    if (this.#exec !== undefined) return this.#exec(command, timeoutMs, options);
    throw new EnvError("unavailable", "Commands cannot run in this environment. Use the file tools instead.");
  }

  async connect(port: number): Promise<never> {
    throw new EnvError("unavailable", `Port ${port} cannot be reached: an environment in memory has no ports.`);
  }

  grep(pattern: string, path: string, options: GrepOptions = {}): Promise<GrepResult> {
    return builtinSearch(this.#searchFs()).grep(pattern, this.resolve(path), options.base ?? this.#cwd, options);
  }

  glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    return builtinSearch(this.#searchFs()).glob(pattern, this.resolve(path), options.base ?? this.#cwd, options);
  }

  async initialize(): Promise<void> {}
  async cleanup(): Promise<void> {}

  #file(path: string): MemoryFile {
    const full = this.resolve(path);
    const file = this.#files.get(full);
    if (file !== undefined) return file;
    if (this.#directories.has(full)) throw pathError("is_directory", full);
    throw pathError(this.#files.has(dirname(full)) ? "not_directory" : "not_found", full);
  }

  #directory(path: string): string {
    const full = this.resolve(path);
    if (this.#directories.has(full)) return full;
    throw pathError(this.#files.has(full) ? "not_directory" : "not_found", full);
  }

  #put(path: string, content: string | Uint8Array, mode: number): void {
    // A copy, because the caller may keep using its buffer.
    this.#insert(path, { bytes: Buffer.from(content as Uint8Array), mode, mtimeMs: this.#now() });
  }

  #insert(path: string, file: MemoryFile): void {
    this.#addDirectories(dirname(path));
    this.#files.set(path, file);
  }

  #addDirectories(path: string): void {
    for (let at = path; !this.#directories.has(at); at = dirname(at)) {
      if (this.#files.has(at)) throw pathError("not_directory", at);
      this.#directories.add(at);
    }
  }

  #entries(directory: string): SearchEntry[] {
    const prefix = directory === "/" ? "/" : `${directory}/`;
    const entries: SearchEntry[] = [];
    const direct = (path: string) => path !== "/" && path.startsWith(prefix) && !path.includes("/", prefix.length);
    for (const path of this.#directories) {
      if (direct(path)) entries.push({ name: path.slice(prefix.length), kind: "directory" });
    }
    for (const path of this.#files.keys()) {
      if (direct(path)) entries.push({ name: path.slice(prefix.length), kind: "file" });
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #searchFs(): SearchFs {
    return {
      kinds: async (paths) =>
        paths.map((path) => (this.#files.has(path) ? "file" : this.#directories.has(path) ? "directory" : undefined)),
      entries: async (directory) => this.#entries(directory),
      read: async (paths) => paths.map((path) => this.#file(path).bytes),
      mtimeMs: async (path) => this.#file(path).mtimeMs,
    };
  }
}
