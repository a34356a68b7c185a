// What a client of a remote door knows without asking: the session, whether it is busy, its open questions. It follows
// the frames that the client reads.

import type { Dialog, DoorFrame } from "./door.ts";

export interface DoorFacts {
  readonly sessionId: string;
  readonly isBusy: boolean;
  readonly questions: readonly Dialog[];
}

export class DoorMirror implements DoorFacts {
  sessionId: string;
  isBusy: boolean;
  questions: readonly Dialog[];
  /** The last frame taken. Several readers may pass on the same frame. */
  #seq = 0;

  constructor({ sessionId, isBusy, questions }: DoorFacts) {
    this.sessionId = sessionId;
    this.isBusy = isBusy;
    this.questions = questions;
  }

  take(frame: DoorFrame): void {
    if (frame.seq < this.#seq || (frame.seq === this.#seq && frame.kind !== "snapshot")) return;
    this.#seq = frame.seq;
    switch (frame.kind) {
      case "snapshot":
        this.sessionId = frame.snapshot.state.sessionId;
        this.isBusy = frame.snapshot.state.isStreaming;
        this.questions = frame.snapshot.questions;
        break;
      case "session":
        this.sessionId = frame.sessionId;
        this.isBusy = false;
        break;
      case "event":
        if (frame.event.type === "agent_start") this.isBusy = true;
        if (frame.event.type === "agent_end") this.isBusy = false;
        break;
      case "question":
        this.questions = [...this.questions, frame.question];
        break;
      case "settled":
        this.questions = this.questions.filter(({ id }) => id !== frame.questionId);
        break;
      case "closed":
        this.isBusy = false;
        break;
    }
  }
}
