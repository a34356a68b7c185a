// Whether memory is on: it is if notes are stored, or if notes are made of past sessions, which have to be stored
// somewhere.

import type { Settings } from "../../config/settings/schema.ts";

export const isMemoryOn = (settings: Settings): boolean =>
  settings["memory.backend"] !== "off" || settings["memories.enabled"];

/** The host's choices about memory. */
export interface MemoryChoices {
  /** Whether memories are made of past sessions in the background, as at a terminal. */
  readonly learns: boolean;
  /** Server banks whose missions this process has already sent. */
  readonly told: Set<string>;
}
