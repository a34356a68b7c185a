// The running commands of an owner, to distinguish them from what finished commands left running.

import type { Clock } from "./clock.ts";
import { commandMark, endProcesses, findMarked, ownerMark } from "./marks.ts";
import type { Watched } from "./watchdog.ts";

export class LiveCommands {
  readonly #numbers = new Set<number>();

  note(number: number, child: Watched): void {
    this.#numbers.add(number);
    child.once("exit", () => this.#numbers.delete(number));
  }

  /** Ends everything else with the owner's mark, such as daemons. Returns the number of processes. */
  async endOthers(owner: string, clock: Clock): Promise<number> {
    const kept = new Set<number>();
    for (const number of this.#numbers)
      for (const pid of await findMarked(commandMark(owner, number), true)) kept.add(pid);
    const others = (await findMarked(ownerMark(owner), true)).filter((pid) => !kept.has(pid));
    await endProcesses(others, clock);
    return others.length;
  }
}
