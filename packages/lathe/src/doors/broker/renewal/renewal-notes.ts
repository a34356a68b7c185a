// A file of unfinished renewals: that we are asking an issuer (written before we ask), and why the last attempt failed.
// After a crash, the next broker sees there which renewals were cut off.

import { Checker, integer, mapOf, object, optional, type Static, text } from "@lathe/llm/schema";
import { readJsonFile, replaceFile, withFileLock } from "../../../platform/home/json-file.ts";

const note = object({
  /** Epoch milliseconds of a request whose answer we do not know. */
  noteAsking: optional(integer()),
  noteFailure: optional(object({ at: integer(), cause: text(), times: integer() })),
});
export type RenewalNote = Static<typeof note>;
type Notes = Readonly<Record<string, RenewalNote>>;

const CHECKER = new Checker(mapOf(note), { acceptsUnknown: true });

export class RenewalNotes {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Notes by account id. A damaged file counts as empty; the next note replaces it. */
  all(): Notes {
    try {
      return notesIn(readJsonFile(this.#file));
    } catch {
      return {};
    }
  }

  /** Resolves once the note is on the disk. */
  asking(id: string, now: number): Promise<void> {
    return this.#change((notes) => ({ ...notes, [id]: { ...notes[id], noteAsking: now } }));
  }

  failed(id: string, cause: string, now: number): Promise<void> {
    return this.#change((notes) => {
      const times = (notes[id]?.noteFailure?.times ?? 0) + 1;
      return { ...notes, [id]: { noteFailure: { at: now, cause, times } } };
    });
  }

  remove(id: string): Promise<void> {
    return this.#change(({ [id]: _, ...notes }) => notes);
  }

  /** Removes the notes of all other accounts. */
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
