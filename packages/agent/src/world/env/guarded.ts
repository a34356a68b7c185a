// An environment that judges every change by its real target, at the moment it is made.

import { realEntryOf, realPathOf } from "./real-path.ts";
import {
  type DeleteOptions,
  EnvError,
  type ExecutionEnvironment,
  type PathOptions,
  type WriteOptions,
} from "./types.ts";
import { WrappedEnvironment } from "./wrapped.ts";

/** Decides which files may be written. */
export interface WriteGuard {
  /**
   * True, or the reason for the refusal; false if there is nothing to add. The path is absolute and contains no links.
   */
  mayWrite(realPath: string): boolean | string;
}

/**
 * Refuses writes, deletions and moves with `not_permitted` unless the guard permits the real path. The operation is
 * then done on exactly that path: if a link is put in its way after the check, it fails with `changed`. Creates the
 * directories that a write needs. Commands are not restricted: a guard is no sandbox.
 */
export class GuardedEnvironment extends WrappedEnvironment {
  readonly #guard: WriteGuard;

  constructor(inner: ExecutionEnvironment, guard: WriteGuard) {
    super(inner);
    this.#guard = guard;
  }

  override async writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    const real = options.noLinks ? this.resolve(path) : await realPathOf(this.inner, this.resolve(path));
    await this.inner.writeFile(this.#checkPermitted(path, real), content, { ...options, noLinks: true });
  }

  override async deleteFile(path: string, options: DeleteOptions = {}): Promise<void> {
    await this.inner.deleteFile(await this.#entry(path, options), { ...options, noLinks: true });
  }

  override async moveFile(from: string, to: string, options: PathOptions = {}): Promise<void> {
    const [source, target] = [await this.#entry(from, options), await this.#entry(to, options)];
    await this.inner.moveFile(source, target, { noLinks: true });
  }

  override async localPath(path: string, purpose: "read" | "write"): Promise<string | undefined> {
    if (purpose === "write") this.#checkPermitted(path, this.resolve(path));
    return super.localPath(path, purpose);
  }

  /** The real path of the entry itself, without following it if it is a link. */
  async #entry(path: string, { noLinks }: PathOptions): Promise<string> {
    const full = this.resolve(path);
    return this.#checkPermitted(path, noLinks ? full : await realEntryOf(this.inner, full));
  }

  #checkPermitted(path: string, real: string): string {
    const verdict = this.#guard.mayWrite(real);
    if (verdict === true) return real;
    const where = real === this.resolve(path) ? real : `${path} leads to ${real}`;
    const why = verdict === false ? "Ask for permission, or write elsewhere." : verdict;
    throw new EnvError("not_permitted", `Not permitted to write there: ${where}. ${why}`, { path: real });
  }
}
