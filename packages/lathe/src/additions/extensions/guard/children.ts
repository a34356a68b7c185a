// The processes that an extension has started with `node:child_process`. They belong to it and end with it, together
// with everything that they have started (decision 0521).

import type { ChildProcess } from "node:child_process";
import { AdoptedProcesses } from "@lathe/agent/world";

export class ExtensionChildren {
  readonly #adopted = new AdoptedProcesses();
  readonly #running = new Set<ChildProcess>();

  /** The variables that mark a process which is about to start. */
  variables(): Readonly<Record<string, string>> {
    return this.#adopted.variables();
  }

  note(child: ChildProcess): void {
    if (child.pid === undefined) return;
    this.#running.add(child);
    child.once("exit", () => this.#running.delete(child));
  }

  /** Ends them without calling the extension's code, which might start them again. Returns how many there were. */
  end(): Promise<number> {
    const held: number[] = [];
    for (const child of this.#running) {
      child.removeAllListeners();
      child.on("error", () => {}); // such as a message that it can no longer receive
      held.push(child.pid!);
    }
    this.#running.clear();
    return this.#adopted.end(held);
  }
}
