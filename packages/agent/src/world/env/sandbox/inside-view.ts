// Files as commands in a sandbox see them: if the sandbox replaces a folder by a private one, file tools use the
// private folder too.

import { basename, dirname, join } from "node:path";
import type { InsideNames } from "../../process/confinement.ts";
import { linkLoop } from "../fs-error.ts";
import { realPathOf } from "../real-path.ts";
import {
  type ByteRange,
  type DeleteOptions,
  type DirEntry,
  EnvError,
  type ExecutionEnvironment,
  type FileStat,
  type PathOptions,
  type ReadOptions,
  type WriteOptions,
} from "../types.ts";
import { WrappedEnvironment } from "../wrapped.ts";

/** A link may lead from one folder of the sandbox to another; more hops than this are a loop. */
const MOST_HOPS = 40;

/**
 * Callers use the path names that commands use. Searches and commands are passed on unchanged: the inner environment
 * runs them inside.
 */
export class InsideView extends WrappedEnvironment {
  readonly #names: InsideNames;

  constructor(inner: ExecutionEnvironment, names: InsideNames) {
    super(inner);
    this.#names = names;
  }

  override async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return this.#withInsideNames(async () => this.inner.readFile(await this.#target(path), offset, limit));
  }

  override async readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array> {
    return this.#withInsideNames(async () => this.inner.readBytes(await this.#target(path), range, options));
  }

  override async listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    return this.#withInsideNames(async () => this.inner.listDirectory(await this.#target(path), depth));
  }

  override async fileExists(path: string): Promise<boolean> {
    const stat = await this.stat(path);
    return stat !== undefined && stat.kind !== "dangling";
  }

  override async stat(path: string): Promise<FileStat | undefined> {
    const entry = await this.inner.stat(await this.#entry(path));
    if (entry === undefined) return undefined;
    if (!entry.isSymlink) return this.#nameInside(entry);
    const target = await this.#real(entry.realPath);
    const found = await this.inner.stat(target);
    return this.#nameInside(found ? { ...found, isSymlink: true } : { ...entry, kind: "dangling", realPath: target });
  }

  override async writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    await this.#withInsideNames(async () => this.inner.writeFile(await this.#target(path, options), content, options));
  }

  override async deleteFile(path: string, options: DeleteOptions = {}): Promise<void> {
    await this.#withInsideNames(async () => this.inner.deleteFile(await this.#entry(path, options), options));
  }

  override async moveFile(from: string, to: string, options: PathOptions = {}): Promise<void> {
    await this.#withInsideNames(async () => {
      await this.inner.moveFile(await this.#entry(from, options), await this.#entry(to, options), options);
    });
  }

  override async localPath(path: string, purpose: "read" | "write"): Promise<string | undefined> {
    return this.#withInsideNames(async () => super.localPath(await this.#target(path, { noLinks: true }), purpose));
  }

  #nameInside(stat: FileStat): FileStat {
    return { ...stat, realPath: this.#names.insidePath(stat.realPath) };
  }

  /** Makes errors name the path as commands do. */
  async #withInsideNames<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EnvError) || error.path === undefined) throw error;
      const path = this.#names.insidePath(error.path);
      if (path === error.path) throw error;
      throw new EnvError(error.code, error.message.replaceAll(error.path, path), { path, cause: error });
    }
  }

  /** A real path is not resolved again: if a link has appeared since, the operation fails. */
  async #target(path: string, { noLinks = false }: PathOptions = {}): Promise<string> {
    const full = this.resolve(path);
    if (noLinks) return this.#names.hostPath(full);
    const real = await this.#real(full);
    return this.#names.insidePath(real) === real ? full : real;
  }

  async #entry(path: string, { noLinks = false }: PathOptions = {}): Promise<string> {
    const full = this.resolve(path);
    const parent = dirname(full);
    const host = this.#names.hostPath(full);
    // A root below a private folder of the sandbox: only the root itself is from this machine.
    const isShown = host === full && this.#names.hostPath(parent) !== parent;
    return noLinks || isShown || parent === full ? host : join(await this.#real(parent), basename(full));
  }

  /** The real path on this machine. Links are resolved as they would be for a command. */
  async #real(path: string, hops = MOST_HOPS): Promise<string> {
    if (hops === 0) throw linkLoop(path);
    const real = await realPathOf(this.inner, this.#names.hostPath(path));
    return this.#names.hostPath(real) === real ? real : this.#real(real, hops - 1);
  }
}
