// Loads isolated work when an agent needs an isolated copy, or when one may have left something behind, so that a start
// does not pay for it.

import { readdirSync } from "node:fs";
import type { Isolation, IsolationRequest } from "@lathe/agent/agents";
import { isDirectory } from "../../platform/home/small-file.ts";
import type { IsolatedWork, IsolatedWorkParts } from "./isolated-work.ts";
import { storeOf } from "./view-store.ts";

export class LazyIsolation {
  readonly #parts: IsolatedWorkParts;
  #work: IsolatedWork | undefined;
  #opened: Parameters<IsolatedWork["opened"]> | undefined;

  constructor(parts: IsolatedWorkParts) {
    this.#parts = parts;
  }

  /** The folder with the project's copies and its changes and commits in progress. */
  get store(): string {
    return storeOf(this.#parts.workspace);
  }

  /** Undoes and removes what killed processes left behind, before a caller asks what became of it. */
  async recover(): Promise<void> {
    // Usually no project has anything there, and computing the store's name loads node:crypto.
    if (!hasEntries(this.#parts.workspace.paths.views)) return;
    if (hasEntries(this.store)) await (await this.#load()).recover();
  }

  opened(...said: Parameters<IsolatedWork["opened"]>): void {
    this.#opened = said;
    this.#work?.opened(...said);
  }

  leftBy(agentId: string): string | undefined {
    return this.#work?.agents.leftBy(agentId);
  }

  async isolate(request: IsolationRequest): Promise<Isolation> {
    return (await this.#load()).agents.isolate(request);
  }

  async #load(): Promise<IsolatedWork> {
    const { IsolatedWork } = await import("./isolated-work.ts");
    if (!this.#work) {
      this.#work = new IsolatedWork(this.#parts);
      if (this.#opened) this.#work.opened(...this.#opened);
    }
    return this.#work;
  }
}

const hasEntries = (folder: string): boolean => isDirectory(folder) && readdirSync(folder).length > 0;
