// The execution environment of an editor session: files are read and written through the editor, so that unsaved text
// counts and the user sees each change there; foreground commands run in the editor's terminal. Everything else goes
// straight to this machine.

import { chmod } from "node:fs/promises";
import { EnvError, type ExecutionEnvironment } from "@lathe/agent";
import {
  type ByteRange,
  type DeleteOptions,
  type ExecOptions,
  type ExecResult,
  type FileStat,
  type ReadOptions,
  WrappedEnvironment,
  type WriteOptions,
} from "@lathe/agent/world";
import { type Editor, EditorFiles } from "./editor-files.ts";
import { type EditorTerminals, runInEditor } from "./editor-terminal.ts";

export interface EditorMachine {
  /** Absent if the client offers no files. */
  readonly editor?: Editor | undefined;
  /** Whether the file belongs to the project that the editor has open. */
  isShared(realPath: string): boolean;
  /** Absent if the client offers no terminals. */
  readonly terminals?: EditorTerminals | undefined;
}

export class AcpEnvironment extends WrappedEnvironment {
  readonly #machine: EditorMachine;
  readonly #files: EditorFiles | undefined;

  constructor(inner: ExecutionEnvironment, machine: EditorMachine) {
    super(inner);
    this.#machine = machine;
    this.#files = machine.editor && new EditorFiles(inner, machine.editor);
  }

  override get showsCommands(): boolean {
    return this.#machine.terminals !== undefined && !this.isSandboxed;
  }

  override async readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array> {
    const files = this.#filesFor(path);
    // Only readers of archives, databases and other binary formats ask for a range.
    if (!files || range !== undefined) return this.inner.readBytes(path, range, options);
    try {
      return await files.read(this.resolve(path), await this.inner.readBytes(path, range, options));
    } catch (error) {
      const isMissing = error instanceof EnvError && error.code === "not_found";
      const unsaved = isMissing ? await files.readUnsaved(this.resolve(path)) : undefined;
      if (unsaved) return unsaved;
      throw error;
    }
  }

  override async stat(path: string): Promise<FileStat | undefined> {
    const stat = await this.inner.stat(path);
    const unsaved = stat ? undefined : await this.#filesFor(path)?.readUnsaved(this.resolve(path));
    if (!unsaved) return stat;
    const realPath = this.resolve(path);
    return { kind: "file", size: unsaved.byteLength, mtimeMs: 0, mode: 0o644, realPath, isSymlink: false };
  }

  override async fileExists(path: string): Promise<boolean> {
    return (await this.inner.fileExists(path)) || (await this.#isUnsaved(path));
  }

  override async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    if (!this.#filesFor(path) || offset !== undefined || limit !== undefined)
      return this.inner.readFile(path, offset, limit);
    return Buffer.from(await this.readBytes(path)).toString("utf8");
  }

  override async writeFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    const files = this.#filesFor(path);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const isWritten = files?.canWrite && (await files.write(this.resolve(path), bytes, options));
    if (!isWritten) return this.inner.writeFile(path, content, options);
    if (options.executable) await this.#makeExecutable(path);
  }

  override async deleteFile(path: string, options: DeleteOptions = {}): Promise<void> {
    const files = this.#filesFor(path);
    const { ifContent } = options;
    if (files && ifContent) {
      const bytes = await this.inner.readBytes(path);
      if (Buffer.compare(bytes, ifContent) !== 0 && Buffer.compare(await this.readBytes(path), ifContent) === 0)
        throw new EnvError(
          "changed",
          `${path} has text in the editor that is not saved. Ask the user to save or close it there, then try again.`,
          { path },
        );
    }
    await this.inner.deleteFile(path, options);
    files?.forget(this.resolve(path));
  }

  override async unsavedFiles(): Promise<readonly string[]> {
    return this.#files?.listUnsaved() ?? [];
  }

  override execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    const { terminals } = this.#machine;
    const isForeground = !options.internal && !options.isUsers && options.onOutput !== undefined;
    if (!terminals || !isForeground || this.isSandboxed) return this.inner.execCommand(command, timeoutMs, options);
    const cwd = this.resolve(options.cwd ?? options.shell?.cwd ?? options.shell?.state?.cwd ?? ".");
    return runInEditor(terminals, { command, timeoutMs, cwd, options });
  }

  async #isUnsaved(path: string): Promise<boolean> {
    return (await this.#filesFor(path)?.readUnsaved(this.resolve(path))) !== undefined;
  }

  #filesFor(path: string): EditorFiles | undefined {
    return this.#files && this.#machine.isShared(this.resolve(path)) ? this.#files : undefined;
  }

  /** The protocol cannot set file modes, so we set the bit on the disk. */
  async #makeExecutable(path: string): Promise<void> {
    const stat = await this.inner.stat(path);
    if (stat?.kind === "file") await chmod(stat.realPath, (stat.mode & 0o777) | ((stat.mode & 0o444) >> 2));
  }
}
