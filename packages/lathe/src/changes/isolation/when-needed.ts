// Isolated work is loaded when an agent works apart, or when something may be left of one that did: a start does not pay for it.

import { readdirSync, statSync } from "node:fs";
import type { Isolation, IsolationRequest } from "@lathe/agent/agents";
import type { IsolatedWork, IsolatedWorkParts } from "./isolated-work.ts";
import { storeOf } from "./view-store.ts";

export class IsolationWhenNeeded {
  readonly #parts: IsolatedWorkParts;
  #work: IsolatedWork | undefined;
  #opened: Parameters<IsolatedWork["opened"]> | undefined;

  constructor(parts: IsolatedWorkParts) {
    this.#parts = parts;
  }

  /** Of views, landings and commits of the project that are under way. */
  get store(): string {
    return storeOf(this.#parts.workspace);
  }

  /** What killed processes left is undone and removed before a caller asks what became of it. */
  async recover(): Promise<void> {
    // Mostly no project has anything there, and the name of the store takes node:crypto.
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

const hasEntries = (folder: string): boolean =>
  (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false) && readdirSync(folder).length > 0;
