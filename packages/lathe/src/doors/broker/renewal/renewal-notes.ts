// What is known of renewals that are not over, in a file: that an issuer is being asked, written before it is asked, and why the last
// attempt failed. A broker that is started after a kill reads there what was cut off.

import { Checker, integer, mapOf, object, optional, type Static, text } from "@lathe/llm/schema";
import { readJsonFile, replaceFile, withFileLock } from "../../../platform/home/json-file.ts";

const note = object({
  /** Epoch milliseconds; the answer to what was asked then is not known. */
  asking: optional(integer()),
  failed: optional(object({ at: integer(), cause: text(), times: integer() })),
});
export type RenewalNote = Static<typeof note>;
type Notes = Readonly<Record<string, RenewalNote>>;

const CHECKER = new Checker(mapOf(note), { acceptsUnknown: true });

export class RenewalNotes {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** By the id of the account. A damaged file says nothing; the next note replaces it. */
  all(): Notes {
    try {
      return notesIn(readJsonFile(this.#file));
    } catch {
      return {};
    }
  }

  /** On the disk before the call returns. */
  asking(id: string, now: number): Promise<void> {
    return this.#change((notes) => ({ ...notes, [id]: { ...notes[id], asking: now } }));
  }

  failed(id: string, cause: string, now: number): Promise<void> {
    return this.#change((notes) => {
      const times = (notes[id]?.failed?.times ?? 0) + 1;
      return { ...notes, [id]: { failed: { at: now, cause, times } } };
    });
  }

  over(id: string): Promise<void> {
    return this.#change(({ [id]: _, ...notes }) => notes);
  }

  /** Of accounts that are no longer there. */
  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    if (Object.keys(this.all()).every((id) => ids.has(id))) return;
    await this.#change((notes) => Object.fromEntries(Object.entries(notes).filter(([id]) => ids.has(id))));
  }

  #change(change: (notes: Notes) => Notes): Promise<void> {
    const write = (): Promise<void> =>
      replaceFile(this.#file, `${JSON.stringify(change(this.all()))}\n`, { syncs: true });
    return withFileLock(this.#file, write);
  }
}

const notesIn = (value: unknown): Notes => (CHECKER.fits(value) ? (value as Notes) : {});
