// Which commands of an owner have not ended, so that what the others have left running can be told from them.

import type { Clock } from "./clock.ts";
import { commandMark, endProcesses, findMarked, ownerMark } from "./marked.ts";
import type { Watched } from "./watchdog.ts";

export class LiveCommands {
  readonly #numbers = new Set<number>();

  note(number: number, child: Watched): void {
    this.#numbers.add(number);
    child.once("exit", () => this.#numbers.delete(number));
  }

  /** Ends what else carries the owner's mark, such as daemons. Returns how many processes there were. */
  async endOthers(owner: string, clock: Clock): Promise<number> {
    const kept = new Set<number>();
    for (const number of this.#numbers)
      for (const pid of await findMarked(commandMark(owner, number), true)) kept.add(pid);
    const others = (await findMarked(ownerMark(owner), true)).filter((pid) => !kept.has(pid));
    await endProcesses(others, clock);
    return others.length;
  }
}
