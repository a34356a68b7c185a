// Whether memory is on: where notes are kept, or that they are made of past sessions, which needs a place for them.

import type { Settings } from "../../config/settings/schema.ts";

export const isMemoryOn = (settings: Settings): boolean =>
  settings["memory.backend"] !== "off" || settings["memories.enabled"];

/** What the host of a session decides about memory. */
export interface MemoryChoices {
  /** At a terminal, memories are made of past sessions in the background. */
  readonly learns: boolean;
  /** Banks of a server that were told their missions by this process. */
  readonly told: Set<string>;
}
