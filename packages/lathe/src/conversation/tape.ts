// Wraps what a session takes from outside when a run is recorded or replayed.

import type { InputContent, InputOutcome, Session, SessionOptions } from "@lathe/agent";
import type { Surroundings } from "@lathe/agent/context";
import type { Recorder } from "@lathe/agent/session";

/** For recording and for replaying. */
export interface Tape {
  readonly aroundExecute: NonNullable<SessionOptions["aroundExecute"]>;
  readonly aroundAccess: NonNullable<SessionOptions["aroundAccess"]>;
  readonly aroundNested?: SessionOptions["aroundNested"];
  surroundings(read: () => Promise<Surroundings>): Promise<Surroundings>;
}

export type InputVerb = Parameters<Recorder["input"]>[1];

/** While recording, inputs pass through the tape, and it is told about the end. */
export interface RecordingTape extends Tape {
  input(session: Session, verb: InputVerb, content?: InputContent): Promise<InputOutcome | undefined>;
  finish(end: { readonly status: string; readonly exitCode: number }): void;
}
