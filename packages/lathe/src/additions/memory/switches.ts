// Whether memory is on: where notes are kept, or that they are made of past sessions, which needs a place for them.

import type { Settings } from "../../config/settings/schema.ts";

export const isMemoryOn = (settings: Settings): boolean =>
  settings["memory.backend"] !== "off" || settings["memories.enabled"];
