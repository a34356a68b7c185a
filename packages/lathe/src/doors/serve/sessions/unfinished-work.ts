// Which sessions were working: what a server reads when it starts again after it was killed. That a session has unfinished work says its
// journal; this only says where to look, and how often it was tried in vain.

import { SessionNotes } from "./session-notes.ts";

/** A session that dies as often as that before its turn ends is left alone. */
export const MOST_TRIES = 3;

export class UnfinishedWork {
  readonly #notes: SessionNotes;

  constructor(folder: string) {
    this.#notes = new SessionNotes(folder);
  }

  /** Ids of sessions. */
  list(): readonly string[] {
    return this.#notes.list();
  }

  /** How often the session was continued since it last got on; undefined when it was not working. */
  tries(id: string): number | undefined {
    const text = this.#notes.read(id);
    return text === undefined ? undefined : Number(text) || 0;
  }

  note(id: string, tries: number): void {
    this.#notes.write(id, `${tries}`);
  }

  done(id: string): void {
    this.#notes.remove(id);
  }
}
