// Keeps the unsent text of the composer in a small file, so that a crash does not lose it. Each process has its own
// file: two processes may work in one project, and a draft is only taken over from a process that is gone.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

export interface DraftPlace {
  /** The folder of all drafts. */
  readonly folder: string;
  readonly cwd: string;
  readonly pid: number;
}

export interface DraftTimer {
  setTimer(callback: () => void, ms: number): { cancel(): void };
  isAlive(pid: number): boolean;
}

const DELAY_MS = 400;

export class Draft {
  readonly #folder: string;
  readonly #project: string;
  readonly #own: string;
  readonly #timer: DraftTimer;
  #text: () => string = () => "";
  #kept = "";
  #waiting: { cancel(): void } | undefined;

  constructor({ folder, cwd, pid }: DraftPlace, timer: DraftTimer) {
    this.#folder = folder;
    this.#project = `${cwd.replace(/[^A-Za-z0-9.]+/g, "-").slice(-150)}.`;
    this.#own = `${folder}/${this.#project}${pid}`;
    this.#timer = timer;
  }

  /** Takes over the draft of a process that ended without sending it. */
  adopt(): string {
    for (const name of this.#namesLeft()) {
      if (!this.#take(`${this.#folder}/${name}`)) continue;
      const text = readFileSync(this.#own, "utf8");
      this.#kept = text;
      if (text.trim() === "") continue;
      this.#text = () => text;
      return text;
    }
    return "";
  }

  /** False: another process that started at the same time was faster. */
  #take(file: string): boolean {
    try {
      renameSync(file, this.#own);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  /** `text` is called when the file is written. */
  keep(text: () => string): void {
    this.#text = text;
    this.#waiting ??= this.#timer.setTimer(() => this.flush(), DELAY_MS);
  }

  /** Writes the file at once, because the process is about to end. */
  flush(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    const text = this.#text();
    if (text === this.#kept) return;
    try {
      if (text === "") rmSync(this.#own, { force: true });
      else {
        mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
        writeFileSync(this.#own, text, { mode: 0o600 });
      }
      this.#kept = text;
    } catch {
      // A full or read-only home must not keep the user from typing.
    }
  }

  #namesLeft(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => {
        const pid = name.startsWith(this.#project) ? Number(name.slice(this.#project.length)) : Number.NaN;
        return Number.isInteger(pid) && !this.#timer.isAlive(pid);
      });
    } catch {
      return []; // there are no drafts yet
    }
  }
}
