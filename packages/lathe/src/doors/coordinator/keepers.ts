// The keepers of all sessions of a namespace: each session gets one as soon as its event appears, whichever coordinator
// wrote it.

import type { LocalDoor } from "../local/local-door.ts";
import type { Coordinator } from "./coordinator.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { finishStarts, hasAbandonedStarts } from "./sessions.ts";

export class Keepers {
  readonly #coordinator: Coordinator;
  readonly #keepers = new Map<string, SessionKeeper>();
  /** The state of each session at the last check. */
  readonly #seen = new Map<string, string>();
  readonly #isPassive: boolean;
  #isClosed = false;

  constructor(coordinator: Coordinator, { isPassive }: { readonly isPassive: boolean }) {
    this.#isPassive = isPassive;
    this.#coordinator = coordinator;
  }

  /** Advances every session whenever the journal changes, until closed. */
  keepAll(): void {
    const { journal } = this.#coordinator;
    const look = (): void => {
      if (this.#isClosed) return;
      try {
        journal.refresh();
      } catch {
        return; // the state was removed; each call reports that
      }
      const { sessions, active, queues } = journal.state;
      for (const [id, { phase, latheSession }] of sessions) {
        const stands = [phase, latheSession, active.get(id), queues.get(id)?.length].join(" ");
        if (this.#seen.get(id) === stands) continue;
        this.#seen.set(id, stands);
        if (phase !== "open") continue;
        void this.of(id).door();
        void this.of(id).advance();
      }
    };
    journal.onChange(look);
    look();
  }

  /** For sessions whose coordinator was killed while starting them. */
  async finishStarts(): Promise<void> {
    if (!this.#isPassive && hasAbandonedStarts(this.#coordinator)) await finishStarts(this.#coordinator);
  }

  of(sessionId: string): SessionKeeper {
    const known = this.#keepers.get(sessionId);
    if (known) return known;
    const keeper = new SessionKeeper(this.#coordinator, sessionId, this.#isPassive);
    this.#keepers.set(sessionId, keeper);
    return keeper;
  }

  door(sessionId: string): Promise<LocalDoor | undefined> {
    return this.of(sessionId).door();
  }

  close(): void {
    this.#isClosed = true;
    for (const keeper of this.#keepers.values()) keeper.close();
  }
}
