// An environment that records what is really opened.

import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { ExecOptions, ExecResult } from "@lathe/agent";
import { WrappedEnvironment, type WriteOptions } from "@lathe/agent/world";

/** Records where bytes are really read, written and run, with links resolved at that moment. */
export class Witness extends WrappedEnvironment {
  readonly written: string[] = [];
  readonly ran: { command: string; cwd: string }[] = [];

  #real(path: string): string {
    const absolute = this.resolve(path);
    if (existsSync(absolute)) return realpathSync(absolute);
    let parent = dirname(absolute);
    while (!existsSync(parent)) parent = dirname(parent);
    return realpathSync(parent) + absolute.slice(parent.length);
  }
  override writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
    this.written.push(this.#real(path));
    return super.writeFile(path, content, options);
  }
  override deleteFile(path: string): Promise<void> {
    this.written.push(this.#real(path));
    return super.deleteFile(path);
  }
  override moveFile(from: string, to: string): Promise<void> {
    this.written.push(this.#real(from), this.#real(to));
    return super.moveFile(from, to);
  }
  override execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    this.ran.push({ command, cwd: this.#real(options.cwd ?? ".") });
    return super.execCommand(command, timeoutMs, options);
  }

  protected override startInner(command: string, options: ExecOptions = {}) {
    this.ran.push({ command, cwd: this.#real(options.cwd ?? ".") });
    return super.startInner(command, options);
  }
}
