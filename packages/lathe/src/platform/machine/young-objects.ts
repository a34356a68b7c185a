// Limits the space for young objects. V8 doubles it, up to 32 MB, as long as objects are created, however few survive:
// drawing a stream of text would take tens of megabytes that hold nothing (decision 0139).

import { setFlagsFromString } from "node:v8";
import { onFirstRequest } from "../launcher/first-request.ts";

/** Keeps the space at the size it has after startup. */
export function keepYoungObjectsFew(): void {
  const stop = onFirstRequest(() => {
    setFlagsFromString("--semi-space-growth-factor=1");
    stop();
  });
}
